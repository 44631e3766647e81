"""Counts in memory are returned once, and kept if they cannot be stored."""

import pytest
from django.db import DatabaseError

from config.metrics.registry import PendingCounts, storing

pytestmark = pytest.mark.django_db


def test_what_is_taken_is_counted_anew():
    counts: PendingCounts[str] = PendingCounts()
    counts.add("a")
    counts.add("a", 2)

    assert counts.take() == {"a": 3}
    assert counts.take() == {}


def test_beyond_its_most_only_keys_it_knows_are_counted():
    counts: PendingCounts[str] = PendingCounts(max_keys=2)

    for key in "abcab":
        counts.add(key)

    assert counts.take() == {"a": 2, "b": 2}


def test_what_the_database_refuses_stays_and_adds_up():
    counts: PendingCounts[str] = PendingCounts()
    counts.add("a")
    taken = counts.take()

    with storing(lambda: counts.give_back(taken)):
        counts.add("a")
        raise DatabaseError

    assert counts.take() == {"a": 2}


def test_what_is_no_error_of_the_database_is_raised():
    with pytest.raises(ZeroDivisionError), storing(lambda: None):
        raise ZeroDivisionError
