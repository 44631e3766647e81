"""Each condition that people hear of: written, late, emptied, other fields, and a change in either direction.

Source: docs/reference/alarms.md §2.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config import audit
from datasets import store
from datasets.alarms import watching
from datasets.models import Alarm, DataSet, FieldDrift
from datasets.records.schemas.words import Drift
from tests.datasets.making import make_data_set, put_in, some_records

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def data_set() -> DataSet:
    return make_data_set(expected_every_seconds=3600)


def make_alarm(data_set: DataSet, measure: str, condition: str, limit: float) -> Alarm:
    return Alarm.objects.create(data_set=data_set, name="Alarm", measure=measure, condition=condition, limit=limit)


def is_raised(alarm: Alarm) -> bool:
    watching.check_alarms()
    alarm.refresh_from_db()
    return alarm.is_raised


def write(data_set: DataSet) -> None:
    put_in(data_set, some_records(1))


def last_written(data_set: DataSet, ago: timedelta) -> None:
    DataSet.objects.filter(pk=data_set.pk).update(last_write_at=timezone.now() - ago)


def test_a_write_raises_the_alarm_on_written_data_sets_until_its_minutes_have_passed(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "minutes", "below", 5)
    assert not is_raised(alarm)  # before the first write

    write(data_set)
    assert is_raised(alarm)

    last_written(data_set, 5 * MINUTE)
    assert not is_raised(alarm)


def test_a_late_data_set_raises_the_alarm_and_its_recovery_ends_it(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "late", "above", 0)
    assert (is_raised(alarm), alarm.value) == (False, None)  # no data yet

    last_written(data_set, 59 * MINUTE)
    assert (is_raised(alarm), alarm.value) == (False, 0)
    last_written(data_set, 75 * MINUTE)
    assert is_raised(alarm)
    assert round(alarm.value) == 15

    write(data_set)
    assert (is_raised(alarm), alarm.value) == (False, 0)

    last_written(data_set, 75 * MINUTE)
    DataSet.objects.update(expected_every_seconds=None)
    assert (is_raised(alarm), alarm.value) == (False, None)  # not watched any more


def test_an_emptied_data_set_raises_the_alarm_even_if_it_is_filled_before_the_next_check(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "emptied", "below", 60)
    write(data_set)
    assert not is_raised(alarm)

    store.empty(data_set, by=audit.CLOCK)
    write(DataSet.objects.get(pk=data_set.pk))
    assert is_raised(alarm)

    store.undo(data_set, by=audit.CLOCK)
    assert (is_raised(alarm), alarm.value) == (False, None)


def test_an_emptying_is_over_after_its_minutes(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "emptied", "below", 60)
    write(data_set)
    store.empty(data_set, by=audit.CLOCK)
    data_set.emptied_stores.update(emptied_at=timezone.now() - 61 * MINUTE)

    assert not is_raised(alarm)
    assert round(alarm.value) == 61


def test_records_that_differ_from_the_schema_raise_the_alarm_for_two_days(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "drift", "above", 1)
    today = timezone.now().date()
    other = make_data_set(type="other")
    FieldDrift.objects.add(other.pk, {("count", Drift.NEW): 9})
    FieldDrift.objects.add(data_set.pk, {("count", Drift.NEW): 9}, today - timedelta(days=2))
    assert (is_raised(alarm), alarm.value) == (False, 0)

    FieldDrift.objects.add(data_set.pk, {("count", Drift.NEW): 1}, today - timedelta(days=1))
    FieldDrift.objects.add(data_set.pk, {("channel", Drift.TYPE): 1})
    assert (is_raised(alarm), alarm.value) == (True, 2)


def test_new_fields_are_found_by_the_sample_of_the_clock(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, "drift", "above", 0)
    write(data_set)
    store.fields_seen.note(DataSet.objects.get(pk=data_set.pk))
    put_in(data_set, [{"_id": "new", "_timestamp": "2026-01-01T00:00:00Z", "colour": "red"}])
    store.fields_seen.note(DataSet.objects.get(pk=data_set.pk))

    assert is_raised(alarm)


@pytest.mark.parametrize(("value", "met"), [(-11.0, True), (-10.0, False), (10.0, False), (11.0, True), (None, False)])
def test_a_change_in_either_direction_is_further_from_0_than_the_limit(value: Any, met: bool) -> None:
    assert watching.is_met(Alarm(condition="beyond", limit=10, value=value)) is met
