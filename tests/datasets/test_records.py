"""The rules of a record. A valid record comes back equal."""

import json
import math
from collections.abc import Sequence
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasets import records
from datasets.errors import NoRecords, NotAnEmptyArray, RecordsRejected
from datasets.models import DataSet
from datasets.records import ParsedRecord, auto_ids, moments
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records, stored

TIMESTAMP = "2024-01-01T00:00:00Z"

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
names = st.from_regex(r"\A[^_\x00-\x1f\x7f-\x9f\ud800-\udfff][^\x00-\x1f\x7f-\x9f\ud800-\udfff]{0,20}\Z")
plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**400, max_value=10**600)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=15)
ids = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=40)
good = st.builds(
    lambda own, record_id, moment: {**own, "_id": record_id, "_timestamp": moments.write(moment)},
    st.dictionaries(names, values, max_size=6),
    ids,
    st.datetimes(),
)


def parse(value: object, *, auto_ids: Sequence[str]) -> list[ParsedRecord]:
    return list(records.check(value, auto_ids=auto_ids))


def rejections_of(*elements: object, made_from: tuple[str, ...] = ()) -> list[tuple[int, str | None, str]]:
    with pytest.raises(RecordsRejected) as refused:
        parse(list(elements), auto_ids=made_from)
    return [(each.index, each.field, each.message) for each in refused.value.rejections]


