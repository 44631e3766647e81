"""Durations of deliveries as a short list of rounded values and their numbers, which can be added up for any period.

A duration is stored in tenths of a second: exactly below 10 s, and with two significant digits above. So an hour has at
most 600 different durations. Source: docs/reference/statistics.md §2.
"""

from collections.abc import Mapping
from datetime import timedelta
from math import ceil
from typing import Any

from django.db.models import Func, IntegerField

from notifications.models.notification import Notification
from notifications.models.status import Status

MEDIAN, SLOW = 0.50, 0.95
_TENTHS_A_DAY = 864_000
_COARSE = {1_000_000: 100_000, 100_000: 10_000, 10_000: 1_000, 1_000: 100, 100: 10}  # from tenths on → step
_TENTH = timedelta(milliseconds=100)
_STEPS = " ".join(
    f"WHEN {{t}} >= {first} THEN ({{t}} + {step // 2}) / {step} * {step}" for first, step in _COARSE.items()
)


def rounded(duration: timedelta) -> int:
    """Return a duration in tenths of a second, rounded. A negative duration is 0.

    >>> [rounded(timedelta(seconds=seconds)) for seconds in (-1, 0.04, 9.94, 10.4, 99.4, 104, 106, 259_200)]
    [0, 0, 99, 100, 990, 1000, 1100, 2600000]
    """
    tenths = max(0, (duration + _TENTH / 2) // _TENTH)
    step = next((step for first, step in _COARSE.items() if tenths >= first), 1)
    return (tenths + step // 2) // step * step


def of(message: Notification) -> int | None:
    """Return the time from due to delivered; None if no provider delivered the message."""
    is_delivered = message.status == Status.DELIVERED and message.provider
    return rounded(message.completed_at - message.due_at) if is_delivered and message.completed_at else None


class RoundedDuration(Func):
    """`rounded` of the difference of two moments, the later one first."""

    output_field = IntegerField()
    arity = 2
    arg_joiner = " - "

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as Django's
        return self._sql(compiler, connection, "round(EXTRACT(EPOCH FROM {later} - {earlier}) * 10)::bigint")

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        tenths = f"CAST(round((julianday({{later}}) - julianday({{earlier}})) * {_TENTHS_A_DAY}) AS integer)"
        return self._sql(compiler, connection, tenths)

    def _sql(self, compiler: Any, connection: Any, tenths: str) -> Any:
        (later, _), (earlier, _) = (compiler.compile(one) for one in self.source_expressions)  # two columns
        text = tenths.format(later=later, earlier=earlier)
        return f"CASE WHEN {text} < 0 THEN 0 {_STEPS.format(t=text)} ELSE {text} END", []


def within(times: Mapping[int, int], share: float) -> float | None:
    """Return the seconds within which a share of the messages was delivered; None for no messages.

    times: tenths of a second → number of messages

    >>> within({10: 1, 20: 1, 30: 2}, MEDIAN), within({}, MEDIAN)
    (2.0, None)
    """
    left = ceil(share * sum(times.values()))
    for tenths, number in sorted(times.items()):
        left -= number
        if left <= 0 < number:
            return tenths / 10
    return None
