"""A worker that stops waits for the tasks that its processes have received."""

from collections.abc import Callable
from typing import Any

import pytest
from kombu.asynchronous import Hub

from config.queue.prefork import Pool


def turn_until(hub: Hub, done: Callable[[], object]) -> None:
    for _ in hub.loop:
        if done():
            return


@pytest.mark.fault("A4")
def test_a_stop_waits_for_received_tasks_and_drops_the_others() -> None:
    answers: list[int] = []
    hub = Hub()
    pool: Any = Pool(processes=1, threads=False)
    pool.register_with_event_loop(hub)
    turn_until(hub, lambda: pool._fileno_to_inq)
    jobs = [pool.apply_async(pow, (2, exponent), callback=answers.append) for exponent in (3, 4)]
    turn_until(hub, lambda: jobs[0]._write_to)

    pool.flush()
    pool.close()
    pool.join()

    assert answers == [8]
