"""No published answer shows a small number of people, or lets a reader compute one.

Source: docs/reference/saved-queries.md §5.
"""

import itertools
import os

import pytest
from django.test import Client
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets.models import DataSet, SavedQuery
from datasets.saved_queries import deriving, small_numbers, tokens
from datasets.saved_queries.answer import AnswerRow, QueryAnswer
from datasets.saved_queries.question import Question
from tests.datasets.making import make_data_set, put_in, stored
from tests.datasets.saved_queries.making import save

BY_BOTH = Question.of({"measure": {"field": "count"}, "period": "month", "split": "channel"})
YEAR_BEFORE = Question.of({"measure": {"field": "count"}, "period": "month", "compare": "previous_year"})
ALL = {"kind": "all"}


def answer_of(table: list[list[int]]) -> QueryAnswer:
    """Return the answer of a table with a line for each month and a column for each channel."""
    rows = [
        AnswerRow(start_at=f"{2000 + month}-01-01T00:00:00Z", split=f"c{channel}", value=value)
        for month, line in enumerate(table)
        for channel, value in enumerate(line)
    ]
    return QueryAnswer(rows=rows)


TABLES = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 12), min_size=width, max_size=width), min_size=1, max_size=6)
)


@settings(max_examples=int(os.environ.get("EXAMPLES", "100")))
@example([[40, 60], [20, 80], [3, 90]])
@example([[0, 0], [0, 9]])
@given(TABLES)
def test_no_row_and_no_column_reveals_a_hidden_value_by_its_total(table):
    """The total minus the shown values is the sum of the hidden ones, so it must not be that of one, or a small one."""
    shown = small_numbers.hide(answer_of(table), BY_BOTH, 5).rows
    width = len(table[0])
    cells = {divmod(place, width): row for place, row in enumerate(shown)}

    assert all(row.value is None or row.value >= 5 for row in shown)
    assert all((row.value is None) == (row.hidden == ("value",)) for row in shown)
    lines = [[(month, channel) for channel in range(width)] for month in range(len(table))]
    lines += [[(month, channel) for month in range(len(table))] for channel in range(width)]
    for line in lines:
        hidden = [table[month][channel] for month, channel in line if cells[month, channel].value is None]
        if hidden and len(hidden) < len(line):
            assert len(hidden) > 1
            assert sum(hidden) >= 5


def test_a_table_without_small_values_is_shown_whole():
    answer = answer_of([[5, 6], [7, 8]])

    assert [row.value for row in small_numbers.hide(answer, BY_BOTH, 5).rows] == [5, 6, 7, 8]
    assert small_numbers.hide(answer, BY_BOTH, None) is answer


def test_two_pairs_are_enough_in_a_table_of_rows_and_columns():
    shown = small_numbers.hide(answer_of([[40, 60], [20, 80], [3, 90]]), BY_BOTH, 5)

    assert [row.value for row in shown.rows] == [40, 60, None, None, None, None]


@pytest.mark.parametrize(
    ("total", "web", "phone", "expected"),
    [
        (93, 90, 3, (93, None, None)),  # 93 - 90 is the small one
        (97, 90, 7, (97, 90, 7)),
        (100, 90, 7, (100, 90, None)),  # 100 - 90 - 7 is the small number of records with another value
        (110, 90, 3, (110, 90, None)),  # 17 records have another value, so 110 - 90 says nothing
        (110, 90, 7, (110, 90, 7)),
    ],
)
def test_the_choices_of_a_filter_are_hidden_together(total, web, phone, expected):
    question = Question.of({"measure": {"field": "count"}, "range": ALL})
    answers = {
        choice: QueryAnswer(rows=[AnswerRow(value=value)])
        for choice, value in (("", total), ("web", web), ("phone", phone))
    }

    found = small_numbers.hide_in_choices(answers, question, 5)

    assert tuple(one.rows[0].value for one in found.values()) == expected


@settings(max_examples=int(os.environ.get("EXAMPLES", "100")))
@given(st.lists(st.lists(st.integers(0, 15), min_size=3, max_size=3), min_size=1, max_size=4))
def test_no_choice_is_the_only_hidden_number_of_a_sum(months):
    """Each month has numbers of web, phone and others. The readers choose web, phone or all three together."""
    numbers = {"": [sum(month) for month in months]}
    numbers |= {name: [month[place] for month in months] for place, name in enumerate(("web", "phone"))}
    answers = {
        choice: QueryAnswer(
            rows=[AnswerRow(start_at=f"{2000 + month}-01-01T00:00:00Z", value=n) for month, n in enumerate(found)]
        )
        for choice, found in numbers.items()
    }

    shown = small_numbers.hide_in_choices(answers, Question.of({"period": "month"}), 5)

    if not any(0 < others < 5 for *_, others in months) and all(n >= 5 for found in numbers.values() for n in found):
        assert not any(one.has_hidden for one in shown.values())
    for month, (*_, others) in enumerate(months):
        values = [shown[choice].rows[month].value for choice in numbers]
        unknown = [number[month] for number, value in zip(numbers.values(), values, strict=True) if value is None]
        unknown += [others] if others else []
        assert len(unknown) != 1 or unknown[0] >= 5


