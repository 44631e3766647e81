"""SQL sorts values like plain Python, as a whole and page by page, on both databases. Data sets §11."""

import itertools
import json
from functools import cmp_to_key
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from datasets.queries import parameters, raw, values, written
from datasets.records import moments
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in
from tests.datasets.test_answers import MOMENTS, NAMES, RECORDS

pytestmark = pytest.mark.django_db
_number = itertools.count()
KEYS = [*NAMES, "_start_at", "_end_at", "_updated_at", "_id", "_timestamp"]
NEAR = [
    *(2**53, 2.0**53, 2**53 + 1, 2**53 + 2, 2.0**53 + 2, 1.2345678901234567e18, 1234567890123456768),
    *(1234567890123456790, 1234567890123456800, 2**63 - 1, 2.0**63, 2**63, 2**63 + 1, 2**63 + 2**11, -(2**63)),
    *(-(2.0**63), -(2**63) - 1, 10**308, 1e308, 10**309, -(10**309), 2**1024 - 2**970, 2**1024 - 2**970 - 1, 5e-324, 0),
    *(-0.0, -5e-324, 0.1, 0.1 + 2**-56, 1e-7, 123456789012345678, 999999999999999999, 10**18, -(10**18), 1e18, 1e22),
    *(
        "",
        " ",
        "\x01",
        "\x7f",
        "a\\",
        "a",
        "a\n",
        'a"',
        "é",
        "\ue000",
        "\U0001f600",
        "1",
        "true",
        True,
        False,
        None,
        [1],
    ),
]


def ordered(records, key, *, falling):
    """Sort pair by pair with the rules of the contract."""

    def value(record):
        if key in {"_start_at", "_end_at", "_updated_at"}:  # all were stored at one moment
            found = record.get(key) if key != "_updated_at" else "same"
            return None if found is None else found.replace("Z", "" if "." in found else ".000000")
        return record.get(key)

    def compare(one, other):
        places = [(values.order(value(each)), each["_timestamp"], each["_id"]) for each in (one, other)]
        last = [values.is_last(value(each)) for each in (one, other)]
        if last[0] != last[1]:
            return 1 if last[0] else -1
        sign = -1 if falling else 1
        return 0 if places[0] == places[1] else sign if places[0] > places[1] else -sign

    return [record["_id"] for record in sorted(records, key=cmp_to_key(compare))]


def read_all(data_set, pairs):
    """Read all pages."""
    found, cursor = [], ""
    while cursor is not None:
        more = [("cursor", cursor)] if cursor else []
        page = raw.Page(
            data_set.pk, parameters.parse(urlencode(pairs + more), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
        )
        found += [json.loads(written.record(row))["_id"] for row in page.rows]
        cursor = page.next_cursor
    return found


@settings(
    max_examples=60,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(RECORDS, st.lists(MOMENTS | st.none(), min_size=25, max_size=25), st.sampled_from(KEYS), st.booleans())
@example([{"_timestamp": "2024-01-01T00:00:00Z", "v": value} for value in NEAR], [None] * len(NEAR), "v", False)
@example([{"_timestamp": "2024-01-01T00:00:00Z", "v": value} for value in NEAR], [None] * len(NEAR), "v", True)
@example([{"_timestamp": "2024-01-01T00:00:00Z", NAMES[2]: v} for v in NEAR], [None] * len(NEAR), NAMES[2], False)
def test_any_order_equals_plain_python_across_pages(records, ends, key, falling):
    numbered = [
        {**record, "_id": f"r{number:02}", **({"_end_at": end} if end else {})}
        for number, (record, end) in enumerate(zip(records, ends, strict=False))
    ]
    pairs = [("sort_by", f"{key}:{'descending' if falling else 'ascending'}")]
    with transaction.atomic():
        data_set = make_data_set(type=f"t{next(_number)}")
        put_in(data_set, numbered)

        whole, paged = read_all(data_set, pairs), read_all(data_set, [*pairs, ("limit", "3")])

        assert whole == ordered(_as_read(numbered), key, falling=falling)
        assert paged == whole
        export = parameters.parse(
            urlencode([*pairs, ("format", "csv")]), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL
        )
        assert [row.record_id for row in raw.rows(data_set.pk, export)] == whole
        transaction.set_rollback(True)


def _as_read(records):
    """Return the records with moments in one format, so that texts sort like instants."""
    moments = ("_timestamp", "_end_at")
    return [
        record
        | {name: record[name].replace("Z", "" if "." in record[name] else ".0") for name in moments if name in record}
        for record in records
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [("_updated_at", 5), ("_end_at", "soon"), ("_end_at", True), ("n", "a\0b"), ("_start_at", "2024-01-01T00:00:00Z")],
)
def test_a_cursor_with_an_impossible_value_is_rejected(key, value):
    data_set = make_data_set()
    secret = make_token(data_set)
    put_in(data_set, [{"_id": "a", "_timestamp": "2024-01-01T00:00:00Z"}])
    query = parameters.parse(f"sort_by={key}:ascending", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    place = raw.Position(value, moments.parse("2024-01-01T00:00:00Z"), "a")
    path = data_set

    answer = call(
        "GET", path, secret, query=f"sort_by={key}:ascending&cursor={raw.cursor.write(query.identity, place)}"
    )

    assert answer.status_code == 400
    assert answer.json()["message"] == "The cursor does not belong to this query."


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.django_db(transaction=True)
def test_a_sorted_export_has_all_records_in_order(form):
    data_set = make_data_set()
    secret = make_token(data_set)
    put_in(
        data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"r{n:05}", "n": n * 7919 % 5003} for n in range(5003)]
    )

    answer = call("GET", data_set, secret, query=f"sort_by=n:descending&format={form}")

    lines = b"".join(answer.streaming_content).decode().splitlines()
    numbers = [json.loads(line)["n"] for line in lines] if form == "ndjson" else _column(lines, "n")
    assert numbers == list(reversed(range(5003)))


def _column(lines, name):
    place = lines[0].split(",").index(name)
    return [int(line.split(",")[place]) for line in lines[1:]]
