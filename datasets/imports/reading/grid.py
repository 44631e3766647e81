"""A table of cells: its header, its rows and its last rows. Source: docs/reference/imports.md §4, §5."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice

import msgspec

from config.workbooks.sheets import MAX_PLACES
from datasets.imports.reading import csv_rows, encodings, header, second_table, totals
from datasets.imports.reading.cells import Cell, UnreadableFile, is_blank
from datasets.imports.reading.column_facts import ColumnFacts
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.header import NumberedRow
from datasets.imports.reading.questions import Alternative, Json, question
from datasets.imports.reading.settings import MAX_COLUMNS, ImportSettings
from datasets.imports.reading.sheets import Book
from datasets.imports.reading.sources import GridRow, SheetFile, csv, open_sheet_file

_BLOCK_ROWS, _BLOCK_CELLS = 1_000, 100_000


@dataclass(slots=True)
class GridFile:
    """An opened table.

    settings: complete as far as they are known; questions: about the file, not about its columns
    must_wait: the rows cannot be read before the questions are answered
    left_out: the number of last rows that are no records, known after the last row
    merged: the first and last row of a merged cell below the header, by the position of its column, known then, too
    """

    settings: ImportSettings
    is_typed: bool
    questions: list[Json] = field(default_factory=list)
    questions_at_end: list[Json] = field(default_factory=list)
    must_wait: bool = False
    names: list[str] = field(default_factory=list)
    left_out: int = 0
    merged: dict[int, tuple[int, int]] = field(default_factory=dict)
    _rows: Iterator[GridRow] = field(default_factory=lambda: iter(()))
    _book: Book | None = None

    @classmethod
    @contextmanager
    def opened(cls, path: str, kind: str, settings: ImportSettings) -> Iterator["GridFile"]:
        """Open a file and read its header. Raises UnreadableFile."""
        grid = cls(msgspec.structs.replace(settings, format=kind), is_typed=kind != "csv")
        if kind == "csv":
            grid._open_csv(path)
            yield grid
            return
        with open(path, "rb") as file:
            grid._open_sheet(open_sheet_file(file, kind))
            yield grid

    def _set(self, **found: object) -> None:
        self.settings = msgspec.structs.replace(self.settings, **found)

    def _open_csv(self, path: str) -> None:
        encoding = self.settings.encoding or encodings.recognised(path)
        if encoding is None:
            self.questions.append(_ask_encoding(path))
            self.must_wait = True
            return
        delimiter = self.settings.delimiter or csv_rows.delimiter_of(path, encoding)
        self._set(encoding=encoding, delimiter=delimiter)
        self._begin(csv(path, encoding=encoding, delimiter=delimiter))

    def _open_sheet(self, file: SheetFile) -> None:
        name = self.settings.sheet
        if name is None:
            filled = file.with_values()
            if not filled:
                self._begin(iter(()))
                return
            if len(filled) > 1:
                choices = [Alternative(f"Sheet {one}", {"sheet": one}) for one in filled]
                self.questions.append(question("sheet", "Several sheets hold values. Which one is imported?", choices))
                self.must_wait = True
                return
            name = filled[0]
        if name not in dict(file.book.sheets):
            raise UnreadableFile(f"The file has no visible sheet named {name}.")
        self._set(sheet=name)
        if self.settings.hidden is None and (hidden := _hidden(file, name)):
            self.questions.append(_ask_hidden(hidden))
        self._begin(file.rows(name, without_hidden=self.settings.hidden == "leave_out"))
        self._book = file.book

    def _begin(self, rows: Iterator[GridRow]) -> None:
        """Read the header, and leave the rows below it to `data`."""
        own = self.settings
        below = (row for row in rows if row[0] > (own.skip_rows or 0) and not _is_blank(row))
        sample: list[GridRow] = []
        for row in below:
            sample.append(row)
            if len(sample) >= header.SAMPLE_ROWS:
                break
        first = [(number, cells) for number, cells in sample if not isinstance(cells, BrokenRow)]
        found = header.guess(first, header_rows=own.header_rows, skip_rows=own.skip_rows, is_typed=self.is_typed)
        if found.question is not None:
            self.questions.append(found.question)
        self._set(skip_rows=found.skip_rows, header_rows=found.header_rows)
        table = chain((row for row in sample if row[0] > found.skip_rows), below)
        self._name_columns(table, found.header_rows, sample)
        self._rows = table

    def _name_columns(self, table: Iterator[GridRow], header_rows: int, sample: list[GridRow]) -> None:
        taken: list[list[Cell]] = []
        while len(taken) < header_rows and (row := next(table, None)) is not None:
            if not isinstance(row[1], BrokenRow):
                taken.append(row[1])
        if header_rows:
            width = max((len(cells) for cells in taken), default=0)
            if self.is_typed:  # a column without a name has cells in the rows only
                width = max([width, *_widths(sample)])
            names = header.names(taken, min(width, MAX_PLACES))
        else:
            names = [f"column_{place + 1}" for place in range(max(_widths(sample), default=0))]
        if sum(map(bool, names)) > MAX_COLUMNS or (len(names) > MAX_COLUMNS and not self.is_typed):
            raise UnreadableFile(f"The table has more than {MAX_COLUMNS} columns.")
        self.names = names

    def data(self, facts: dict[int, ColumnFacts] | None = None) -> Iterator[list[GridRow]]:
        """Yield the rows of the table in blocks, without those at the end that are left out. facts: counts all rows"""
        asks = self.settings.footer_rows is None and facts is not None
        held = totals.LOOKED_AT if asks else self.settings.footer_rows or 0
        tail: list[GridRow] = []
        second, first_number = second_table.SecondTable(), 0
        rows_at_once = min(_BLOCK_ROWS, 1 + _BLOCK_CELLS // max(len(self.names), 1))
        while some := [*islice(self._rows, rows_at_once)]:
            first_number = first_number or some[0][0]
            if asks:
                second.look(some)
            tail += some
            end = max(len(tail) - held, 0)
            block, tail = tail[:end], tail[end:]
            _count(block, facts)
            yield block
        if asks and facts is not None:
            self.questions_at_end += second.questions()
            end = len(tail) - (0 if second.found else self._ask_totals(tail, facts))
            block, tail = tail[:end], tail[end:]
            _count(block, facts)
            yield block
        self.left_out = len(tail)
        if self._book is not None:
            self.merged = {place: rows for place, rows in self._book.merged.items() if rows[0] >= first_number > 0}

    def _ask_totals(self, tail: Iterable[GridRow], facts: dict[int, ColumnFacts]) -> int:
        """Ask about the last rows if they look like totals. Return how many do."""
        for one in facts.values():
            one.finish()
        rows: list[NumberedRow] = [(number, [] if isinstance(cells, BrokenRow) else cells) for number, cells in tail]
        above = {place: (one.values, one.numbers_sum) for place, one in facts.items() if one.values}
        sums = []
        for _, cells in rows:
            own = {
                place: _number_of(cell, self.is_typed)
                for place, cell in enumerate(cells[: len(self.names)])
                if not is_blank(cell)
            }
            sums.append(totals.is_sum_of([above.get(place, (0, 0.0)) for place in own], list(own.values())))
            for place, value in own.items():
                count, total = above.get(place, (0, 0.0))
                above[place] = (count + (value is not None), total + (value or 0.0))
        number = totals.footer_length(rows, len(self.names), sums)
        if number:
            self.questions_at_end.append(totals.ask(number, header.shown(rows[-number][1])))
        else:
            self._set(footer_rows=0)
        return number


def _count(block: Sequence[GridRow], facts: dict[int, ColumnFacts] | None) -> None:
    if facts is None:
        return
    rows = [cells for _, cells in block if not isinstance(cells, BrokenRow)]
    if len(set(map(len, rows))) == 1:
        for place, column in zip(facts, zip(*rows, strict=True), strict=False):
            facts[place].add_all(column)
        return
    for cells in rows:
        for place, cell in zip(facts, cells, strict=False):
            facts[place].add(cell)


def _is_blank(row: GridRow) -> bool:
    for cell in row[1]:  # noqa: SIM110  `all` takes twice the time. A BrokenRow has its reason, which is not blank
        if not is_blank(cell):
            return False
    return True


def _number_of(cell: Cell, is_typed: bool) -> float | None:
    probe = ColumnFacts(is_typed=is_typed)
    probe.add(cell)
    return probe.last_number


def _widths(rows: Iterable[GridRow]) -> list[int]:
    return [len(cells) for _, cells in rows if not isinstance(cells, BrokenRow)]


def _hidden(file: SheetFile, name: str) -> str:
    """Return what is hidden and has values, in words, or nothing."""
    rows, columns = 0, set[int]()
    for row in file.all_rows(name):
        if all(map(is_blank, row.cells)):
            continue
        rows += row.is_hidden
        if file.book.hidden_columns:
            columns |= {
                place
                for place, cell in enumerate(row.cells)
                if place in file.book.hidden_columns and not is_blank(cell)
            }
    words = ((rows, "row"), (len(columns), "column"))
    parts = [f"{number} {word}{'s' * (number != 1)}" for number, word in words if number]
    return " and ".join(parts)


def _ask_hidden(hidden: str) -> Json:
    choices = [
        Alternative("Import the hidden cells, too", {"hidden": "keep"}),
        Alternative("Leave out what is hidden", {"hidden": "leave_out"}),
    ]
    return question("hidden", f"The sheet hides {hidden} with values. Are they imported?", choices)


def _ask_encoding(path: str) -> Json:
    choices = [Alternative(f"{name}: {sample}", {"encoding": name}) for name, sample in encodings.possible(path)]
    return question(
        "encoding",
        "The file is not UTF-8. In which encoding is this text right? If in none, save the file as UTF-8.",
        choices,
    )