def test_values_of_the_year_before_are_hidden_if_the_range_has_the_same_months():
    months = [f"{2022 + year}-{month:02}-01T00:00:00Z" for year, month in itertools.product(range(2), range(1, 13))]
    rows = [AnswerRow(start_at=start, value=3 if place == 1 else 50, previous=50) for place, start in enumerate(months)]

    shown = small_numbers.hide(QueryAnswer(rows=rows), YEAR_BEFORE, 5).rows

    assert [place for place, row in enumerate(shown) if row.value is None] == [0, 1]
    assert all("previous" in row.hidden for row in shown)


@pytest.mark.parametrize(
    ("document", "is_hidden"),
    [
        ({"measure": {"field": "count"}}, True),
        ({}, True),
        ({"measure": {"field": "count", "method": "mean"}}, False),
        ({"divided_by": {"field": "count"}}, False),
    ],
)
def test_only_numbers_of_people_are_hidden_without_a_setting(document, is_hidden):
    question = Question.of({"range": ALL, **document})

    assert (small_numbers.usual_limit(question, [DataSet(personal=True)]) is not None) is is_hidden
    assert small_numbers.usual_limit(question, [DataSet(personal=False)]) is None


# Every way out


@pytest.fixture
def people(db) -> DataSet:
    data_set = make_data_set(type="people", personal=True)
    numbers = {"north": 40, "south": 3, "west": 12}
    put_in(data_set, [{"_id": name, "_timestamp": MARCH, "region": name, "n": n} for name, n in numbers.items()])
    return DataSet.objects.get(pk=data_set.pk)


MARCH = "2024-03-01T00:00:00Z"


@pytest.fixture
def query(people) -> SavedQuery:
    question = {"measure": {"field": "n"}, "split": "region", "range": ALL}
    return save(people, question, name="People", chart="bar", is_public=True)


def get(query: SavedQuery, form: str, **headers: str):
    return Client().get(f"/queries/{query.public_id}.{form}", headers=headers)


def test_a_public_query_of_a_personal_data_set_hides_small_numbers_in_every_form(query):
    document = get(query, "json").json()

    assert document["hide_below"] == 5
    assert {row["region"]: (row["value"], row["hidden"]) for row in document["data"]} == {
        "north": (40, []), "south": (None, ["value"]), "west": (None, ["value"])
    }  # fmt: skip
    lines = get(query, "csv").content.decode().splitlines()
    assert sorted(lines[1:]) == ["north,40", "south,not shown", "west,not shown"]
    assert get(query, "png").content.startswith(b"\x89PNG")


def test_a_chart_has_no_trace_of_a_hidden_value(query, people):
    before = {form: get(query, form).content for form in ("svg", "png")}
    put_in(people, [{"_id": "south", "_timestamp": MARCH, "region": "south", "n": 1}])

    assert {form: get(query, form).content for form in before} == before


def test_the_answer_of_a_token_and_of_other_data_sets_is_whole(query, people):
    tag = get(query, "json").headers["ETag"]
    DataSet.objects.update(personal=False)
    assert get(query, "json", if_none_match=tag).json()["hide_below"] is None

    DataSet.objects.update(personal=True)
    SavedQuery.objects.update(is_public=False)
    _, secret = tokens.issue(query)
    document = get(query, "json", authorization=f"Bearer {secret}").json()
    assert sorted(row["value"] for row in document["data"]) == [3, 12, 40]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (3, [("north", 40), ("south", None), ("west", None)]),  # not in the order of their values
        (
            2,
            [("north", 40), ("west", None)],
        ),  # a total without 40 and 12 would be the small one that the limit leaves out
    ],
)
def test_the_largest_groups_reveal_no_small_one_by_their_order_or_their_total(people, limit, expected):
    question = {"measure": {"field": "n"}, "split": "region", "range": ALL, "limit": limit}

    document = get(save(people, question, is_public=True), "json").json()

    assert [(row["region"], row["value"]) for row in document["data"]] == expected


@pytest.mark.parametrize(("personal", "expected"), [(False, [40, None, None]), (True, [40, 3, 12])])
def test_rows_that_are_stored_elsewhere_hide_small_numbers_unless_the_target_is_personal(query, personal, expected):
    query.stored_in = make_data_set(type="figures", personal=personal)
    query.save()

    deriving.store_rows(query, now=query.created_at)

    by_region = {record["region"]: record["value"] for record in stored(query.stored_in).values()}
    assert [by_region[region] for region in ("north", "south", "west")] == expected
