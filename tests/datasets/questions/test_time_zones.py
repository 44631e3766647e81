"""Periods and parts of the time follow local time, around changes of the clocks, on each engine."""

import os
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.columns import building
from datasets.models import DataSet
from datasets.queries import engines, parameters
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in
from tests.datasets.test_answers import CONFIGURATION, NOW, stored_set

pytestmark = pytest.mark.django_db

ZONES = ["Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
# The clocks change: in New York on 10 March and 3 November, in London on 31 March and 27 October, and on Lord Howe, by
# 30 minutes, on 7 April and 6 October.
STARTS = [datetime(2024, 3, 9, tzinfo=UTC), datetime(2024, 3, 30, tzinfo=UTC), datetime(2024, 4, 6, tzinfo=UTC)]
STARTS += [datetime(2024, 10, 5, tzinfo=UTC), datetime(2024, 10, 26, tzinfo=UTC), datetime(2024, 11, 2, tzinfo=UTC)]
MINUTES = st.lists(st.integers(0, 3 * 24 * 60), min_size=1, max_size=15)
CONFIGURATION = settings(CONFIGURATION, max_examples=int(os.environ.get("EXAMPLES", "12")))


def stamp(moment) -> str:
    return moment.strftime("%FT%TZ")


def records_at(start, minutes):
    return [
        {"_id": f"r{number}", "_timestamp": stamp(start + timedelta(minutes=at))} for number, at in enumerate(minutes)
    ]


def answers(records, pairs):
    """Return the answer of the row store and that of column files."""
    data_set = stored_set(records)
    query = parameters.parse(urlencode(pairs), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    first = engines.grouped(data_set, query, now=NOW, max_rows=100_000)
    building.build(data_set, seconds=60, wait=False)
    return first, engines.grouped(DataSet.objects.get(pk=data_set.pk), query, now=NOW, max_rows=100_000)


def label(moment, zone, period) -> object:
    """Return what all moments of a day, week or month have in common in the zone."""
    at = moment.astimezone(ZoneInfo(zone))
    return {"day": at.date(), "week": at.isocalendar()[:2], "month": (at.year, at.month)}[period]


@CONFIGURATION
@given(st.sampled_from(STARTS), MINUTES, st.sampled_from(ZONES), st.sampled_from(["day", "week", "month"]))
def test_days_weeks_and_months(start, minutes, zone, period):
    records = records_at(start, minutes)
    span = [("start_at", stamp(start)), ("end_at", stamp(start + timedelta(days=3, minutes=1)))]
    with transaction.atomic():
        for answer in answers(records, [*span, ("period", period), ("time_zone", zone)]):
            moments = [datetime.fromisoformat(record["_timestamp"]) for record in records]
            assert sum(row["_count"] for row in answer) == len(moments)
            for row in answer:
                begins, ends = (datetime.fromisoformat(row[name]) for name in ("_start_at", "_end_at"))
                assert label(begins, zone, period) != label(begins - timedelta(seconds=1), zone, period)
                assert label(begins, zone, period) == label(ends - timedelta(seconds=1), zone, period)
                assert row["_count"] == sum(1 for at in moments if begins <= at < ends)
        transaction.set_rollback(True)


@CONFIGURATION
@given(st.sampled_from(STARTS), MINUTES, st.sampled_from(ZONES))
def test_hours(start, minutes, zone):
    records = records_at(start, minutes)
    span = [("start_at", stamp(start)), ("end_at", stamp(start + timedelta(days=3, minutes=1)))]
    with transaction.atomic():
        for answer in answers(records, [*span, ("period", "hour"), ("time_zone", zone)]):
            begins = [datetime.fromisoformat(row["_start_at"]) for row in answer]
            assert begins[0].astimezone(ZoneInfo(zone)).minute == 0
            assert {later - earlier for earlier, later in pairwise(begins)} == {timedelta(hours=1)}
            counts = [0] * len(begins)
            for record in records:
                counts[bisect_right(begins, datetime.fromisoformat(record["_timestamp"])) - 1] += 1
            assert [row["_count"] for row in answer] == counts
        transaction.set_rollback(True)


@CONFIGURATION
@given(st.sampled_from(STARTS), MINUTES, st.sampled_from([*ZONES, "UTC"]), st.booleans())
def test_parts_of_the_time(start, minutes, zone, has_range):
    records = records_at(start, minutes)
    counts: dict[tuple[int, int], int] = {}
    for record in records:
        at = datetime.fromisoformat(record["_timestamp"]).astimezone(ZoneInfo(zone))
        counts[at.isoweekday(), at.hour] = counts.get((at.isoweekday(), at.hour), 0) + 1
    wanted = [{"_day_of_week": day, "_hour_of_day": hour, "_count": counts[day, hour]} for day, hour in sorted(counts)]
    pairs = [("group_by", "_day_of_week"), ("group_by", "_hour_of_day"), ("time_zone", zone)]
    span = [("start_at", stamp(start)), ("end_at", stamp(start + timedelta(days=4)))] if has_range else []
    with transaction.atomic():
        for answer in answers(records, [*pairs, *span]):
            assert answer == wanted
        transaction.set_rollback(True)


def borders(zone, period, start_at, end_at) -> list[str]:
    pairs = [("start_at", start_at), ("end_at", end_at), ("period", period), ("time_zone", zone)]
    query = parameters.parse(urlencode(pairs), data_set_id=1, bounds=BOUNDS, reader=ALL)
    rows = engines.grouped(make_data_set(), query, now=NOW, max_rows=1_000)
    return [row["_start_at"] for row in rows] + [rows[-1]["_end_at"]]


@pytest.mark.parametrize(
    ("zone", "period", "span", "expected"),
    [
        # a day of 23 hours and one of 25
        ("Europe/London", "day", "2024-03-31T12:00 2024-03-31T13:00", "2024-03-31T00:00 2024-03-31T23:00"),
        ("Europe/London", "day", "2024-10-27T12:00 2024-10-27T13:00", "2024-10-26T23:00 2024-10-28T00:00"),
        # the repeated hour is two periods
        (
            "Europe/London",
            "hour",
            "2024-10-27T00:30 2024-10-27T01:30",
            "2024-10-27T00:00 2024-10-27T01:00 2024-10-27T02:00",
        ),
        # a day without midnight begins with its first moment
        ("America/Sao_Paulo", "day", "2018-11-04T12:00 2018-11-04T13:00", "2018-11-04T03:00 2018-11-05T02:00"),
        # a day that the clocks skip is no period
        (
            "Pacific/Apia",
            "day",
            "2011-12-29T12:00 2011-12-31T12:00",
            "2011-12-29T10:00 2011-12-30T10:00 2011-12-31T10:00 2012-01-01T10:00",
        ),
        # hours of 60 minutes after a change by 30
        (
            "Australia/Lord_Howe",
            "hour",
            "2024-10-05T15:00 2024-10-05T16:00",
            "2024-10-05T14:30 2024-10-05T15:30 2024-10-05T16:30",
        ),
        (
            "Asia/Kathmandu",
            "hour",
            "2024-01-01T00:00 2024-01-01T00:20",
            "2023-12-31T23:15 2024-01-01T00:15 2024-01-01T01:15",
        ),
        ("America/New_York", "year", "2024-06-01T00:00 2024-06-02T00:00", "2024-01-01T05:00 2025-01-01T05:00"),
        ("America/New_York", "quarter", "2024-06-01T00:00 2024-06-02T00:00", "2024-04-01T04:00 2024-07-01T04:00"),
    ],
)
def test_borders(zone, period, span, expected):
    assert borders(zone, period, *(f"{at}:00Z" for at in span.split())) == [f"{at}:00Z" for at in expected.split()]


def test_a_local_hour_is_compared_with_the_same_hour_of_the_year_before():
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2023-06-01T08:30:00Z"}])  # 9:30 in London
    pairs = [("start_at", "2024-06-01T08:00:00Z"), ("end_at", "2024-06-01T10:00:00Z"), ("period", "hour")]
    pairs += [("time_zone", "Europe/London"), ("compare", "previous_year")]

    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))

    assert [row["_previous"]["_count"] for row in answer.json()["data"]] == [1, 0]


