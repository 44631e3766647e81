"""Sizes, days and moments in texts."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import translation

from config import formats
from notifications.download import texts

LONDON = ZoneInfo("Europe/London")


@pytest.mark.parametrize(
    ("size_bytes", "said"),
    [
        (1, "1 byte"),
        (2, "2 bytes"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (1499, "1 KB"),
        (1501, "2 KB"),
        (999_499, "999 KB"),
        (999_999, "999 KB"),
        (1_000_000, "1 MB"),
        (1_049_999, "1 MB"),
        (1_234_567, "1.2 MB"),
        (1_999_999, "2 MB"),
        (2_097_151, "2.1 MB"),
    ],
)
def test_a_size_is_rounded(size_bytes, said):
    assert formats.size(size_bytes) == said


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (datetime(2026, 7, 1, 0, 0, tzinfo=LONDON), "12:00am (BST)"),
        (datetime(2026, 7, 1, 11, 59, 1, tzinfo=LONDON), "12:00pm (BST)"),
        (datetime(2026, 7, 1, 13, 5, tzinfo=LONDON), "1:05pm (BST)"),
        (datetime(2026, 7, 1, 23, 59, 30, tzinfo=LONDON), "12:00am (BST) on Thursday 2 July 2026"),
        (datetime(2026, 12, 1, 9, 30, tzinfo=LONDON), "9:30am (GMT) on Tuesday 1 December 2026"),
    ],
)
def test_a_moment_is_rounded_up(at, said):
    assert texts.moment(at, date(2026, 7, 1)) == said


def test_seconds_to_wait_are_whole_and_at_least_one():
    now = datetime(2026, 7, 1, tzinfo=ZoneInfo("UTC"))

    waits = [texts.seconds_until(now + timedelta(seconds=seconds), now) for seconds in (-5, 0.2, 1.2, 60)]

    assert waits == [1, 1, 2, 60]


def test_times_are_written_in_welsh():
    at = datetime(2026, 7, 1, 13, 5, tzinfo=LONDON)
    with time_machine.travel(at + timedelta(hours=1), tick=False), translation.override("cy"):
        found = [formats.full(at), formats.on(at), formats.heading(at), formats.weekday(at), formats.percent(0.01)]

    assert found == [
        "1 Gorffennaf 2026 am 1:05yp",
        "heddiw am 1:05yp",
        "Heddiw",
        "Dydd Mercher 1 Gorffennaf 2026",
        "o dan 0.1%",
    ]


def test_days_near_today_are_named_and_others_have_a_year_if_it_is_not_this_one():
    now = datetime(2026, 7, 1, 0, 30, tzinfo=LONDON)  # 23:30 UTC of the day before
    with time_machine.travel(now, tick=False):
        found = [formats.on(now + timedelta(days=days)) for days in (-200, -2, -1, 0, 1)]

    assert found == [
        *("on 13 December 2025 at 12:30am", "on 29 June at 12:30am"),
        *("yesterday at 12:30am", "today at 12:30am", "tomorrow at 12:30am"),
    ]
