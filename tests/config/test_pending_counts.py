"""Counts in memory are returned once, and kept if they cannot be stored."""

import pytest
from django.db import DatabaseError, OperationalError, connection

from config.metrics import registry
from config.metrics.models import MetricValue
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


def test_counts_are_kept_if_no_transaction_begins():
    registry.flush()
    registry.RECORDS.add("stored", number=3)
    rows = MetricValue.objects.filter(name=registry.RECORDS.name)
    before = list(rows.values_list("value", flat=True))

    def refuse(*statement: object) -> None:
        raise OperationalError

    with connection.execute_wrapper(refuse):
        registry.flush()
    assert list(rows.values_list("value", flat=True)) == before
    registry.flush()

    assert sum(rows.values_list("value", flat=True)) == sum(before) + 3


def test_other_errors_are_raised():
    with pytest.raises(ZeroDivisionError), storing(lambda: None):
        raise ZeroDivisionError
