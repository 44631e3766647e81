"""Store records in one transaction with a constant number of statements, all or nothing, on both databases."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.audit import COMMAND
from config.audit.models import AuditEvent
from config.rest.idempotency import IdempotencyKey
from datasets import records, store
from datasets.errors import KeyReused, NoSuchDataSet, RecordsRejected
from datasets.models import AccessToken, DataSetDay, Record, RememberedKey
from datasets.store.batch import PART, RecordBatch
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records, stored

pytestmark = pytest.mark.django_db


def statements_of_a_post(count: int) -> list[str]:
    data_set = make_data_set(type=f"of-{count}")
    secret = make_token(data_set)
    call("POST", data_set, secret, some_records(1))  # the first call of a day and of a token writes one more row each
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert call("POST", data_set, secret, some_records(count)).status_code == 200
    assert data_set.records.count() == count
    return [query["sql"] for query in captured.captured_queries]


def test_ten_thousand_records_need_no_more_statements_than_a_thousand():
    thousand, ten_thousand = statements_of_a_post(1_000), statements_of_a_post(10_000)

    chunks = 0 if connection.vendor == "postgresql" else 2  # the second chunk of 5,000 on SQLite
    assert len(ten_thousand) == len(thousand) + chunks
    assert len(thousand) <= 12
    assert sum("SAVEPOINT" in sql and "RELEASE" not in sql for sql in ten_thousand) <= 1  # one transaction


def test_ten_thousand_records_are_stored_and_overwritten():
    data_set = make_data_set()
    secret = make_token(data_set)

    first = call("POST", data_set, secret, some_records(10_000))
    again = call("POST", data_set, secret, some_records(10_000, again=True))

    data_set.refresh_from_db()
    assert (first.status_code, again.status_code, data_set.record_count) == (200, 200, 10_000)
    assert all(record["again"] is True for record in stored(data_set).values())
    assert len({record["_updated_at"] for record in stored(data_set).values()}) == 1


def test_one_bad_record_among_ten_thousand_is_named_and_nothing_is_stored():
    data_set = make_data_set()
    values = some_records(10_000)
    values[7_777]["_timestamp"] = "yesterday"

    answer = call("POST", data_set, make_token(data_set), values)

    assert answer.status_code == 400
    assert answer.json()["message"] == "Records refused: 1 of 10000. Nothing was stored."
    assert [error["index"] for error in answer.json()["errors"]] == [7_777]
    assert not data_set.records.exists()


def test_the_last_of_equal_ids_wins_in_a_batch_of_any_size():
    data_set = make_data_set()
    for count in (2, 500, 1_500):
        values = some_records(count)

        put_in(data_set, [*values, *some_records(count, last=True)])

        assert all(record.get("last") for record in stored(data_set).values())


def test_a_batch_that_only_looks_new_replaces_stored_records():
    data_set = make_data_set()
    put_in(data_set, some_records(2_500)[-10:])

    put_in(data_set, some_records(2_500, again=True))

    data_set.refresh_from_db()
    assert (data_set.record_count, data_set.records.count()) == (2_500, 2_500)
    assert all(record["again"] is True for record in stored(data_set).values())
    assert DataSetDay.objects.get(data_set=data_set).records == 10 + 2_500


def test_a_late_rejection_rolls_everything_back():
    data_set = make_data_set()
    put_in(data_set, some_records(2_500))
    values = some_records(2_500, again=True)
    values[2_400]["_id"] = ""

    answer = call("POST", data_set, make_token(data_set), values)

    data_set.refresh_from_db()
    assert (answer.status_code, answer.json()["error_count"]) == (400, 1)
    assert not any("again" in record for record in stored(data_set).values())
    assert (data_set.record_count, data_set.revision) == (2_500, 1)


def test_a_batch_can_be_repeated_from_the_first_record():
    parsed = list(records.check(some_records(2_500), auto_ids=()))
    batch = RecordBatch(iter(parsed))
    halfway = next(batch.parts())

    assert halfway == batch.begin() == parsed[:PART]
    assert [record for part in batch.parts() for record in part] == parsed
    assert [record for part in batch.parts() for record in part] == batch.finish() == parsed


def test_two_batches_of_one_transaction_do_not_mix():
    first, second = make_data_set(type="first"), make_data_set(type="second")

    put_in(first, some_records(300))
    put_in(second, [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"other{n}"} for n in range(300)])

    assert first.records.count() == second.records.count() == 300
    assert "other0" not in stored(first)


@pytest.mark.parametrize("count", [1, 300], ids=["a handful", "a batch"])
def test_odd_texts_come_back_unchanged(count):
    data_set = make_data_set()
    odd = {'a\\b\\"\\n': "tab\there \\N \\. \x01\x1f\x7f \u2028 \U0001f600 \\u0000", "e": {"": [None, "\\t"]}}
    values = some_records(count, **odd)
    values[0]["_id"] = "\\N"
    values[-1 if count > 1 else 0]["_id"] = "\\."

    put_in(data_set, values)

    for value in values:
        kept = stored(data_set)[value["_id"]]
        assert {name: kept[name] for name in value} == value


def test_a_small_batch_is_stored_alike_with_a_prepared_statement():
    """SQLite has no prepared statements, but stores them alike. One call may have a token and the next one none."""
    data_set = make_data_set()
    make_token(data_set)
    token = AccessToken.objects.get(data_set=data_set)
    for number in range(24):
        origin = {"token_id": token.pk, "request_id": uuid4()} if number % 2 else {}
        values = [{**value, "number": number} for value in some_records(1 + number % 3)]
        assert store.append(data_set.pk, records.check(values, auto_ids=()), **origin) == len(values)

    data_set.refresh_from_db()
    assert data_set.record_count == 3
    assert sorted(record["number"] for record in stored(data_set).values()) == [23, 23, 23]
    assert data_set.records.filter(token_id=token.pk).exclude(request_id=None).count() == 3
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement FROM pg_prepared_statements")
            assert any("locked AS (" in statement for (statement,) in cursor.fetchall())


def test_counters_match_the_stored_records():
    data_set = make_data_set()
    secret = make_token(data_set)

    call("POST", data_set, secret, some_records(5))
    call("POST", data_set, secret, some_records(7))
    call("POST", data_set, secret, [{}])
    call("PUT", data_set, secret, [1])

    data_set.refresh_from_db()
    day = DataSetDay.objects.get(data_set=data_set)
    assert (data_set.record_count, data_set.revision) == (7, 2)
    assert (day.writes, day.records, day.refused) == (2, 12, 2)


def test_the_last_write_is_the_time_of_the_last_post_only():
    data_set = make_data_set()
    secret = make_token(data_set)
    with time_machine.travel("2024-03-01T12:00:00Z", tick=False):
        call("POST", data_set, secret, some_records(1))
        written_at = timezone.now()
    with time_machine.travel("2024-03-02T12:00:00Z", tick=False):
        call("POST", data_set, secret, [{}])
        call("PUT", data_set, secret, [])

    data_set.refresh_from_db()
    assert data_set.last_write_at == written_at


def test_emptying_removes_the_records_of_one_data_set_and_is_audited():
    data_set, other = make_data_set(type="one"), make_data_set(type="two")
    secret = make_token(data_set)
    put_in(data_set, some_records(300))
    put_in(other, some_records(3))

    answer = call("PUT", data_set, secret, [])
    data_set.refresh_from_db()

    event = AuditEvent.objects.get(verb="emptied")
    assert answer.json() == {"message": "pay_one now contains 0 records", "status": "ok"}
    assert (data_set.records.count(), other.records.count()) == (0, 3)
    assert (event.actor_label, event.before["records"]) == (secret[:8], 300)
    assert secret not in str(event.__dict__)


def test_a_record_names_its_token_and_request():
    data_set = make_data_set()

    answer = call("POST", data_set, make_token(data_set), some_records(1))

    record = Record.objects.get()
    assert str(record.request_id) == answer.headers["X-Request-Id"]
    assert record.token == data_set.tokens.get()


def test_a_key_is_forgotten_after_a_day():
    data_set = make_data_set()
    key = IdempotencyKey(key="k", fingerprint="a" * 64)
    other = IdempotencyKey(key="k", fingerprint="b" * 64)
    parsed = list(records.check(some_records(1), auto_ids=()))
    with time_machine.travel("2024-03-01T12:00:00Z", tick=False):
        assert store.append(data_set.pk, parsed, key=key)
        assert not store.append(data_set.pk, parsed, key=key)
        with pytest.raises(KeyReused):
            store.append(data_set.pk, parsed, key=other)

    with time_machine.travel("2024-03-02T12:00:01Z", tick=False):
        assert store.append(data_set.pk, parsed, key=other)

    assert RememberedKey.objects.get().fingerprint == other.fingerprint


def test_old_keys_are_removed_and_young_ones_stay():
    data_set = make_data_set()
    now = timezone.now()
    for hours in (1, 23, 25, 100):
        row = {"key": f"k{hours}", "fingerprint": "x", "created_at": now - timedelta(hours=hours)}
        RememberedKey.objects.create(data_set=data_set, **row)

    assert clean_up("data-set-keys").removed == 2
    assert clean_up("data-set-keys").removed == 0
    assert set(RememberedKey.objects.values_list("key", flat=True)) == {"k1", "k23"}


def test_a_data_set_that_was_deleted_meanwhile_stores_nothing():
    data_set = make_data_set()
    pk = data_set.pk
    data_set.delete()

    with pytest.raises(NoSuchDataSet):
        store.append(pk, records.check(some_records(2_000), auto_ids=()))
    with pytest.raises(RecordsRejected):  # comes first in the contract's order of checks
        store.append(pk, records.check([*some_records(2_000), {}], auto_ids=()))
    assert not Record.objects.exists()


def test_emptying_an_empty_data_set_changes_no_revision():
    data_set = make_data_set()

    assert store.empty(data_set, by=COMMAND) == 0
    data_set.refresh_from_db()
    assert data_set.revision == 0
