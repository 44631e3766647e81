"""The jobs, which are parts of the areas. Pages, the clock, workers and commands find them by name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any  # the run of any kind of job

from config import areas
from config.jobs.pace import Pace

TASK_SECONDS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The result of one batch.

    number: rows removed or changed
    passed: rows of a bulk job that the batch went through, changed or not
    label:  the service or data set they belong to, or what they are
    error:  for staff, why something there stayed; the other places go on
    """

    number: int
    passed: int = 0
    label: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One kind of work in batches.

    name: identifies its runs in the database, so it must not change
    task_seconds: how long a worker works on a run before it runs other tasks
    new_pace: returns the pace of a run's batches
    """

    name: str
    task_seconds: float = TASK_SECONDS
    new_pace: Callable[[], Pace] = Pace

    def batches(self, run: Any, pace: Pace) -> Iterator[Batch]:
        """Do the work of a run, a batch at a time, and yield after each.

        Between two batches the runner stores the progress and rests. It may stop there and call this method again
        later. An exception ends the run. pace: the size of the next batch.
        """
        raise NotImplementedError

    def ended(self, run: Any, error: str) -> None:
        """Record that a run is over, in the transaction that ends it. error: why it failed, or nothing."""


def named(name: str) -> Job | None:
    return next((job for job in areas.parts(Job) if job.name == name), None)
