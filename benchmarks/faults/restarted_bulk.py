"""Restart PostgreSQL in the middle of a bulk send: `python -m benchmarks.faults.restarted_bulk [rows]`.

It passes if every process of the worker notes itself in the database within 30 s after the restart, and the rest of the
bulk send is delivered at least at half the speed before the restart.
Source: docs/testing.md, A8.

Cases: A8.
"""

import signal
import sys
import time
from contextlib import suppress

import psycopg

from benchmarks.faults.stand import Stand, restarted, show, show_machine, stand, wait_for

AWAY_SECONDS = 5
_PROCESSES = "SELECT holder FROM worker_process"
_SEEN = "SELECT holder FROM worker_process WHERE seen_at > now() - interval '{seconds} seconds'"
_SENT = "SELECT count(*) FROM notifications_notification WHERE status <> 'created'"


def main(rows: int = 5_000) -> None:
    show_machine()
    with stand() as it:
        it.service.start_worker()
        service = it.provision("Bulk")
        began = time.monotonic()
        table = [["email address"], *([f"p{number}@example.org"] for number in range(rows))]
        body = {"name": "Restart", "template_id": service.templates["email"], "rows": table}
        answer = service.request("POST", "/v2/notifications/bulk", body, key_type="live")
        assert answer.status_code == 201, answer.text
        assert wait_for(lambda: sent(it) >= rows // 4, 300) is not None
        speed = sent(it) / (time.monotonic() - began)
        expected = {holder for (holder,) in it._rows(_PROCESSES)}
        it.postgres.program.process.send_signal(signal.SIGQUIT)
        it.postgres.program.process.wait(20)
        time.sleep(AWAY_SECONDS)
        it.postgres.program = restarted(it.postgres.program, it.postgres.port)
        assert wait_for(lambda: answers(it), 30) is not None
        back_at, before = time.monotonic(), sent(it)
        seen = wait_for(lambda: expected <= noted(it, back_at), 60)
        rest = wait_for(lambda: sent(it) == rows, 300)
        show("messages a second before", round(speed))
        show("processes with a connection again, after s", seen, of=len(expected))
        show("messages a second after", round((rows - before) / rest) if rest else 0, delivered_of=rows)
        assert (seen or 60) < 30
        assert (rows - before) / (rest or 300) > speed / 2
    show("passed", True)


def answers(it: Stand) -> bool:
    with suppress(psycopg.OperationalError):
        sent(it)
        return True
    return False


def sent(it: Stand) -> int:
    return int(it._rows(_SENT)[0][0])


def noted(it: Stand, since: float) -> set[str]:
    return {holder for (holder,) in it._rows(_SEEN.format(seconds=time.monotonic() - since))}


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
