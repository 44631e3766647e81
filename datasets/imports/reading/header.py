"""Find the row with the names of the columns. Source: docs/reference/imports.md §4."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from datasets.imports.reading import shapes
from datasets.imports.reading.cells import Bad, Cell, CellMoment, is_blank, text_of
from datasets.imports.reading.questions import Alternative, Json, question

SAMPLE_ROWS = 200
_LOOKED_AT = 20  # rows below the names
_TitleWidth = 1  # cells of a row that is a title, and no row of the table
_LEAST_WIDTH = 3  # of a table above which a row with one cell is a title
_SHOWN = 5  # cells of a row in a label

NumberedRow = tuple[int, list[Cell]]


class HeaderGuess(NamedTuple):
    """Where the names are. question: if nothing shows it for certain"""

    skip_rows: int
    header_rows: int
    question: Json | None = None


def guess(
    rows: Sequence[NumberedRow], *, header_rows: int | None, skip_rows: int | None, is_typed: bool
) -> HeaderGuess:
    """Return where the names are. rows: the first ones that are not blank, below `skip_rows`; None: not given."""
    skip = skip_rows or 0
    if not rows or header_rows is not None:
        found = HeaderGuess(skip, 1 if header_rows is None else header_rows)
        if rows and header_rows and skip_rows is None and (first := _first_wide(rows, is_typed=is_typed)) > 0:
            return found._replace(question=_above(rows, first))
        return found
    first = _first_wide(rows, is_typed=is_typed) if skip_rows is None else 0
    if first > 0:
        return HeaderGuess(rows[first][0] - 1, 1, _above(rows, first))
    if not are_names(rows[0][1]):
        message = f"The first row does not look like names of columns: {shown(rows[0][1])}. Does it have the names?"
        return HeaderGuess(skip, 1, question("header", message, [_no_names(skip), _names_in(rows, 0, skip)]))
    if _is_second_header(rows):
        message = f"Two rows look like names of columns: {shown(rows[0][1])} and {shown(rows[1][1])}."
        choices = [_names_in(rows, 0, skip), _two_rows(rows, 0, skip), _names_in(rows, 1, rows[1][0] - 1)]
        return HeaderGuess(skip, 1, question("header", message, choices))
    return HeaderGuess(skip, 1)


def _first_wide(rows: Sequence[NumberedRow], *, is_typed: bool) -> int:
    """Return the index of the first row that is as wide as most rows."""
    widths = [_filled_width(cells) if is_typed else len(cells) for _, cells in rows]
    counted = Counter(widths)
    usual = max(counted, key=lambda width: (counted[width], width))
    for index, (_, cells) in enumerate(rows):
        filled = sum(not is_blank(cell) for cell in cells)
        is_title = filled <= _TitleWidth and usual >= _LEAST_WIDTH
        if widths[index] >= usual and not is_title:
            return index
    return 0


def _above(rows: Sequence[NumberedRow], first: int) -> Json:
    message = f"Above the table are lines of another width: {shown(rows[0][1])}. Which row has the names?"
    start = max(first - 1, 0)
    choices = [_names_in(rows, first, rows[first][0] - 1)]
    if first + 1 < len(rows) and are_names(rows[first + 1][1]):
        choices.append(_two_rows(rows, first, rows[first][0] - 1))
    if start < first and sum(not is_blank(cell) for cell in rows[start][1]) > 1:
        choices.append(_two_rows(rows, start, rows[start][0] - 1))
    if first > 0:
        choices.append(_names_in(rows, 0, 0))
    choices.append(_no_names(rows[first][0] - 1))
    return question("header", message, choices)


def _names_in(rows: Sequence[NumberedRow], index: int, skip: int) -> Alternative:
    number, cells = rows[index]
    return Alternative(f"Row {number} has the names: {shown(cells)}", {"skip_rows": skip, "header_rows": 1})


def _two_rows(rows: Sequence[NumberedRow], index: int, skip: int) -> Alternative:
    label = f"Rows {rows[index][0]} and {rows[index + 1][0]} have the names together"
    return Alternative(label, {"skip_rows": skip, "header_rows": 2})


def _no_names(skip: int) -> Alternative:
    return Alternative(f"No row has names; row {skip + 1} is the first record", {"skip_rows": skip, "header_rows": 0})


def _filled_width(cells: Sequence[Cell]) -> int:
    return max((place + 1 for place, cell in enumerate(cells) if not is_blank(cell)), default=0)


def is_name(cell: Cell) -> bool:
    return isinstance(cell, str) and shapes.is_like_a_name(cell)


def are_names(cells: Sequence[Cell]) -> bool:
    """Return whether all cells that are not blank may be names, and most are not blank."""
    filled = [cell for cell in cells if not is_blank(cell)]
    return bool(filled) and all(map(is_name, filled)) and 2 * len(filled) >= _filled_width(cells)


def _is_second_header(rows: Sequence[NumberedRow]) -> bool:
    """Return whether the second row looks like names, and the rows below do not."""
    below = [cells for _, cells in rows[2 : 2 + _LOOKED_AT]]
    if not below or not are_names(rows[1][1]):
        return False
    return any(is_name(cell) and _is_data(below, place) for place, cell in enumerate(rows[1][1]))


def _is_data(below: Sequence[Sequence[Cell]], place: int) -> bool:
    """Return whether a column has values, and none of them may be a name."""
    values = [cells[place] for cells in below if place < len(cells) and not is_blank(cells[place])]
    return bool(values) and not any(map(is_name, values))


def shown(cells: Sequence[Cell]) -> str:
    texts = [cell.shown if isinstance(cell, Bad) else text_of(cell) for cell in cells if not is_blank(cell)]
    return ", ".join(text.strip()[:40] for text in texts[:_SHOWN]) + (" …" if len(texts) > _SHOWN else "")


def names(rows: Sequence[Sequence[Cell]], width: int) -> list[str]:
    """Return the names of the columns. In several rows, an upper blank cell repeats the one at its left.

    >>> names([["Region", "Men", ""], ["", "2023", "2024"]], 3)
    ['Region', 'Men 2023', 'Men 2024']
    """
    texts = [[_name(row[place]) if place < len(row) else "" for place in range(width)] for row in rows]
    for row in texts[:-1]:
        for place in range(1, width):
            row[place] = row[place] or row[place - 1]
    return [" ".join(filter(None, (row[place] for row in texts))) for place in range(width)]


def _name(cell: Cell) -> str:
    if isinstance(cell, Bad):
        return cell.shown
    return cell.text if isinstance(cell, CellMoment) else text_of(cell).strip()