def test_an_hour_that_the_clocks_skipped_a_year_ago_has_no_records_then():
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-03-31T01:30:00Z"}])  # 2:30 in London; the clocks skipped 1:00
    pairs = [("start_at", "2025-03-31T00:00:00Z"), ("end_at", "2025-03-31T02:00:00Z"), ("period", "hour")]
    pairs += [("time_zone", "Europe/London"), ("compare", "previous_year")]

    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))

    assert [row["_previous"]["_count"] for row in answer.json()["data"]] == [0, 1]


@pytest.mark.parametrize("end", [("start_at", "2011-12-29T12:00:00Z"), ("end_at", "2012-01-01T12:00:00Z")])
def test_a_number_of_days_has_no_day_that_the_clocks_skip(end):
    pairs = [end, ("period", "day"), ("duration", "3"), ("time_zone", "Pacific/Apia")]
    data_set = make_data_set()

    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))

    assert [row["_start_at"][:10] for row in answer.json()["data"]] == ["2011-12-29", "2011-12-30", "2011-12-31"]


def test_a_day_that_the_clocks_skipped_a_year_ago_has_no_records_then():
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2011-12-30T12:00:00Z"}])  # 31 December in Samoa, the day after the 29th
    pairs = [("start_at", "2012-12-29T10:00:00Z"), ("end_at", "2012-12-31T10:00:00Z"), ("period", "day")]
    pairs += [("time_zone", "Pacific/Apia"), ("compare", "previous_year")]

    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))

    assert [row["_previous"]["_count"] for row in answer.json()["data"]] == [0, 1]


def test_a_range_that_is_too_long_for_a_time_zone():
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "0500-01-01T00:00:00Z"}, {"_timestamp": "2024-01-01T00:00:00Z"}])

    answer = call("GET", data_set, make_token(data_set), query="group_by=_hour_of_day&time_zone=Europe/London")

    assert (answer.status_code, answer.json()["message"]) == (400, "time_zone works with ranges of at most 500 years.")


def test_the_entity_tag_of_the_last_days_changes_at_the_local_midnight():
    data_set = make_data_set()
    secret, query = make_token(data_set), "period=day&duration=2&time_zone=Asia/Tokyo"  # midnight is at 15:00 UTC

    with time_machine.travel(datetime(2024, 4, 10, 14, 59, tzinfo=UTC), tick=False):
        before = call("GET", data_set, secret, query=query)
        again = call("GET", data_set, secret, query=query, If_None_Match=before.headers["ETag"])
    with time_machine.travel(datetime(2024, 4, 10, 15, 1, tzinfo=UTC), tick=False):
        after = call("GET", data_set, secret, query=query, If_None_Match=before.headers["ETag"])

    assert [again.status_code, after.status_code] == [304, 200]
    assert after.json()["data"][-1]["_end_at"] == "2024-04-10T15:00:00Z"
