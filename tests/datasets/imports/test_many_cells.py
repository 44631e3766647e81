"""Many cells at once are read exactly as one after another."""

import math
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.imports.reading import columns as file_columns
from datasets.imports.reading import settings as import_settings
from datasets.imports.reading.column_facts import ColumnFacts
from datasets.imports.reading.rows import RowReader
from datasets.records import ParsedRecord

BLOCK = 100
USUAL = {
    "integer": [str(number * 7 - 90) for number in range(1_500)],
    "decimal point": [f"{number}.{number % 90 + 10}" for number in range(1_500)],
    "date": [f"20{number % 90 + 10}-{number % 12 + 1:02}-{number % 28 + 1:02}" for number in range(1_500)],
    "time": [f"2024-01-{number % 28 + 1:02}T09:{number % 60:02}:00Z" for number in range(1_500)],
    "text": [f"office {number}" for number in range(1_500)],
    "few texts": ["web", "phone"] * 750,
}
ODD = [
    *(
        "",
        " ",
        "true",
        "false",
        "True",
        "NA",
        "-",
        "0",
        "-0",
        "007",
        "1.5",
        "1.234",
        "1,234",
        "1,5",
        "12:30",
        "2024",
        "x\n1",
    ),
    *("2024-02-30", "2024-01-31", "31.01.2024", "03/04/2024", "2024-01-01T25:00:00Z", "2024-02-30T09:00:00Z"),
    *("2024-01-01T09:00:00+01:00", "1e5", "9" * 20, "1." + "3" * 20, "true ", "é", "２"),
]


def facts_of(column: list[str], *, at_once: bool, **given: Any) -> dict[str, Any]:
    facts = ColumnFacts(**given)
    for start in range(0, len(column), BLOCK):
        some = column[start : start + BLOCK]
        if at_once:
            facts.add_all(some)
        else:
            for cell in some:
                facts.add(cell)
    facts.finish()
    found = asdict(facts)
    return {name: found[name] for name in found if not name.startswith("_") and name != "last_number"}


@pytest.mark.parametrize("kind", USUAL)
@pytest.mark.parametrize("given", [{}, {"null_words": frozenset({"NA"})}], ids=["plain", "words for null"])
@pytest.mark.parametrize("odd", [None, *ODD])
def test_a_column_has_the_same_facts_at_once(kind, odd, given):
    column = [*USUAL[kind]]
    if odd is not None:
        column[1_250] = odd

    one_by_one, at_once = (facts_of(column, at_once=way, **given) for way in (False, True))

    assert math.isclose(one_by_one.pop("numbers_sum"), at_once.pop("numbers_sum"), rel_tol=1e-12)
    assert one_by_one == at_once


CELLS = st.one_of(
    st.sampled_from([*ODD, "a\\b", 'a"b', "\x00", "\ud800", "\x7f", "x" * 300, " b ", "1900-01-01T00:00:00Z"]),
    st.text(max_size=4),
    st.integers().map(str),
    st.floats().map(str),
)
COLUMNS = {
    "_timestamp": [{"type": "time"}, {"type": "date"}, {}, {"type": "text"}],
    "a": [{"type": kind} for kind in ("text", "integer", "number", "boolean", "json", "date", "time")],
    "b": [{}, {"leave_out": True}, {"type": "number", "decimal": ",", "unit": "€"}, {"to": "c", "empty": "null"}],
}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_usual_row_is_the_record_that_any_row_would_be(data):
    given = {
        "columns": {name: data.draw(st.sampled_from(some)) for name, some in COLUMNS.items()},
        "null_words": data.draw(st.sampled_from([[], ["NA", "1900-01-01T00:00:00Z"]])),
        "zone": data.draw(st.sampled_from(["UTC", "Europe/Berlin"])),
    }
    complete = import_settings.parse(given)
    known = file_columns.resolve(list(COLUMNS), complete)
    usual, full = (RowReader(known, complete, "f" * 64, are_texts=way) for way in (True, False))
    rows = data.draw(st.lists(st.tuples(st.one_of(st.just("2024-01-31T09:00:00Z"), CELLS), CELLS, CELLS), max_size=6))

    for number, cells in enumerate(rows, 2):
        assert usual.read(number, list(cells)) == full.read(number, list(cells))


def test_most_rows_are_usual():
    complete = import_settings.parse({"columns": {"_timestamp": {"type": "time"}, "a": {"type": "integer"}}})
    reader = RowReader(file_columns.resolve(["_timestamp", "a"], complete), complete, "f" * 64, are_texts=True)

    found = reader.read(2, ["2024-01-31T09:00:00Z", "5"])

    assert isinstance(found, ParsedRecord)
    assert found == ("f" * 24 + "-0000000002", "2024-01-31T09:00:00Z", None, None, '{"a":5}')
