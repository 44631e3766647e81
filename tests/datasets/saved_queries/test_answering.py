"""A saved query answers as the API does, and is computed once for many readers."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from config.invalid import InvalidValue
from datasets import errors
from datasets.models import DataSet, SavedQuery, StoredAnswer
from datasets.saved_queries import answering
from datasets.saved_queries.answering import AS_SAVED, View
from datasets.saved_queries.question import AskedRange, Question
from tests.at_once import at_once
from tests.datasets.making import make_data_set, put_in
from tests.datasets.saved_queries.making import save

pytestmark = pytest.mark.django_db

NOW = datetime(2024, 4, 10, 12, 30, tzinfo=UTC)
MONTHS = {"kind": "last", "number": 3}


@pytest.fixture
def visits() -> DataSet:
    """Return visits of three months by channel; in March nobody phoned, and in February nothing was recorded."""
    data_set = make_data_set(type="visits")
    rows = [
        ("2024-01-05", "web", 60),
        ("2024-01-06", "phone", 40),
        ("2024-03-01", "web", 90),
        ("2024-03-02", "counter", 10),
    ]
    put_in(
        data_set,
        [
            {"_timestamp": f"{day}T10:00:00Z", "channel": name, "count": number, "_id": day}
            for day, name, number in rows
        ],
    )
    return DataSet.objects.get(pk=data_set.pk)


def values(answer):
    return [(row.start_at[:7], row.split, row.value) for row in answer.rows]


def ask(data_set, document, view=AS_SAVED, now=NOW):
    return answering.compute(save(data_set, document, name=str(document)[:120]), view, now=now)


def test_a_sum_by_month_and_channel(visits):
    document = {"measure": {"field": "count"}, "period": "month", "split": "channel", "range": MONTHS}

    answer = ask(visits, document)

    assert values(answer) == [
        ("2024-01", "counter", None), ("2024-01", "phone", 40), ("2024-01", "web", 60),
        ("2024-02", "counter", None), ("2024-02", "phone", None), ("2024-02", "web", None),
        ("2024-03", "counter", 10), ("2024-03", "phone", None), ("2024-03", "web", 90),
    ]  # fmt: skip
    assert answer.end_at == "2024-04-01T00:00:00Z"


def test_a_ratio_of_two_measures_of_one_data_set(visits):
    share = {"field": "count", "where": 'channel = "phone"'}
    document = {"measure": share, "divided_by": {"field": "count"}, "period": "month", "range": MONTHS}

    assert values(ask(visits, document)) == [("2024-01", None, 0.4), ("2024-02", None, None), ("2024-03", None, 0)]


def test_a_ratio_of_two_data_sets_has_no_value_where_one_has_no_records(visits):
    costs = make_data_set(type="costs")
    put_in(costs, [{"_timestamp": f"2024-0{month}-01T00:00:00Z", "pounds": 500} for month in (1, 2)])
    measure = {"field": "pounds", "data_set": "pay/costs"}
    document = {"measure": measure, "divided_by": {"field": "count"}, "period": "month", "range": MONTHS}

    assert values(ask(visits, document)) == [("2024-01", None, 5), ("2024-02", None, None), ("2024-03", None, None)]


def test_this_year_against_last_year(visits):
    put_in(
        visits,
        [{"_timestamp": "2023-02-01T00:00:00Z", "count": 50}, {"_timestamp": "2023-04-11T00:00:00Z", "count": 7}],
    )
    document = {"measure": {"field": "count"}, "range": {"kind": "this_year"}, "compare": "previous_year"}

    (row,) = ask(visits, document).rows

    assert (row.value, row.previous) == (200, 50)


def test_the_number_of_records_and_the_largest_groups(visits):
    assert ask(visits, {"range": {"kind": "all"}}).rows[0].value == 4
    document = {"split": "channel", "range": {"kind": "all"}, "measure": {"field": "count"}, "limit": 2}
    assert values(ask(visits, document)) == [("", "web", 150), ("", "phone", 40)]


def test_a_reader_of_a_dashboard_chooses_range_and_filter(visits):
    document = {"measure": {"field": "count"}, "where": "count > 20", "range": MONTHS, "period": "month"}
    view = View(range=AskedRange(kind="last", number=1), where='channel = "web"')

    assert values(ask(visits, document, view)) == [("2024-03", None, 90)]


@pytest.mark.parametrize("part", [5e-324, 1.2e-306])
def test_a_ratio_that_is_too_large_for_a_double_or_as_a_percentage_has_no_value(visits, part):
    put_in(visits, [{"_timestamp": "2024-03-03T00:00:00Z", "_id": "tiny", "part": part}])
    document = {"measure": {"field": "count"}, "divided_by": {"field": "part"}, "range": {"kind": "all"}}

    assert values(answering.answer(save(visits, document), now=NOW)) == [("", None, None)]


def test_moving_means_of_a_ratio(visits):
    document = {"measure": {"field": "count"}, "period": "month", "range": MONTHS, "moving": 2}

    assert [row.moving for row in ask(visits, document).rows] == [None, 100, 100]


A_DATE = {"kind": "between", "start_at": "2024-01-01", "end_at": "2025-01-01"}
OPEN = "Choose a range of time. Periods and comparisons need one."


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "question must be an object."),
        ({"colour": "red"}, "question has no setting colour."),
        ({"measure": {"field": 5}}, "field must be a text."),
        ({"measure": {"field": "_id"}}, "“_id” is not a field name."),
        ({"measure": {"field": "n", "method": "set"}}, "method must be one of sum, mean, "),
        ({"measure": {"field": "n", "where": "n >"}}, "where, character 4: expected a value, found the end."),
        ({"period": "decade"}, "period must be one of hour, day, week, month, quarter, year."),
        ({"range": {"kind": "last", "number": 0}}, "number of periods must be a whole number from 1 to 1000."),
        ({"range": {"kind": "last", "number": True}}, "number must be a whole number."),
        ({"range": {"kind": "last", "number": 1000, "unit": "quarter"}, "period": "year"}, None),
        ({"range": A_DATE}, "start_at must be an ISO 8601 date-time"),
        ({"range": {"kind": "all"}, "period": "day"}, OPEN),
        ({"range": {"kind": "all"}, "compare": "previous_year"}, OPEN),
        ({"moving": 3}, "Choose periods. Means over the last periods need them."),
        ({"period": "day", "moving": 1}, "moving must be a whole number from 2 to 366."),
        ({"time_zone": "Mars"}, "Choose a time zone by its IANA name, such as Europe/London."),
        ({"where": "a = 1) or (b = 1", "measure": {"where": "c = 1"}}, "where, character 6"),
        ({"where": "a = \ud800"}, "where must not contain NUL or lone surrogates."),
        ({"period": "day", "limit": 5}, "Leave out the limit. It works without periods only."),
        ({"split": "_x"}, "group_by: not a field that can be grouped by."),
        ({"measure": {"field": "n"}, "split": "n"}, "collect: a group_by field cannot be collected."),
    ],
)  # fmt: skip
def test_wrong_questions(document, message):
    if message is None:
        Question.of(document)
        return
    with pytest.raises(InvalidValue, match="^" + message.replace("(", r"\(").replace("*", r"\*")):
        Question.of(document)


def test_the_stored_answer_is_used_until_a_data_set_changes(visits):
    query = save(visits, {"measure": {"field": "count"}, "range": {"kind": "all"}})
    assert answering.answer(query).rows[0].value == 200
    StoredAnswer.objects.update(answer={**StoredAnswer.objects.get().answer, "rows": [{"value": 1}]})
    assert answering.answer(query).rows[0].value == 1

    put_in(visits, [{"_timestamp": "2024-03-03T00:00:00Z", "count": 5}])
    query.data_set.refresh_from_db()

    assert answering.answer(query).rows[0].value == 205


def test_answers_for_many_filters_do_not_grow_without_limit(visits):
    query = save(visits, {"range": {"kind": "all"}})
    for number in range(answering.MAX_STORED + 5):
        answering.answer(query, View(where=f"count = {number}"))

    assert StoredAnswer.objects.count() <= answering.MAX_STORED


def test_an_error_leaves_no_claim(visits):
    query = save(
        visits, {"measure": {"field": "count"}, "divided_by": {"data_set": "pay/none"}, "range": {"kind": "all"}}
    )

    for _ in range(2):
        with pytest.raises(errors.NoSuchDataSet):
            answering.answer(query)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("model", [SavedQuery, DataSet])
def test_a_query_that_is_deleted_while_it_is_asked_is_no_failure_of_the_server(visits, model):
    query = save(visits, {"range": {"kind": "all"}})
    model.objects.get(pk=query.pk if model is SavedQuery else visits.pk).delete()

    with pytest.raises(errors.SavedQueryInvalid, match=r"It was deleted\."):
        answering.answer(query)


@pytest.mark.django_db(transaction=True)
def test_many_readers_at_once_cause_one_computation(visits):
    query = save(visits, {"measure": {"field": "count"}, "period": "month", "range": MONTHS})
    computed = []

    def counted(execute, sql, parameters, many, context):
        computed.extend(["computed"] if "counted" in sql else [])
        return execute(sql, parameters, many, context)

    def read(_):
        with connection.execute_wrapper(counted):
            return answering.answer(query, now=NOW)

    answers = at_once(read, 8)

    assert all(one == answers[0] for one in answers)
    assert len(computed) == 1
