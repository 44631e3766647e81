"""Find totals, notes and sums in the last rows of a table. Source: docs/reference/imports.md §4."""

import re
from collections.abc import Sequence

from datasets.imports.reading.cells import Cell, is_blank
from datasets.imports.reading.header import NumberedRow
from datasets.imports.reading.questions import Alternative, Json, question

LOOKED_AT = 5  # last rows
_LEAST_ROWS = 3  # above a sum
_LEAST_WIDTH = 3  # of a table below which a row with one cell is a note
_WORDS = re.compile(
    r"\W*(?:(?:grand |sub-?)?totals?|sums?|average|mean|source|sources|notes?|footnotes?|remarks?|all"
    r"|(?:zwischen|gesamt)?summen?|gesamt|insgesamt|zusammen"
    r"|mittelwert|durchschnitt|quellen?|hinweise?|anmerkungen|anmerkung|stand"
    r"|totaux|somme|ensemble|moyenne|sous-total|remarques?|suma|media|fuente|nota|notas|totale|somma|fonte|totaal|som"
    r"|gemiddelde|bron|razem|ogółem|źródło|uwagi?|samtals|summa|totalt|yhteensä|i alt|celkem"
    r"|összesen|итого|всего|сумма)"
    r"(?!\w)",
    re.IGNORECASE,
)


def looks_like_footer(cells: Sequence[Cell], width: int, *, is_sum: bool) -> bool:
    """Return whether a row looks like a total, a note or a sum. width: of the table"""
    filled = [cell for cell in cells if not is_blank(cell)]
    if not filled:
        return False
    if any(isinstance(cell, str) and _WORDS.match(cell) for cell in filled[:2]):
        return True
    if len(filled) == 1 and width >= _LEAST_WIDTH and isinstance(filled[0], str) and not is_blank(cells[0]):
        return True
    return is_sum


def footer_length(tail: Sequence[NumberedRow], width: int, sums: Sequence[bool]) -> int:
    """Return how many of the last rows look like totals, notes or sums: from the first such row on."""
    for index, (_, cells) in enumerate(tail):
        if looks_like_footer(cells, width, is_sum=sums[index]):
            return len(tail) - index
    return 0


def ask(number: int, example: str) -> Json:
    """Return the question whether the last rows belong to the table."""
    rows = "The last row looks" if number == 1 else f"The last {number} rows look"
    leave = "Leave out the last row" if number == 1 else f"Leave out the last {number} rows"
    return question(
        "totals",
        f"{rows} like totals, notes or sums: {example}. Are they records?",
        [
            Alternative(leave, {"footer_rows": number}),
            Alternative("Keep all rows as records", {"footer_rows": 0}),
        ],
    )


def is_sum_of(above: Sequence[tuple[int, float]], own: Sequence[float | None]) -> bool:
    """Return whether a row has the sums of all numbers above. above: the number of values and their sum, by column"""
    pairs = [
        (total, value)
        for (count, total), value in zip(above, own, strict=True)
        if count >= _LEAST_ROWS and value is not None and value != 0
    ]
    return bool(pairs) and all(abs(total - value) <= 1e-9 * max(abs(total), 1) for total, value in pairs)
