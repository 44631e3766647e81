"""A wrong parameter is refused with a sentence that names it. None is ignored."""

from urllib.parse import urlencode

import pytest

from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

USE_WHERE = "For comparisons and for conditions on nested objects, use where."
AT = "2024-01-01T00:00:00Z"
SPAN = [("start_at", AT), ("end_at", "2024-02-01T00:00:00Z")]
DAYS = [*SPAN, ("period", "day")]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("having", "_count > 1")], "having needs group_by."),
        ([*DAYS, ("having", "_count > 1")], "having needs group_by."),
        ([("collect", "n:sum"), ("having", "_count > 1")], "having needs group_by."),
        ([("group_by", "g"), ("having", "x > 1")], "having, character 1: the rows have no key x."),
        (
            [("group_by", "g"), ("having", "_count > 1 and n:sum > 1")],
            "having, character 16: the rows have no key n:sum.",
        ),
        (
            [("group_by", "g"), ("having", "_group_count > 1")],
            "having, character 1: the rows have no key _group_count.",
        ),
        ([("group_by", "g"), ("having", "")], "having, character 1: expected a field name, found the end."),
        (
            [("group_by", "g"), ("having", "g > @2024-01-01T00:00:00Z")],
            "having, character 5: only _timestamp, _start_at and _end_at can be compared with a time.",
        ),
        ([("group_by", "g"), ("select", "g")], "select works only on raw reads, without group_by, period and collect."),
        ([*DAYS, ("select", "g")], "select works only on raw reads, without group_by, period and collect."),
        ([("collect", "n"), ("select", "g")], "select works only on raw reads, without group_by, period and collect."),
        ([("select", "g"), ("select", "g")], "select: the same field is given twice."),
        ([("select", "")], "select: not a field that can be selected."),
        ([("select", "_x")], "select: not a field that can be selected."),
        ([("select", "g:sum")], "select: not a field that can be selected."),
        (
            [("select", "geo.n")],
            f"select: no record has the field geo.n. {USE_WHERE}",
        ),
        ([("select", f"f{n}") for n in range(101)], "select can be given at most 100 times."),
        ([("collect", "n:p0")], "collect: unknown method."),
        ([("collect", "n:p100")], "collect: unknown method."),
        ([("collect", "n:p05")], "collect: unknown method."),
        ([("collect", "n:median ")], "collect: unknown method."),
        ([("collect", "_hour_of_day:sum")], "collect: not a field that can be collected."),
        ([("group_by", "g"), ("collect", "_day_of_week")], "collect: not a field that can be collected."),
        ([("collect", "n:sum"), ("sort_by", "n:sum:descending")], "sort_by with collect needs group_by."),
        ([("collect", "n:sum"), ("limit", "1")], "limit with collect needs group_by."),
        ([("collect", "n:sum"), ("cursor", "x")], "cursor works only on raw JSON reads."),
        (
            [("collect", "n:sum"), ("format", "parquet")],
            "format=parquet works only on raw reads, without group_by and period.",
        ),
        ([("group_by", "_minute_of_day")], "group_by: not a field that can be grouped by."),
        ([("group_by", "_hour_of_day"), ("group_by", "_hour_of_day")], "group_by: the same field is given twice."),
        (
            [("group_by", "geo.city")],
            f"group_by: no record has the field geo.city. {USE_WHERE}",
        ),
        (
            [("collect", "geo.n.x:sum")],
            f"collect: no record has the field geo.n.x. {USE_WHERE}",
        ),
        ([("time_zone", "Europe/London")], "time_zone needs group_by, period or collect."),
        (
            [("group_by", "g"), ("time_zone", "")],
            "time_zone: there is no time zone . Use an IANA name such as Europe/London.",
        ),
        (
            [("group_by", "g"), ("time_zone", "Mars/Base")],
            "time_zone: there is no time zone Mars/Base. Use an IANA name such as Europe/London.",
        ),
        (
            [("group_by", "g"), ("time_zone", "europe/london")],
            "time_zone: there is no time zone europe/london. Use an IANA name such as Europe/London.",
        ),
        (
            [("group_by", "g"), ("time_zone", "../../etc/passwd")],
            "time_zone: there is no time zone ../../etc/passwd. Use an IANA name such as Europe/London.",
        ),
        (
            [("group_by", "g"), ("time_zone", "+01:00")],
            "time_zone: there is no time zone +01:00. Use an IANA name such as Europe/London.",
        ),
        (
            [("compare", "previous_year")],
            "compare needs start_at and end_at, or duration, and one of group_by, period and collect.",
        ),
        (
            [*SPAN, ("compare", "previous_year")],
            "compare needs start_at and end_at, or duration, and one of group_by, period and collect.",
        ),
        (
            [("group_by", "g"), ("compare", "previous_year")],
            "compare needs start_at and end_at, or duration, and one of group_by, period and collect.",
        ),
        ([*DAYS, ("compare", "last_year")], "compare must be previous_period or previous_year."),
        ([*DAYS, ("compare", "")], "compare must be previous_period or previous_year."),
        (
            [
                ("period", "year"),
                ("start_at", "0001-01-01T00:00:00Z"),
                ("end_at", "0002-01-01T00:00:00Z"),
                ("compare", "previous_year"),
            ],
            "compare: the earlier range would begin before the year 1.",
        ),
        ([*DAYS, ("moving", "1")], "moving must be a whole number from 2 to 366."),
        ([*DAYS, ("moving", "367")], "moving must be a whole number from 2 to 366."),
        ([*DAYS, ("moving", "2.0")], "moving must be a whole number from 2 to 366."),
        ([*DAYS, ("moving", "")], "moving must be a whole number from 2 to 366."),
        ([("group_by", "g"), ("moving", "7")], "moving needs period."),
        ([("moving", "7")], "moving needs period."),
        ([*DAYS, ("moving", "3"), ("moving", "3")], "moving can be given only once."),
        ([("where", "n = 1"), ("where", "n = 1")], "where can be given only once."),
        ([("Where", "n = 1")], "Unknown parameter: Where."),
    ],
)
def test_a_wrong_parameter(pairs, message):
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": AT, "g": 1, "n": 2, "geo": {"n": 3}}])

    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))

    assert (answer.status_code, answer.json()["message"]) == (400, message)
    assert answer.headers["Link"].endswith('rel="help"')
