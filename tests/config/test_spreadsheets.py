"""The lines of CSV files."""

import csv

import pytest

from config.spreadsheets import csv_line


def test_a_line_is_read_back_as_it_was_written():
    cells = ["plain", "a,b", 'say "hi"', "two\nlines", "", "Über"]

    assert next(csv.reader([csv_line(cells)])) == cells


@pytest.mark.parametrize("cell", ["a,b", 'a"b', "a\nb", "a\rb"])
@pytest.mark.parametrize("others", [[], ["plain"]])
def test_only_the_cells_that_need_quotes_have_them(cell, others):
    quoted = cell.replace('"', '""')

    assert csv_line([cell, *others]) == ",".join([f'"{quoted}"', *others]) + "\r\n"


def test_no_text_runs_as_a_formula_and_numbers_stay_numbers():
    assert csv_line(["=1+1", "-5", -5, 1.5, True, None, [1, "ä"]]) == '\'=1+1,\'-5,-5,1.5,true,,"[1,""ä""]"\r\n'
