"""Sizes, days and moments in texts."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

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
    assert texts.size(size_bytes) == said


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
