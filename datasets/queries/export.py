"""CSV and NDJSON, line by line. Source: Data Set contract §11 (CSV, NDJSON)."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_RUNS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes text that begins so for a formula
_QUOTED = frozenset(',"\r\n')


def ndjson(lines: Iterable[str]) -> Iterator[str]:
    """Yield each JSON text on a line of its own."""
    for line in lines:
        yield f"{line}\n"


def csv(rows: Callable[[], Iterable[dict[str, Any]]]) -> Iterator[str]:
    """Yield a header of every field in the result by code point, then a line for each row; no rows: nothing at all.

    rows: called twice, once for the names and once for the values, so that no more than a row is held.
    """
    header = sorted({name for row in rows() for name in row})
    if header:
        yield _line(map(_cell, header))
        for row in rows():
            yield _line(_cell(row.get(name)) for name in header)


def _line(cells: Iterable[str]) -> str:
    return ",".join(cells) + "\r\n"


def _cell(value: Any) -> str:
    """Return one cell.

    >>> [_cell(value) for value in (None, True, -5, "-5", "a,b")]
    ['', 'true', '-5', "'-5", '"a,b"']
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    else:
        text = f"'{value}" if value.startswith(_RUNS) else value
    return '"' + text.replace('"', '""') + '"' if _QUOTED.intersection(text) else text
