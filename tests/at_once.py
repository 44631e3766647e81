"""Run something in several threads that start together."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def at_once(act: Callable[[int], Result], times: int = 4) -> list[Result]:
    """Return act(0), act(1), … Each runs in a thread with its own connection to the database."""
    barrier = threading.Barrier(times)

    def in_a_thread(number: int) -> Result:
        barrier.wait(30)
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(in_a_thread, range(times)))
