"""A person chooses the columns: every row then has the values of the chosen columns."""

import pytest

from notifications.bulk_tables import mapping
from notifications.bulk_tables.columns import match
from notifications.bulk_tables.mapping import Spellings

PLACEHOLDERS = ["name", "day"]


@pytest.mark.parametrize(
    ("names", "placeholders", "guessed"),
    [
        (["Day", "e-mail address", "NAME"], PLACEHOLDERS, {"email address": [1], "name": [2], "day": [0]}),
        (["email address", "first name"], ["name"], {"email address": [0]}),
        (["email address", "email_address", "name"], ["name"], {"name": [2]}),
        (["email address", "thing", "x", "thing"], ["thing"], {"email address": [0], "thing": [1, 3]}),
        (["first_name", "email address", "First Name"], ["first name"], {"email address": [1], "first name": [2]}),
        (["email address"], ["Email Address"], {"email address": [0]}),
    ],
)
def test_columns_are_guessed_by_name(names, placeholders, guessed):
    assert mapping.guess(names, placeholders, is_email=True) == guessed


@pytest.mark.parametrize(
    ("names", "choice", "values"),
    [
        (["email address", "name", "day"], {"email address": [0], "name": [1], "day": [2]}, ["0", "1", "2"]),
        (["email address", "name", "day"], {"email address": [0], "name": [2], "day": [1]}, ["0", "2", "1"]),
        (["email address", "who", "when"], {"email address": [0], "name": [1], "day": [2]}, ["0", "1", "2"]),
        (
            ["email address", "email_address", "name", "day"],
            {"email address": [0], "name": [2], "day": [3]},
            ["0", "2", "3"],
        ),
        (["mail", "", "day"], {"email address": [0], "name": [1], "day": [2]}, ["0", "1", "2"]),
        (["mail", "x"], {"email address": [0], "name": [0], "day": [0]}, ["0", "0", "0"]),
        (["mail", "x", "y", "x"], {"email address": [0], "name": [1, 3], "day": [3]}, ["0", ["1", "3"], "3"]),
        (["mail", "name", "name"], {"email address": [0], "name": [2], "day": [0]}, ["0", "2", "0"]),
        (["mail", "day", "DAY", "name"], {"email address": [0], "name": [3], "day": [1]}, ["0", "3", "1"]),
    ],
)
def test_a_row_has_the_values_of_the_chosen_columns(names, choice, values):
    found = mapping.layout(names, PLACEHOLDERS, choice, is_email=True)
    columns = match(found.names, PLACEHOLDERS, is_email=True)
    cells = found.cells([str(place) for place in range(len(names))])

    assert (columns.missing, columns.duplicate_recipient) == ([], [])
    assert columns.recipient is not None
    assert [columns.recipient.value(cells), *(columns.values[name].value(cells) for name in PLACEHOLDERS)] == values


def test_the_layout_of_an_unchanged_guess_is_that_of_the_table():
    names = ["First name", "first_name", "email address", "other"]
    guessed = mapping.guess(names, ["first name"], is_email=True)

    found = mapping.layout(names, ["first name"], guessed, is_email=True)

    assert (found.names, found.copied) == (names, [])


def test_a_value_without_a_column_is_missing_even_if_a_column_has_its_name():
    found = mapping.layout(["email address", "name"], ["name"], {"email address": [0]}, is_email=True)

    assert match(found.names, ["name"], is_email=True).missing == ["name"]


def test_short_rows_are_filled_and_surplus_cells_are_left_out():
    found = mapping.layout(["a", "b"], ["name"], {"email address": [0], "name": [0]}, is_email=True)

    assert [found.cells(row) for row in (["x"], ["x", "y", "z"])] == [["x", None, "x"], ["x", "y", "x"]]


def test_other_spellings_of_a_column_are_named():
    names = ["First name", "x", "first_name", "FIRST NAME", "x"]

    assert mapping.spellings(names, ["first name", "x"]) == [
        Spellings(used="FIRST NAME", others=["First name", "first_name"])
    ]
