"""An alarm reads the last value of a saved query, or its change."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.urls import reverse

from datasets.alarms import watching
from datasets.models import Alarm, DataSet, SavedQuery
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save
from tests.datasets.test_data_set_pages import signed_in, text_of

pytestmark = pytest.mark.django_db

NOW = datetime(2024, 3, 10, 12, tzinfo=UTC)
DAYS = {"kind": "last", "number": 2}
DAILY = {"measure": {"field": "count"}, "period": "day", "range": DAYS}


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def visits() -> DataSet:
    data_set = make_data_set(type="visits")
    days = {"2024-03-06": 100, "2024-03-07": 80, "2024-03-08": 100, "2024-03-09": 60}
    put_in(data_set, [{"_id": day, "_timestamp": f"{day}T09:00:00Z", "count": n} for day, n in days.items()])
    return DataSet.objects.get(pk=data_set.pk)


def make_alarm(data_set, query, measure="query", condition="below", limit=70.0, name="Few visits") -> Alarm:
    values = {"measure": measure, "condition": condition, "limit": limit, "saved_query": query}
    return Alarm.objects.create(data_set=data_set, name=name, **values)


def checked(alarm) -> Alarm:
    watching.check_alarms()
    alarm.refresh_from_db()
    return alarm


def test_the_last_complete_day_is_compared_with_the_limit(visits, clock):
    alarm = checked(make_alarm(visits, save(visits, DAILY)))
    assert (alarm.value, alarm.is_raised) == (60, True)

    put_in(visits, [{"_id": "more", "_timestamp": "2024-03-09T10:00:00Z", "count": 20}])

    assert (checked(alarm).value, alarm.is_raised) == (80, False)


def test_a_share_is_in_percent(visits):
    part = {"field": "count", "where": "count = 60"}
    query = save(visits, {**DAILY, "measure": part, "divided_by": {"field": "count"}}, unit="%")

    assert checked(make_alarm(visits, query, condition="above", limit=50)).value == 100


def test_a_change_is_in_percent_of_the_earlier_range(visits):
    query = save(visits, {**DAILY, "compare": "previous_period"})

    alarm = checked(make_alarm(visits, query, measure="change", limit=-20))

    assert (alarm.value, alarm.is_raised) == (-25, True)


def test_a_change_beyond_all_numbers_raises_the_alarm(visits):
    put_in(visits, [{"_id": "2024-03-07", "_timestamp": "2024-03-07T09:00:00Z", "count": 5e-324}])
    query = save(visits, {**DAILY, "compare": "previous_period"})

    alarm = checked(make_alarm(visits, query, measure="change", condition="above", limit=50))

    assert (alarm.value > 1e300, alarm.is_raised) == (True, True)


def test_a_query_without_a_value_or_with_an_error_raises_nothing(visits):
    broken = {**DAILY, "divided_by": {"data_set": "pay/none"}}
    empty = save(visits, {**DAILY, "where": "count > 1000"}, name="Empty")
    first = make_alarm(visits, save(visits, broken))
    second = Alarm.objects.create(
        data_set=visits, name="Empty", measure="query", condition="below", limit=5, saved_query=empty
    )

    SavedQuery.objects.filter(pk=save(visits, DAILY, name="Invalid").pk).update(question={"period": "fortnight"})
    third = make_alarm(visits, SavedQuery.objects.get(name="Invalid"), name="Invalid")

    assert (checked(first).value, checked(second).value, checked(third).value) == (None, None, None)
    assert not first.is_raised
    assert not second.is_raised


def test_an_alarm_whose_query_cannot_be_answered_keeps_its_state(visits):
    query = save(visits, DAILY)
    alarm = checked(make_alarm(visits, query))
    assert alarm.is_raised

    query.question = {**query.question, "divided_by": {"data_set": "pay/none"}}
    query.save()

    assert checked(alarm).is_raised


def test_the_data_set_is_deleted_with_its_queries_and_alarms(visits):
    make_alarm(visits, save(visits, DAILY))

    visits.delete()

    assert not Alarm.objects.exists()


def test_a_measure_of_queries_has_a_query_and_no_other_one_has(visits):
    for measure, query in (("query", None), ("minutes", save(visits, DAILY))):
        with pytest.raises(IntegrityError), transaction.atomic():
            make_alarm(visits, query, measure=measure)


@pytest.mark.parametrize(
    ("measure", "document", "error"),
    [
        ("query", None, "Choose a saved query of the data set of the alarm."),
        (
            "query",
            {**DAILY, "split": "channel"},
            "Choose a saved query that is not split. An alarm compares one value.",
        ),
        ("change", DAILY, "Choose a saved query that is compared with an earlier range."),
        ("minutes", DAILY, "Choose no saved query. This measure does not read one."),
        ("query", DAILY, None),
    ],
)
def test_the_form_checks_that_query_and_measure_belong_together(visits, measure, document, error):
    manager = signed_in("mina", manages=True)
    query = save(visits, document) if document else None
    values = {"data_set": visits.pk, "name": "A", "measure": measure, "condition": "below", "limit": "5"}
    values |= {"grace_minutes": "0", "interval_minutes": "60", "message": "((value))"}

    answer = manager.post(reverse("admin:datasets_alarm_add"), {**values, "saved_query": query.pk if query else ""})

    if error is None:
        assert answer.status_code == 302, answer.content.decode()
    else:
        assert error in text_of(answer)
