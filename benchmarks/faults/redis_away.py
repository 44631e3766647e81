"""Stop, freeze and empty Redis under load: `python -m benchmarks.faults.redis_away [seconds [calls a second]]`.

It passes if every POST gets a 201 within 1.5 s (99 % of them while Redis is frozen), and if all messages are delivered
within 60 s after Redis is back, even though it comes back empty. The output includes the response times before the
outage, because they dominate on a busy machine.
Source: docs/testing.md, A5, A6, A7.

Cases: A5, A6, A7.
"""

import os
import signal
import sys
import time

from benchmarks.faults.stand import (
    Load,
    Stand,
    restarted,
    send_all,
    show,
    show_answers,
    show_machine,
    stand,
    wait_for,
)

QUIET_SECONDS = 15  # before the outage
IN_TIME_SECONDS = 1.5
BACK_SECONDS = 60


def main(seconds: float = 60, per_second: float = 20) -> None:
    show_machine()
    with stand() as it:
        it.service.start_worker()
        in_time = [stopped(it, seconds, per_second), frozen(it, seconds, per_second)]
        emptied(it)
    assert all(in_time), "some answers came too late"
    show("passed", True)


def stopped(it: Stand, seconds: float, per_second: float) -> bool:
    load = Load(it.provision("Stopped"), per_second)
    quiet(load)
    it.redis.program.kill()
    time.sleep(seconds)
    it.redis.program = restarted(it.redis.program, it.redis.port)
    return finish(it, load, "stopped", late=0)


def frozen(it: Stand, seconds: float, per_second: float) -> bool:
    load = Load(it.provision("Frozen"), per_second)
    quiet(load)
    os.kill(it.redis.program.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(it.redis.program.pid, signal.SIGCONT)
    return finish(it, load, "frozen", late=0.01)


def quiet(load: Load) -> None:
    time.sleep(QUIET_SECONDS)
    show("before", "with Redis")
    show_answers(list(load.answers))


def finish(it: Stand, load: Load, what: str, late: float) -> bool:
    """Check rows and answers after Redis is back. Return whether at most the share `late` of the answers was slow."""
    time.sleep(5)
    answers = load.stop()
    show("Redis", what)
    show_answers(answers)
    accepted = [answer.id for answer in answers if answer.status == 201]
    show("all handed over after seconds", wait_for(lambda: not it.lost(accepted), BACK_SECONDS))
    slow = [answer for answer in answers if answer.seconds > IN_TIME_SECONDS]
    show("slower than 1.5 s", len(slow))
    assert len(accepted) == len(answers)
    assert not it.lost(accepted)
    assert set(it.mailbox.counts()) >= set(accepted)
    return len(slow) <= late * len(answers)


def emptied(it: Stand) -> None:
    """Empty Redis while a thousand messages wait."""
    it.service.start_worker().stop()
    answers = send_all(it.provision("Emptied"), 1000, callers=8)
    it.redis.client().flushall()
    it.service.start_worker()
    accepted = [answer.id for answer in answers if answer.status == 201]
    show("Redis", "emptied")
    show_answers(answers)
    show("all handed over after seconds", wait_for(lambda: not it.lost(accepted), BACK_SECONDS))
    assert len(accepted) == 1000
    assert not it.lost(accepted)


if __name__ == "__main__":
    main(*(float(word) for word in sys.argv[1:]))
