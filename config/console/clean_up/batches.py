"""The plain way to write a rule: rows of one table that are due, counted and deleted some at a time."""

from collections.abc import Iterator
from typing import Any  # of rows of any model

from django.db.models import Count, Min, QuerySet

from config.console.clean_up.pace import Pace
from config.console.clean_up.rules import Due, Removed

AT_ONCE = 200  # rows of one statement, where they are small and nothing hangs on them


def preview(due: QuerySet[Any], label: str, moment: str) -> list[Due]:
    """Say how many rows are due and since when, by the field `moment`."""
    found = due.order_by().aggregate(number=Count("pk"), oldest=Min(moment))
    return [Due(label=label, number=found["number"], oldest=found["oldest"])] if found["number"] else []


def delete(due: QuerySet[Any], label: str) -> Iterator[Removed]:
    """Delete the rows that are due, a batch at a time. What another run takes first is counted there alone."""
    name, pace = due.model._meta.label, Pace()
    while some := list(due.values_list("pk", flat=True)[: pace.at_once]):
        pace.begin()
        gone = due.order_by().filter(pk__in=some).delete()[1].get(name, 0)
        pace.end(len(some))
        yield Removed(label=label, number=gone)
