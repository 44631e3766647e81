"""Retention rules: what is deleted after a time. One list for the clock, the page and `manage.py sweep`.

    RetentionRule(name="old-messages", title="Messages", keeps=…, preview=…, remove=…)

Source: docs/reference/console.md §2.17.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any  # of rows of any model

from django.db.models import Count, Min, QuerySet

from config import areas
from config.databases import clock
from config.jobs.models import RetentionRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch, Job
from config.queue import periodic
from config.utc_days import start_of

ERRORS_ARE_KEPT_FOR = timedelta(days=30)  # long enough to ask a caller about them
AT_ONCE = 200  # rows of one statement, for small rows without related rows


class RuleGroup(StrEnum):
    """The subject of a rule, in the order of the page. TECHNICAL is data that only the program uses."""

    MESSAGES = "Messages and files"
    DATA_SETS = "Data sets"
    ACCOUNTS = "Accounts and audit"
    TECHNICAL = "Technical data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The rows that a rule would remove now from one service or data set. `label` is its name or a description."""

    label: str
    number: int
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule(Job):
    """One kind of row that is removed after a time; its name is also used in URLs and commands, such as `old-messages`.

    keeps:   how long rows are kept, as text after "Kept": "7 days".
    preview: returns what would be removed now, without entries for places with nothing due.
    remove:  removes all due rows in batches. Each batch is a transaction of a few milliseconds, committed before
             the yield. Two processes may run it at once. `batches` keeps a process with a wrong clock from it.
    every:   how often the clock runs it; None is every night at 03:00 UTC.
    aged:    as `remove`, for a rule whose age `manage.py sweep --older-than` may choose.
    group:   its part of the page.
    permission: the permission that lets people besides operators see it, such as "datasets.manage_data_sets".
    """

    title: str
    keeps: Callable[[], str]
    preview: Callable[[], Iterable[Due]]
    remove: Callable[[], Iterator[Batch]]
    every: timedelta | None = None
    aged: Callable[[timedelta], Iterator[Batch]] | None = None
    group: RuleGroup = RuleGroup.TECHNICAL
    permission: str = ""

    def batches(self, run: Any, pace: Pace) -> Iterator[Batch]:
        clock.check()
        return self.remove()

    def ended(self, run: RetentionRun, error: str) -> None:
        run.record_end(error)
        self.note(error)

    @property
    def job_name(self) -> str:
        """Return the name under which its results are stored for the health checks."""
        return f"clean-up {self.name}"

    def note(self, error: str) -> None:
        if error:
            periodic.note_failure(self.job_name, error)
        else:
            periodic.note_success(self.job_name)


def for_rows(rows: Mapping[str, Callable[[], QuerySet[Any]]], moment: str, **fields: Any) -> RetentionRule:
    """Return a rule that deletes all rows of query sets, oldest first by the field `moment`. rows: by their label"""

    def due() -> Iterator[Due]:
        for label, some in rows.items():
            yield from preview(some(), label, moment)

    def remove() -> Iterator[Batch]:
        for label, some in rows.items():
            yield from delete(some().order_by(moment), label)

    return RetentionRule(preview=due, remove=remove, **fields)


def registered() -> list[RetentionRule]:
    """Return the rules of the console and of the areas that are installed, in the order of their groups."""
    rules = areas.parts(RetentionRule)
    return [rule for group in RuleGroup for rule in rules if rule.group == group]


def named(name: str) -> RetentionRule | None:
    return next((rule for rule in registered() if rule.name == name), None)


def preview(due: QuerySet[Any], label: str, moment: str) -> list[Due]:
    """Return how many rows are due and since when, by the field `moment`, which is a time or a UTC day."""
    found = due.order_by().aggregate(number=Count("pk"), oldest=Min(moment))
    if not found["number"]:
        return []
    oldest = found["oldest"] if isinstance(found["oldest"], datetime) else start_of(found["oldest"])
    return [Due(label=label, number=found["number"], oldest=oldest)]


def preview_each(due: QuerySet[Any], place: str, moment: str) -> list[Due]:
    """Return the same as `preview` for each place that has due rows. place: the field with the name of a row's place"""
    grouped = due.order_by().values(place).annotate(number=Count("pk"), oldest=Min(moment)).order_by(place)
    return [Due(label=one[place], number=one["number"], oldest=one["oldest"]) for one in grouped]


def delete(due: QuerySet[Any], label: str) -> Iterator[Batch]:
    """Delete the due rows in batches. Rows that another run has deleted are not counted."""
    name, pace = due.model._meta.label, Pace()
    while some := list(due.values_list("pk", flat=True)[: pace.at_once]):
        pace.begin()
        gone = due.order_by().filter(pk__in=some).delete()[1].get(name, 0)
        pace.end(len(some))
        yield Batch(label=label, number=gone)
