"""Counts in memory are returned once, and kept if they cannot be stored."""

import pytest
from django.db import DatabaseError

from config.metrics.registry import PendingCounts, storing

pytestmark = pytest.mark.django_db


def test_counting_starts_at_zero_after_take():
    counts: PendingCounts[str] = PendingCounts()
    counts.add("a")
    counts.add("a", 2)

    assert counts.take() == {"a": 3}
    assert counts.take() == {}


def test_beyond_the_limit_only_known_keys_are_counted():
    counts: PendingCounts[str] = PendingCounts(max_keys=2)

    for key in "abcab":
        counts.add(key)

    assert counts.take() == {"a": 2, "b": 2}


def test_counts_that_the_database_refuses_are_kept_and_added_up():
    counts: PendingCounts[str] = PendingCounts()
    counts.add("a")
    taken = counts.take()

    with storing(lambda: counts.give_back(taken)):
        counts.add("a")
        raise DatabaseError

    assert counts.take() == {"a": 2}


def test_other_errors_are_raised():
    with pytest.raises(ZeroDivisionError), storing(lambda: None):
        raise ZeroDivisionError
