"""Both databases put a moment into the period that Python finds, up to the last microsecond of the period."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from datasets.queries.query import PERIODS
from datasets.queries.stored import PeriodStart, read_start
from datasets.records import moments
from notifications.delivery.claiming import sqlite
from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

BORDERS = ["2024-12-30T00:00:00Z", "2025-01-01T00:00:00Z", "2024-03-01T00:00:00Z", "2023-10-01T13:00:00Z"]
BEFORE_MICROSECONDS = [0, 1, 499, 500, 501, 999, 1_000, 500_000]


def moments_around_borders() -> list[datetime]:
    return [
        moments.parse(border) - timedelta(microseconds=before) for border in BORDERS for before in BEFORE_MICROSECONDS
    ] + [moments.parse("0001-01-01T00:00:00Z"), moments.parse("9999-12-31T23:59:59.999999Z")]


@pytest.mark.parametrize("period", PERIODS)
def test_the_database_finds_the_period_of_each_microsecond(period):
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": moments.write(at), "_id": moments.write(at)} for at in moments_around_borders()])

    records = data_set.records.annotate(start=PeriodStart(period))
    found = {at: read_start(start) for at, start in records.values_list("timestamp", "start")}

    assert found == {at: moments.period_starts(at)[period] for at in moments_around_borders()}


@pytest.mark.parametrize("period", ["week", "quarter", "year"])
def test_the_last_microsecond_counts_in_the_period_that_the_raw_read_shows(period):
    data_set = make_data_set(public=True)
    last = moments.period_starts(moments.parse("2024-12-31T00:00:00Z"))[period] - timedelta(microseconds=1)
    put_in(data_set, [{"_timestamp": moments.write(last), "n": 1}])
    secret = make_token(data_set)

    record = json.loads(call("GET", data_set, secret).content)["data"][0]
    start = record[f"_{period}_start_at"]
    span = f"period={period}&duration=1&start_at={start}"
    rows = json.loads(call("GET", data_set, secret, query=span).content)["data"]

    assert [(row["_start_at"], row["_count"]) for row in rows] == [(start, 1)]


def test_the_clock_of_sqlite_is_never_rounded_up():
    if connection.vendor != "sqlite":
        return  # PostgreSQL has microseconds
    with connection.cursor() as cursor:
        for _ in range(50):
            cursor.execute(f"SELECT {sqlite.NOW}, {sqlite.LATER}", {"seconds": 180})
            now, later = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in cursor.fetchone())

            assert now <= timezone.now() < now + timedelta(minutes=1)
            assert later <= timezone.now() + timedelta(seconds=180)