def same(one: object, other: object) -> bool:
    """Return whether values and types are equal at any depth: True is not 1, and -0.0 is not 0.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.django_db
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(batch=st.lists(good, min_size=1, max_size=8, unique_by=lambda record: record["_id"]), times=st.integers(1, 40))
def test_any_accepted_record_comes_back_equal(batch, times):
    data_set = DataSet.objects.at("pay", "volumes").first() or make_data_set()
    data_set.records.all().delete()  # those of the previous example
    more = [
        {**batch[0], "_id": f"{batch[0]['_id'][:20]}-{n}"} for n in range(times * 5)
    ]  # few and many have different statements

    put_in(data_set, [*more, *batch])

    kept = stored(data_set)
    for record in batch:
        given_back = kept[record["_id"]]
        assert all(same(given_back[name], value) for name, value in record.items()), (record, given_back)


@given(value=st.recursive(plain | st.just(math.inf) | st.text(), lambda i: st.lists(i) | st.dictionaries(st.text(), i)))
def test_any_value_is_parsed_or_rejected_with_a_reason(value):
    try:
        assert parse(value, auto_ids=())
    except RecordsRejected as refusal:
        assert refusal.rejections  # noqa: PT017  both results are valid
    except NoRecords:
        assert not isinstance(value, dict)
        assert not isinstance(value, list) or not value


@pytest.mark.parametrize("body", [None, [], "", "x", 0, 1.5, True, False])
def test_a_post_is_an_array_of_one_or_more(body):
    with pytest.raises(NoRecords):
        parse(body, auto_ids=())


@pytest.mark.parametrize("body", [None, {}, [[]], [{}], "[]", 0, False, ""])
def test_a_put_is_an_empty_array(body):
    with pytest.raises(NotAnEmptyArray):
        records.check_empty_array(body)
    records.check_empty_array([])


def test_one_rejection_for_each_field_in_the_stated_order():
    record = {"z\t": 1, "_x": 2, "_end_at": 5, "_id": "a b", "_start_at": "x", "m": math.inf, "_updated_at": math.inf}

    assert rejections_of({}, record, 7) == [
        (0, "_timestamp", "is required"),
        (1, "_timestamp", "is required"),
        (1, "_id", "must not contain white space or control characters"),
        (1, "_start_at", "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z"),
        (1, "_end_at", "must be a string"),
        (1, "z\t", "is not a valid field name"),
        (1, "_x", "is a reserved name"),
        (1, "m", "contains a number that is out of range"),
        (2, None, "must be an object"),
    ]


@pytest.mark.parametrize(
    ("record_id", "message"),
    [
        ("", "must not be empty"),
        ("x" * 1025, "must be at most 1024 characters"),
        (" " * 1025, "must be at most 1024 characters"),
        ("é" * 1001, "must be at most 2000 bytes"),
        ("📦" * 501, "must be at most 2000 bytes"),
        ("a\u3000b", "must not contain white space or control characters"),
        ("a\0", "must not contain white space or control characters"),
        ("\ud800", "contains U+0000 or a lone surrogate"),
        (None, "must be a string"),
        (["a"], "must be a string"),
    ],
)
def test_a_bad_id_is_rejected(record_id, message):
    assert rejections_of({"_timestamp": TIMESTAMP, "_id": record_id}) == [(0, "_id", message)]


@pytest.mark.django_db
@pytest.mark.parametrize("record_id", ["x" * 1024, "é" * 1000, "📦" * 500, "Ω" * 900])
def test_an_id_of_up_to_two_thousand_bytes_is_stored_replaced_and_found(record_id):
    data_set = make_data_set()

    for more in (0, 150):  # few and many records are stored by different statements
        put_in(data_set, [{"_timestamp": TIMESTAMP, "_id": record_id, "more": more}, *some_records(more)])

    assert stored(data_set)[record_id]["more"] == 150
    answer = call("GET", data_set, make_token(data_set), query=urlencode({"filter_by": f"_id:{record_id}"}))
    assert [record["_id"] for record in json.loads(answer.content)["data"]] == [record_id]


@pytest.mark.parametrize("zone", ["+24:00", "-24", "+00:60", "+0160"])
def test_an_impossible_offset_is_not_a_moment(zone):
    assert rejections_of({"_timestamp": f"2024-01-01T00:00:00{zone}"})[0][2] == "is not a real date and time"


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2024-01-01T24:00:00Z"])
def test_a_moment_outside_the_calendar_is_rejected(text):
    assert rejections_of({"_timestamp": text})[0][2] == "is not a real date and time"


@pytest.mark.parametrize(
    "text", ["٢٠٢٤-01-01T00:00:00Z", "2024-01-01T00:00:00Z\n", "2024-01-01T00:00.5Z", " " + TIMESTAMP]
)
def test_a_moment_of_another_form_is_rejected(text):
    assert rejections_of({"_timestamp": text})[0][2].startswith("must be an ISO 8601 date-time")


def nested(levels: int) -> object:
    value: object = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.fault("E4")
def test_thirty_two_levels_pass_and_thirty_three_do_not():
    assert parse({"_timestamp": TIMESTAMP, "v": nested(32)}, auto_ids=())
    assert rejections_of({"_timestamp": TIMESTAMP, "v": nested(33)}) == [(0, "v", "is nested deeper than 32 levels")]


def test_many_brackets_side_by_side_are_not_deep():
    assert parse({"_timestamp": TIMESTAMP, "v": [[]] * 5000, "w": "[" * 100}, auto_ids=())


@pytest.mark.parametrize("text", ["\\u0000", "\\\\u0000", "\\ud800"])
def test_text_that_only_looks_like_an_escape_is_fine(text):
    assert json.loads(parse({"_timestamp": TIMESTAMP, "t": text}, auto_ids=())[0].body) == {"t": text}


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\udfffx"])
@pytest.mark.parametrize(
    "wrap", [lambda t: t, lambda t: [1, t], lambda t: {"a": {t: 1}}], ids=["plain", "array", "name"]
)
@pytest.mark.fault("E5")
def test_text_that_a_database_cannot_store_is_rejected(text, wrap):
    assert rejections_of({"_timestamp": TIMESTAMP, "t": wrap(text)}) == [
        (0, "t", "contains U+0000 or a lone surrogate")
    ]


def test_a_record_without_an_id_gets_a_new_one():
    made = parse([{"_timestamp": TIMESTAMP}, {"_timestamp": TIMESTAMP}], auto_ids=())

    assert len({record.id for record in made}) == 2


def test_auto_ids_never_change_their_form():
    record = {"_timestamp": "2024-01-01T01:00:00+01:00", "channel": "web", "n": 1.0, "o": {"b": 1, "a": [True, None]}}

    made = auto_ids.make(record, ["_timestamp", "channel", "n", "o"])

    assert made == "d81ac82309d9ae3504ac7b9cde5fc2e05a94102327fd4abdff4a1642e6a6caeb"


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (True, 1), (None, "null"), (0, False), ([1, 2], [2, 1]), ("a.b", "a"), (2**53, 2**53 + 1), ([], {})],
)
def test_different_values_have_different_auto_ids(one, other):
    assert auto_ids.make({"p": one}, ["p"]) != auto_ids.make({"p": other}, ["p"])


def test_adjacent_values_have_different_auto_ids():
    assert auto_ids.make({"p": "a.b", "q": "c"}, ["p", "q"]) != auto_ids.make({"p": "a", "q": "b.c"}, ["p", "q"])


def test_with_auto_ids_a_sent_id_is_ignored():
    sent = {"_timestamp": TIMESTAMP, "_id": 5, "p": 1}

    assert parse(sent, auto_ids=("p",))[0].id == auto_ids.make({"p": 1}, ["p"])


def test_absent_fields_come_last_and_timestamp_is_named_once():
    assert rejections_of({"a\n": 1}, made_from=("_timestamp", "q", "_end_at")) == [
        (0, "_timestamp", "is required"),
        (0, "a\n", "is not a valid field name"),
        (0, "q", "is required to make the _id"),
        (0, "_end_at", "is required to make the _id"),
    ]
