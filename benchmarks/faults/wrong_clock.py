"""Run a worker whose clock is an hour fast or slow: `python -m benchmarks.faults.wrong_clock`.

It passes if a temporarily rejected message is retried after about 5 s, a scheduled message is sent at its time, and no
message is sent twice. Leases, delays and due times use the database's clock. Source: docs/testing.md, C2.

Cases: C2.
"""

import sys
import time
from datetime import UTC, datetime, timedelta

from aiosmtpd.smtp import SMTP, Envelope, Session

from benchmarks.faults.stand import Mailbox, show, show_machine, stand, wait_for

AHEAD_SECONDS = 12
WORKER = """
import runpy, sys
from datetime import datetime, timedelta, UTC
import time_machine
time_machine.travel(datetime.now(UTC) + timedelta(hours={hours}), tick=True).start()
sys.argv = ["manage.py", "worker"]
runpy.run_path("manage.py", run_name="__main__")
"""


class RefusingMailbox(Mailbox):
    """Reject the first message temporarily, and record when."""

    refused_at: float | None = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.refused_at is None:
            self.refused_at = time.monotonic()
            return "451 try later"
        return await super().handle_DATA(server, session, envelope)


def main() -> None:
    show_machine()
    for hours in (1, -1):
        run(hours)
    show("passed", True)


def run(hours: int) -> None:
    box = RefusingMailbox()
    try:
        with stand(PROVIDERS=f"mail={box.url}") as it:
            worker = it.service.start("worker", sys.executable, "-c", WORKER.format(hours=hours))
            worker.wait_until(lambda: worker.has_said("worker.ready"))
            service = it.provision(f"Clock {hours}")
            body = {"email_address": "p@example.org", "template_id": service.templates["email"]}
            now = service.request("POST", "/v2/notifications/email", body, key_type="live").json()["id"]
            wait_for(lambda: box.refused_at is not None, 30)
            due, due_at = time.monotonic() + AHEAD_SECONDS, datetime.now(UTC) + timedelta(seconds=AHEAD_SECONDS)
            answer = service.request(
                "POST", "/v2/notifications/email", {**body, "scheduled_for": due_at.isoformat()}, key_type="live"
            )
            later = answer.json()["id"]
            assert wait_for(lambda: len(box.arrived) == 2, 60) is not None, box.arrived
            time.sleep(15)
            at = {identifier: moment for moment, identifier in box.arrived}
            show(
                f"worker {hours:+} h",
                {
                    "retried after s": round(at[now] - (box.refused_at or 0), 1),
                    "scheduled one late by s": round(at[later] - due, 1),
                },
                arrived=len(box.arrived),
            )
            assert 3.5 < at[now] - (box.refused_at or 0) < 20
            assert 0 <= at[later] - due < 16
            assert len(box.arrived) == 2
    finally:
        box.stop()


if __name__ == "__main__":
    main()
