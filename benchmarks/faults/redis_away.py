"""Redis stopped, frozen, emptied while callers send: `python -m benchmarks.faults.redis_away [seconds [a second]]`.

Passes when every POST is answered 201 within 1.5 s, 99 in 100 of them while Redis is frozen, and all is handed over
within 60 s of its return, although it comes back empty. How long answers take before it goes is shown beside: on a
machine with other work that decides.
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

QUIET_SECONDS = 15  # before Redis goes
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
    """Look at everything once it is back. Returns whether no larger part of the answers than `late` came too late."""
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
    """A thousand wait when Redis forgets all it holds."""
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
