"""Counters and samples beside the records: refused writes, calls, fields, freshness. Console §2.15, data sets §15."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.audit import COMMAND
from config.audit.models import AuditEvent
from config.metrics import registry
from datasets import store, tasks
from datasets.models import AccessToken, AccessTokenDay, DataSet, DataSetDay, FieldSeen, WriteError
from datasets.store import call_counts
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def turned_late() -> float:
    registry.flush()
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(value) FROM metric_value WHERE name = 'signalbox_data_sets_turned_late'")
        return float(cursor.fetchone()[0] or 0)


@pytest.fixture(autouse=True)
def _nothing_pending(db):
    """Drop pending calls of earlier tests, whose tokens are deleted."""
    call_counts.store_pending()


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b"{", (400, None, "", "The body is not valid JSON: line 1, column 2.")),
        (b"\xff", (400, None, "", "The body is not UTF-8 text.")),
        ([], (400, None, "", "The body must be a JSON array of one or more records.")),
        ([{"_timestamp": "2024-01-01T00:00:00Z"}, {}], (400, 1, "_timestamp", "is required")),
        ([3], (400, 0, "", "must be an object")),
        ([{"_timestamp": "2024-01-01T00:00:00Z", "_secret@x.org": 1}], (400, 0, "", "is a reserved name")),
        (
            [{"_timestamp": "2024-01-01T00:00:00Z", "a": {"b": "\0"}}],
            (400, 0, "a", "contains U+0000 or a lone surrogate"),
        ),
    ],
)
def test_a_rejected_write_is_stored_with_place_and_reason_without_content(body, kept):
    data_set = make_data_set()
    secret = make_token(data_set, "write")

    answer = call("POST", data_set, secret, body)

    refusal = WriteError.objects.get()
    assert (refusal.status, refusal.index, refusal.field) == kept[:3]
    assert refusal.reason.startswith(kept[3].partition(":")[0])
    assert str(refusal.request_id) == answer.headers["X-Request-Id"]
    assert DataSetDay.objects.get().refused == 1


def test_the_newest_twenty_write_errors_of_a_data_set_are_kept():
    data_set, other = make_data_set(), make_data_set(type="other")
    call("POST", other, make_token(other, "write"), [])
    secret = make_token(data_set, "write")
    numbers = range(25)

    for n in numbers:
        call("POST", data_set, secret, [{"_timestamp": "2024-01-01T00:00:00Z"}] * n + [{}])

    kept = WriteError.objects.filter(data_set=data_set).values_list("index", flat=True)
    assert list(kept) == list(reversed(numbers))[:20]
    assert WriteError.objects.filter(data_set=other).count() == 1
    assert DataSetDay.objects.get(data_set=data_set).refused == 25


def test_calls_without_a_valid_token_are_only_counted():
    data_set = make_data_set()
    secret = make_token(data_set, "write")
    AccessToken.objects.update(revoked_at=NOW)

    for sent in (secret, "ds_" + "x" * 43):
        assert call("POST", data_set, sent, some_records(1)).status_code == 401
    Client().get("/data/pay/volumes")
    Client().get("/data/no/such")
    Client().get("/data/Not/AWord")
    call_counts.store_pending()

    day = DataSetDay.objects.get()
    assert (day.data_set_id, day.without_token, day.refused) == (data_set.pk, 3, 0)
    assert not WriteError.objects.exists()
    assert not AccessTokenDay.objects.exists()


def test_calls_are_counted_by_token_and_day_without_a_write_for_each():
    data_set = make_data_set()
    first, second = make_token(data_set), make_token(data_set, "read")

    with time_machine.travel(NOW, tick=False) as clock:
        for _ in range(5):
            call("GET", data_set, first)
        call("GET", data_set, second)
        clock.move_to(NOW + timedelta(days=1))
        call("POST", data_set, first, some_records(1))
        call_counts.store_pending()

    days = AccessTokenDay.objects.order_by("token_id", "day").values_list("token__may_write", "day", "calls")
    assert [(write, str(day), calls) for write, day, calls in days] == [
        (True, "2024-06-01", 5),
        (True, "2024-06-02", 1),
        (False, "2024-06-01", 1),
    ]


def test_a_token_shows_when_and_from_where_it_was_last_used():
    data_set = make_data_set()

    call("GET", data_set, make_token(data_set))

    token = AccessToken.objects.get()
    assert (token.last_used_at is not None, token.last_used_from) == (True, "127.0.0.1")


def fields(data_set):
    return {
        field.name: (field.types, field.filled_percent, field.example)
        for field in FieldSeen.objects.filter(data_set=data_set)
    }


def test_fields_are_stored_with_types_share_and_an_example():
    data_set = make_data_set()
    at = "2024-01-01T00:00:00Z"
    put_in(
        data_set,
        [{"_timestamp": at, "a": 1, "b": None}, {"_timestamp": at, "a": "x" * 100}, {"_timestamp": at, "c": [1]}],
    )
    put_in(data_set, [{"_timestamp": at, "a": True, 'q"u': {"x": 1}}])

    tasks.note_fields()

    found = fields(data_set)
    assert {name: field[:2] for name, field in found.items()} == {
        "a": (["number", "text", "boolean"], 75),
        "b": (["null"], 0),
        "c": (["array"], 25),
        'q"u': (["object"], 25),
    }
    assert json.loads(found['q"u'][2]) == {"x": 1}
    assert all(len(example) <= 60 for _, _, example in found.values())


def test_examples_are_removed_with_their_records_and_names_with_the_last_one():
    data_set = make_data_set(max_records=1)
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "old": "a secret of long ago"}])
    put_in(data_set, [{"_timestamp": "2024-01-02T00:00:00Z", "new": 1}])
    tasks.note_fields()

    sum(store.remove_beyond(data_set.pk, 1))
    tasks.note_fields()
    after_clean_up = fields(data_set)
    store.empty(DataSet.objects.get(pk=data_set.pk), by=COMMAND)
    tasks.note_fields()

    assert after_clean_up == {"new": (["number"], 100, "1"), "old": (["text"], 0, "")}
    assert fields(data_set) == {}


def test_a_sample_of_many_records_is_read_and_unchanged_data_sets_are_skipped(django_assert_max_num_queries):
    data_set = make_data_set()
    start = datetime(2024, 1, 1, tzinfo=UTC)
    put_in(data_set, [{"_timestamp": (start + timedelta(minutes=n)).isoformat(), "n": n} for n in range(3_000)])
    put_in(data_set, [{"_timestamp": "2024-02-01T00:00:00Z", "n": 1, "late": 1} for _ in range(500)])

    tasks.note_fields()

    assert 50 <= fields(data_set)["late"][1] <= 100
    assert fields(data_set)["n"][1] == 100
    with django_assert_max_num_queries(1):
        tasks.note_fields()


def test_a_data_set_becomes_late_once_and_recovers_once():
    before = turned_late()
    with time_machine.travel(NOW, tick=False) as clock:
        data_set = make_data_set(expected_every_seconds=3600)
        silent = make_data_set(type="silent", expected_every_seconds=1)
        unwatched = make_data_set(type="unwatched")
        for each in (data_set, unwatched):
            put_in(each, some_records(1))
        verbs = []
        for hours in (0, 1, 1.1, 5):
            clock.move_to(NOW + timedelta(hours=hours))
            tasks.check_freshness()
            verbs.append(list(AuditEvent.objects.order_by("at").values_list("verb", "data_set_id")))
        store.empty(data_set, by=COMMAND)
        tasks.check_freshness()
        put_in(data_set, some_records(1))
        tasks.check_freshness()
        tasks.check_freshness()

    assert turned_late() == before + 1
    late, recovered = ("found_late", data_set.pk), ("found_recovered", data_set.pk)
    assert verbs == [[], [], [late], [late]]
    events = AuditEvent.objects.exclude(verb="emptied").order_by("at").values_list("verb", "data_set_id")
    assert list(events) == [late, recovered]
    assert store.freshness.state(silent) == "no data yet"
    assert store.freshness.state(unwatched) == "not watched"


def test_a_data_set_without_an_expected_interval_has_recovered():
    data_set = make_data_set(expected_every_seconds=1)
    with time_machine.travel(NOW):
        put_in(data_set, some_records(1))
    tasks.check_freshness()

    DataSet.objects.update(expected_every_seconds=None)
    tasks.check_freshness()

    assert set(AuditEvent.objects.values_list("verb", flat=True)) == {"found_late", "found_recovered"}
    assert DataSet.objects.get().late_since is None


def test_a_write_causes_statements_for_counting_at_most_every_ten_seconds():
    data_set = make_data_set()
    secret = make_token(data_set)
    with time_machine.travel(NOW, tick=False):
        call("POST", data_set, secret, some_records(1))

        with CaptureQueriesContext(connection) as captured:
            call("POST", data_set, secret, some_records(200))

    touched = " ".join(query["sql"] for query in captured)
    assert "datasets_record" in touched
    assert not re.search('accesstokenday|fieldseen|writerefusal|UPDATE "datasets_accesstoken"', touched)
