"""Tables beyond the vectors: damaged text, large cells, and rows that are read one by one."""

import csv
import io
import random
import string
from collections.abc import Iterator

import pytest

from notifications.bulk_tables import tables
from notifications.bulk_tables.tables import NotConvertible, UnclosedQuote, UnreadableTable


def rows_of(text: str) -> list[list[object]]:
    table = tables.from_csv(text)
    return [list(table.names), *map(list, table.rows)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_kind_of_line_end_ends_a_row_and_stays_inside_quotes(end: str) -> None:
    assert rows_of(f'a,b{end}1,"x{end}y"{end}2,z') == [["a", "b"], ["1", f"x{end}y"], ["2", "z"]]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('"a,b', 1),
        ('a,b\n1,"2\n3,4', 2),
        ('a,b\n"1\n1",2\n3,"4', 3),
        ('a\n""', None),
        ('a\n"x""y"', None),
        ('a\n"x"y"', None),
        ('a\n  "x', 2),
        ('a\nx"y', None),
        ('a,b\n"' + "x" * 200_000, 2),
    ],
)
def test_a_quotation_mark_that_is_never_closed_is_found_in_its_row(text: str, row: int | None) -> None:
    if row is None:
        list(tables.from_csv(text).rows)
        return
    with pytest.raises(UnclosedQuote, match=f"in row {row} is not closed"):
        tables.from_csv(text)


def test_the_search_for_unclosed_quotes_agrees_with_the_csv_module() -> None:
    """A text that ends inside quotes swallows a further line, so the last row shows whether one is open."""
    choice = random.Random(20261124)  # noqa: S311  cases, not secrets
    for _ in range(3000):
        text = "".join(choice.choices('ab", \n\r', k=choice.randint(1, 14))).strip(string.whitespace + ",")
        with_mark = list(csv.reader(io.StringIO(text + "\nend", newline=""), skipinitialspace=True))
        is_closed = with_mark[-1] == ["end"]
        try:
            list(tables.from_csv(text).rows)
        except UnclosedQuote:
            assert not is_closed, repr(text)
        else:
            assert is_closed, repr(text)


def test_a_null_character_cannot_be_read() -> None:
    with pytest.raises(NotConvertible, match="line contains NUL"):
        tables.from_csv("a\n\0")
    with pytest.raises(NotConvertible, match="line contains NUL"):
        list(tables.from_json([["a"], ["\0"]]).rows)


@pytest.mark.parametrize("cell", [{}, {"file": "x"}, [["x"]], [{}]])
def test_objects_and_nested_arrays_are_no_cells(cell: object) -> None:
    with pytest.raises(UnreadableTable, match="a cell cannot be an"):
        list(tables.from_json([["a"], [cell]]).rows)


@pytest.mark.parametrize(
    ("row", "named"), [("text", "str"), (None, "NoneType"), ({}, "dict"), (1.5, "float"), (True, "bool")]
)
def test_a_row_that_is_no_array_is_named_by_its_type(row: object, named: str) -> None:
    with pytest.raises(NotConvertible, match=f"iterable expected, not {named}"):
        list(tables.from_json([["a"], row]).rows)


def test_a_long_json_cell_has_the_error_of_a_long_csv_cell() -> None:
    with pytest.raises(NotConvertible, match="field larger than field limit"):
        list(tables.from_json([["a"], ["x" * (tables.MAX_CELL_CHARACTERS + 1)]]).rows)


def test_rows_are_read_one_by_one() -> None:
    read = 0

    def rows() -> Iterator[list[object]]:
        nonlocal read
        for number in range(1000):
            read += 1
            yield [number]

    table = tables.from_json(rows())
    next(table.rows)

    assert read == 2


def test_rows_of_separators_before_the_names_and_after_the_rows_are_left_out() -> None:
    assert rows_of(",,\n , \na,b\n1,2\n,,,\n") == [["a", "b"], ["1", "2"]]
