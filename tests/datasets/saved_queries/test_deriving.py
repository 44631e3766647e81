"""The rows of a saved query become records of another data set, and a repeat overwrites them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from datasets.models import SavedQuery
from datasets.saved_queries import deriving
from tests.datasets.making import make_data_set, put_in, stored
from tests.datasets.saved_queries.making import save

pytestmark = pytest.mark.django_db

MONTHS = {"kind": "between", "start_at": "2024-01-01T00:00:00Z", "end_at": "2024-03-01T00:00:00Z"}
NOW = datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def sets():
    source, target = make_data_set(type="visits"), make_data_set(type="by-month")
    put_in(source, [{"_id": "a", "_timestamp": "2024-01-05T00:00:00Z", "channel": "web", "count": 60}])
    return source, target


def test_rows_become_records_once(sets):
    source, target = sets
    document = {"measure": {"field": "count"}, "period": "month", "split": "channel", "range": MONTHS}
    query = save(source, document, stored_in=target, stored_every="day")

    assert deriving.store_rows(query, now=NOW) == 1
    put_in(source, [{"_id": "a", "_timestamp": "2024-01-05T00:00:00Z", "channel": "web", "count": 70}])
    assert deriving.store_rows(query, now=NOW) == 1

    (record,) = stored(target).values()
    assert {name: record[name] for name in ("_timestamp", "_end_at", "channel", "query", "value")} == {
        "_timestamp": "2024-01-01T00:00:00Z",
        "_end_at": "2024-02-01T00:00:00Z",
        "channel": "web",
        "query": "Visits",
        "value": 70,
    }


def test_a_field_named_query_becomes_the_group(sets):
    source, target = sets
    put_in(source, [{"_timestamp": "2024-01-05T00:00:00Z", "query": "opening hours"}])

    deriving.store_rows(save(source, {"split": "query", "range": MONTHS}, stored_in=target), now=NOW)

    (record,) = stored(target).values()
    assert (record["group"], record["query"]) == ("opening hours", "Visits")


def test_each_query_is_stored_when_it_is_due(sets):
    source, target = sets
    daily = save(source, {"range": MONTHS}, stored_in=target, stored_every="day", stored_at=NOW)
    new = save(source, {"range": MONTHS}, name="New", stored_in=target, stored_every="week")
    save(source, {"range": MONTHS}, name="Not stored")

    assert list(deriving.due(NOW + timedelta(hours=23))) == [new]
    assert set(deriving.due(NOW + timedelta(hours=24))) == {daily, new}


def test_one_that_fails_does_not_stop_the_others(sets):
    source, target = sets
    broken = {"measure": {"field": "count"}, "divided_by": {"data_set": "pay/none"}, "range": MONTHS}
    save(source, broken, name="A", stored_in=target, stored_every="hour")
    invalid = save(source, {}, name="Invalid", stored_in=target, stored_every="hour")
    SavedQuery.objects.filter(pk=invalid.pk).update(question={"period": "fortnight"})
    save(source, {"range": MONTHS}, name="B", stored_in=target, stored_every="hour")

    deriving.store_due()
    deriving.store_due()  # nothing is due any more

    assert [record["query"] for record in stored(target).values()] == ["B"]
    assert not SavedQuery.objects.filter(stored_at=None).exists()


def test_a_query_cannot_store_its_rows_in_its_own_data_set(sets):
    source, _ = sets
    with pytest.raises(IntegrityError), transaction.atomic():
        save(source, {}, stored_in=source, stored_every="hour")
