"""A query that is too large gets 400 and no Retry-After; a database that is busy or away still gets 503."""

import re
import threading

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from datasets.models import DataSet, Record
from datasets.store import fields_seen
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "This query takes longer than 0.01 seconds. Ask for a shorter period, fewer groups or fewer values."
SPAN = "start_at=2024-01-01T00:00:00Z&end_at=2024-02-01T00:00:00Z"


@pytest.fixture
def short_limit(settings):
    """Lower the limit of a statement on either database. PostgreSQL has it for the whole connection."""

    def lower(milliseconds: int = 10) -> None:
        settings.DATABASE_STATEMENT_SECONDS = milliseconds / 1000
        _set_statement_timeout(f"{milliseconds}ms")

    yield lower
    _set_statement_timeout("5s")


def _set_statement_timeout(value: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET statement_timeout = '{value}'")


@pytest.fixture
def data_set() -> DataSet:
    data_set = make_data_set()
    put_in(data_set, some_records(100_000, text="x" * 50))
    return data_set


TOO_LARGE = (
    "group_by=text&collect=n:median",
    f"period=day&{SPAN}&collect=n:set",
    "filter_by=text:nothing",
    "sort_by=n:descending&limit=1",
    "format=csv&sort_by=n:descending",
    "filter_by=no.such.field:1",
)


def test_queries_that_are_too_large_are_refused_and_the_next_one_of_the_process_works(data_set, short_limit):
    secret = make_token(data_set)
    short_limit()

    answers = {query: call("GET", data_set, secret, query=query) for query in TOO_LARGE}
    small = call("GET", data_set, secret, query="limit=1")

    refused = (400, {"status": "error", "message": SENTENCE})
    assert {query: (one.status_code, one.json()) for query, one in answers.items()} == dict.fromkeys(TOO_LARGE, refused)
    assert not any("Retry-After" in one.headers for one in answers.values())
    assert all('data-query-too-large>; rel="help"' in one.headers["Link"] for one in answers.values())
    assert small.status_code == 200


def test_a_lock_that_is_not_free_in_time_is_still_503():
    if connection.vendor != "postgresql":
        return  # readers of SQLite wait for no lock
    data_set = make_data_set()
    secret = make_token(data_set)
    answers = []

    def read() -> None:
        try:
            answers.append(call("GET", data_set, secret, query="limit=1"))
        finally:
            connection.close()

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {Record._meta.db_table} IN ACCESS EXCLUSIVE MODE")
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(30)

    assert answers[0].status_code == 503
    assert answers[0].headers["Retry-After"] == "1"


@pytest.fixture
def manager() -> Client:
    user = User.objects.create_user("mina", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    client = Client()
    client.force_login(user)
    return client


def test_the_chart_shows_the_sentence_and_keeps_what_was_entered(manager, data_set, short_limit):
    data_set.refresh_from_db()
    fields_seen.note(data_set)
    url = reverse("admin:datasets_dataset_chart", args=[data_set.pk])
    short_limit()

    asked = "?period=month&last=60&measure=n:median&split=text&kind=lines"
    text = manager.get(url + asked).content.decode()

    assert SENTENCE in text
    assert re.search(r'<option value="month" selected', text)
    assert re.search(r'name="last"[^>]*value="60"', text)
    assert re.search(r'<option value="n:median" selected', text)


def test_the_preview_of_retention_shows_the_sentence_and_keeps_what_was_entered(manager, settings):
    if connection.vendor != "sqlite":
        return  # PostgreSQL has no limit below a millisecond
    data_set = make_data_set()
    put_in(data_set, some_records(100_000))
    url = reverse("admin:datasets_dataset_retention", args=[data_set.pk])
    settings.DATABASE_STATEMENT_SECONDS = 0.000_1

    text = manager.post(url, {"retention_days": "37", "max_records": "", "step": "preview"}).content.decode()

    assert SENTENCE.replace("0.01", "0.0001") in text
    assert re.search(r'name="retention_days"[^>]*value="37"', text)


def test_pages_show_the_former_fields_if_a_sample_takes_too_long(manager, short_limit):
    if connection.vendor != "postgresql":
        return  # SQLite reads a sample in fewer steps than it counts
    data_set = make_data_set()
    put_in(data_set, some_records(1, former=1))
    data_set.refresh_from_db()
    fields_seen.note(data_set)
    put_in(data_set, some_records(500, text="x" * 60_000))
    short_limit(30)  # on a busy machine, the other statements of a page may take more than 10 ms

    pages = [
        manager.get(reverse(f"admin:datasets_dataset_{tab}", args=[data_set.pk]))
        for tab in ("overview", "records", "chart", "schema")
    ]

    assert [page.status_code for page in pages] == [200] * 4
    assert all("The newest records could not be read in time." in page.content.decode() for page in pages)
    assert "<code>former</code>" in pages[0].content.decode()
