"""A reader pages through a data set while a writer appends and overwrites: unchanged records come exactly once."""

import itertools
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasets.queries import parameters, raw
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in

pytestmark = pytest.mark.django_db

_number = itertools.count()
_ORDERS = ["", "_timestamp:descending", "_id:ascending", "_id:descending", "n:ascending", "n:descending"]
_WRITES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 28), st.sampled_from([1, 2.5, "a", None])), min_size=0, max_size=8
)


def record(number: int, day: int, n: object) -> dict[str, object]:
    return {"_id": f"r{number:02}", "_timestamp": f"2024-01-{day:02}T00:00:00Z", "n": n}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(_ORDERS), st.lists(_WRITES, min_size=1, max_size=12), st.integers(1, 7), st.booleans())
def test_untouched_records_come_exactly_once(order, writes, size, filtered):
    data_set = make_data_set(type=f"t{next(_number)}")
    first = {f"r{number:02}" for number in range(40)}
    put_in(data_set, [record(number, number % 28 + 1, number % 5) for number in range(40)])
    asked = [("limit", str(size)), *([("sort_by", order)] if order else [])]
    asked += [("filter_by_prefix", "_id:r")] if filtered else []
    seen: list[str] = []
    touched: set[str] = set()
    next_cursor: str | None = ""
    turns = iter(writes)

    while next_cursor is not None:
        more = [("cursor", next_cursor)] if next_cursor else []
        page = raw.Page(
            data_set.pk, parameters.parse(urlencode(asked + more), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
        )
        seen += [row.record_id for row in page.rows]
        next_cursor = page.next_cursor
        written = {f"r{number:02}": record(number, day, n) for number, day, n in next(turns, [])}
        if written:
            put_in(data_set, list(written.values()))
            touched |= written.keys()

    untouched = first - touched
    assert sorted(name for name in seen if name in untouched) == sorted(untouched)
