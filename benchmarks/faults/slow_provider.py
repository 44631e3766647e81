"""Queue 1,000 messages for a provider that takes 5 s for each: `python -m benchmarks.faults.slow_provider [count]`.

It passes if a message of another service is claimed within 15 s. Source: docs/reference/security.md §9;
docs/testing.md, B10.

Cases: B10.
"""

import asyncio
import sys
import time

from aiosmtpd.smtp import SMTP, Envelope, Session

from benchmarks.faults.stand import Caller, Mailbox, send_all, show, show_answers, show_machine, stand, wait_for

SECONDS = 5  # less than the time-out of a read, 10 s
IN_TIME_SECONDS = 15 + SECONDS  # until it is claimed, and the time of the provider


class SlowMailbox(Mailbox):
    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        await asyncio.sleep(SECONDS)
        return await super().handle_DATA(server, session, envelope)


def main(count: int) -> None:
    show_machine()
    slow = SlowMailbox()
    try:
        with stand(PROVIDERS=f"slow={slow.url}") as it:
            it.service.start_worker()
            show_answers(send_all(it.provision("Bulk"), count, callers=8))
            other = Caller(it.provision("Other"))
            time.sleep(SECONDS)
            waits = []
            for number in range(3):
                one = other.send(number)
                arrived = wait_for(lambda one=one: one.id in slow.counts(), 120)  # type: ignore[misc]  # no types for it
                waits.append(arrived)
            show("seconds until another service's message had arrived", waits, ahead=count - len(slow.counts()))
            assert all(wait is not None and wait <= IN_TIME_SECONDS for wait in waits)
            show("passed", True)
    finally:
        slow.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
