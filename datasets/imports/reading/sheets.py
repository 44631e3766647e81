"""The sheets of an opened spreadsheet. Source: docs/reference/imports.md §4, §5."""

from collections.abc import Iterator
from typing import Protocol

from config.workbooks.sheets import SheetRow


class Book(Protocol):
    """An opened spreadsheet.

    sheets: names and keys of its visible sheets; hidden_columns: positions, of the sheet that is read
    merged: first and last row of the last merged cell in each column, known after the last row
    """

    sheets: list[tuple[str, str]]
    hidden_columns: set[int]
    merged: dict[int, tuple[int, int]]

    def rows(self, key: str) -> Iterator[SheetRow]: ...
