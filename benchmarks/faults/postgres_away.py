"""Stop PostgreSQL at once, then freeze it, under load: `python -m benchmarks.faults.postgres_away [calls a second]`.

It passes if all calls during the outage get a 503 in the API's error shape in time, every 201 has its row, and every
row has its 201, or a 503 if the outcome was unknown. The first 201 must come within 5 s after the database is back,
without a restart of the service. Source: docs/testing.md, A8, A9.

Cases: A8, A9.
"""

import os
import signal
import sys
import time

from benchmarks.faults.stand import Answer, Load, Stand, restarted, show, show_answers, show_machine, stand, wait_for
from tests.servers import processes

AWAY_SECONDS = 5
FROZEN_SECONDS = 20


def main(per_second: float = 20) -> None:
    show_machine()
    with stand() as it:
        it.service.start_worker()
        late = [*ended(it, per_second), *frozen(it, per_second)]
    assert not late, "some answers came too late"
    show("passed", True)


def ended(it: Stand, per_second: float) -> list[Answer]:
    load = Load(it.provision("Ended"), per_second)
    time.sleep(5)
    it.postgres.program.process.send_signal(signal.SIGQUIT)  # immediate mode
    it.postgres.program.process.wait(20)
    time.sleep(AWAY_SECONDS)
    it.postgres.program = restarted(it.postgres.program, it.postgres.port)
    return finish(it, load, "ended at once", slowest=5)


def frozen(it: Stand, per_second: float) -> list[Answer]:
    load = Load(it.provision("Frozen"), per_second, callers=100)
    time.sleep(5)
    everyone = processes(it.postgres.program.pid)
    for pid in everyone:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(FROZEN_SECONDS)
    for pid in everyone:
        os.kill(pid, signal.SIGCONT)
    return finish(it, load, "frozen", slowest=12)


def finish(it: Stand, load: Load, what: str, slowest: float) -> list[Answer]:
    """Check rows and answers after PostgreSQL is back. Return the answers that came too late."""
    back_at = time.monotonic()
    time.sleep(10)
    answers = load.stop()
    show("PostgreSQL", what)
    show_answers(answers)
    accepted = [answer.id for answer in answers if answer.status == 201]
    after = [answer.at + answer.seconds for answer in answers if answer.status == 201 and answer.at > back_at]
    first = min(after, default=0.0)
    show("first 201 after its return, seconds", round(first - back_at, 1))
    wrong = [answer for answer in answers if answer.status not in (201, 503)]
    shapeless = [answer for answer in answers if answer.status == 503 and not answer.body.get("errors")]
    late = [answer for answer in answers if answer.seconds > slowest]
    show("neither 201 nor 503", len(wrong), without_our_shape=len(shapeless), late=len(late))
    missing = set(accepted) - set(it.statuses())
    show("201 without a row", len(missing))
    show("seconds until all were delivered", wait_for(lambda: not it.lost(accepted), 120))
    assert not missing
    assert not wrong
    assert not shapeless
    assert not it.lost(accepted)
    assert 0 < first - back_at < 5
    return late


if __name__ == "__main__":
    main(*(float(word) for word in sys.argv[1:]))
