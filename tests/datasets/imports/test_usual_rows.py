"""The lines of usual rows, made column by column, equal those that are made row by row."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.imports.reading import columns as file_columns
from datasets.imports.reading import settings as import_settings
from datasets.imports.reading import work_files
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.rows import RowReader, plan_of
from datasets.imports.reading.usual_rows import UsualRows
from datasets.records import ParsedRecord

NAMES = ["_timestamp", "a", "b"]
TIMES = ["2024-01-31T09:00:00Z", "2024-02-29T23:59:59Z", "2024-02-30T09:00:00Z", "2024-01-31T24:00:00Z", "0000-01-01"]
TEXTS = [
    *(*TIMES, "2024-01-31", "2024-02-30", "31.01.2024", "2024-01-31T09:00:00+01:00", "2024-01-31 09:00:00.5", "", "  "),
    *("0", "-0", "5", "-7", "007", "+5", "1.50", "1,5", "1e5", "1" * 18, "1" * 19, "9007199254740993", "5 €", "25%"),
    *(
        "Köln",
        "Łódź",
        'a"b',
        "a\\b",
        "a\tb",
        "a\nb",
        " x ",
        "\x00",
        "\x7f",
        "\u00a0",
        "\ud800",
        "true",
        "no",
        "NA",
        "{}",
    ),
]
FITTING = {
    "text": ["Köln", "x", "5 €", "NA", 'a"b', "a\\b", "a\x7f", "a\u00a0", "", "  "],
    "integer": ["5", "0", "-7", "1" * 17, "9007199254740993", "007", "-0", ""],
    "number": ["5", "0", "-7", "1.5", "1.50", "1e5", "", "NA"],
    "boolean": ["yes", "no", "1", ""],
    "date": ["2024-01-31", "2024-02-29", "0001-01-01", "", "2024-02-30"],
    "time": [*TIMES[:2], "2024-01-31T09:00:00+01:00", "2024-01-31", ""],
    "json": ["5", "{}", '"x"', ""],
}
BROKEN = BrokenRow("has text after a closing quotation mark")


@st.composite
def tables(draw):
    """Return the settings of the columns, and rows. Most of their cells fit."""
    columns, cells = {"_timestamp": {"type": draw(st.sampled_from(["time", "time", "date"]))}}, []
    for name in NAMES:
        if name != "_timestamp":
            empty = draw(st.sampled_from(["absent", "null", "text"]))
            columns[name] = {"type": draw(st.sampled_from([*FITTING])), "empty": empty}
        own = FITTING[columns[name]["type"]]
        columns[name]["null_words"] = draw(st.lists(st.sampled_from(own[:2]), max_size=1))
        if columns[name]["type"] in {"date", "time"}:
            columns[name]["form"] = draw(st.sampled_from(["iso", "iso", "yyyy-mm-dd"]))
        some = draw(st.lists(st.sampled_from(own), min_size=1, max_size=4))
        odd = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(codec=None), max_size=12))
        cells.append(st.one_of(*[st.sampled_from(some)] * 9, odd))
    rows = st.one_of(*[st.tuples(*cells).map(list)] * 9, st.lists(st.sampled_from(TEXTS), max_size=4), st.just(BROKEN))
    return columns, draw(st.lists(rows, max_size=20))


def both_ways(columns, rows, kept_texts):
    """Return the lines that are made by column, and those that are made by row; None: not usual, rejected"""
    parsed = import_settings.parse({"columns": columns})
    known = file_columns.resolve(NAMES, parsed)
    usual = UsualRows([plan_of(one, parsed) for one in known], "file-", kept=kept_texts)
    reader = RowReader(known, parsed, "file")
    numbered = [*enumerate(rows, 2)]
    by_column = [line for start in range(0, len(numbered), 2) for line in usual.lines(numbered[start : start + 2])]
    by_row = []
    for number, cells in numbered:
        found = reader.read(number, cells)
        is_record = isinstance(found, ParsedRecord)
        by_row.append(work_files.line(number, found.id, found.timestamp, found.body) if is_record else None)
    return by_column, by_row


@settings(max_examples=200, deadline=None)
@given(tables(), st.sampled_from([0, 0, 2, 100]))
def test_a_usual_row_has_the_line_that_its_cells_make_one_by_one(table, kept_texts):
    by_column, by_row = both_ways(*table, kept_texts)

    assert [line if usual is not None else None for usual, line in zip(by_column, by_row, strict=True)] == by_column


@pytest.mark.parametrize(
    ("kind", "text", "stored"),
    [
        ("text", "Köln", '"Köln"'),
        ("integer", "-12", "-12"),
        ("number", "12", "12"),
        ("date", "2024-01-31", '"2024-01-31"'),
        ("time", TIMES[0], f'"{TIMES[0]}"'),
        ("boolean", "yes", "true"),
    ],
)
@pytest.mark.parametrize("kept_texts", [0, 100])
def test_a_row_of_one_type_is_usual(kind, text, stored, kept_texts):
    columns = {"_timestamp": {"type": "time"}, "a": {"type": kind}, "b": {"type": "text"}}

    by_column, by_row = both_ways(columns, [[TIMES[0], text, "x"]] * 3, kept_texts)

    assert by_column == by_row
    assert [line.split("\t")[5] for line in by_column] == [f'{{"a":{stored},"b":"x"}}\n'] * 3


def test_a_row_that_is_not_usual_leaves_its_neighbours_usual():
    columns = {"_timestamp": {"type": "time"}, "a": {"type": "integer"}, "b": {"type": "text"}}
    good = [TIMES[0], "5", "x"]

    by_column, _ = both_ways(columns, [good, [TIMES[0], "five", "x"], good, [TIMES[0]], BROKEN, good], 100)

    assert [line is not None for line in by_column] == [True, False, True, False, False, True]
