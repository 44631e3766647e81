"""Read the rows of CSV and TSV files as texts, in constant memory. Source: RFC 4180; docs/reference/imports.md §5."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from datasets.imports.reading.cells import Cell, UnreadableFile
from datasets.imports.reading.encodings import codec_of

DELIMITERS = ("\t", ";", "|", ",")  # of two that fit equally, the rarer mark in texts comes first
MAX_LINE = 8 * 1024 * 1024  # characters
MAX_CELL = 4 * 1024 * 1024
_SAMPLE_ROWS = 200
_SEPARATOR = "sep="
_END = "\0\x1a"
_IS_CUT = "end of data"  # in the message of csv.Error


class BrokenRow(NamedTuple):
    """A row that cannot be read."""

    reason: str


Row = list[Cell] | BrokenRow


def rows(path: str, *, encoding: str, delimiter: str) -> Iterator[tuple[int, Row]]:
    """Yield each row with its number, from 1. A line `sep=;` at the top is no row. Raises UnreadableFile."""
    csv.field_size_limit(MAX_CELL)
    number = 0
    has_padding = _has_blanks_before_quotes(_first_text(path, encoding, errors="replace"), delimiter)
    with open(path, encoding=codec_of(encoding), newline="") as file:
        reader = csv.reader(_lines(file), delimiter=delimiter, strict=True, skipinitialspace=has_padding)
        while True:
            number += 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield number, _broken(error, number)
            except UnicodeError as error:
                raise UnreadableFile(
                    f"The file is not in the encoding {encoding}: see row {number}. Save it as UTF-8."
                ) from error
            else:
                if number == 1 and _is_separator_line(row, delimiter):
                    number = 0
                    continue
                yield number, row  # type: ignore[misc]  # a list of texts is a list of cells


def delimiter_of(path: str, encoding: str) -> str:
    """Return the delimiter: that of a line `sep=;`, or the one that gives rows of one width."""
    text = _first_text(path, encoding)
    first = text.split("\n", 1)[0].strip("\r\n")
    if first.lower().startswith(_SEPARATOR) and len(first) == len(_SEPARATOR) + 1:
        return first[-1]
    scored = [(_score(text, delimiter), delimiter) for delimiter in DELIMITERS]
    best, delimiter = max(scored, key=lambda one: one[0])
    return delimiter if best > (0.0, 0.0) else ","


def _first_text(path: str, encoding: str, *, errors: str = "strict") -> str:
    with open(path, encoding=codec_of(encoding), errors=errors, newline="") as file:
        try:
            return file.read(256 * 1024).lstrip("\ufeff")
        except UnicodeError as error:
            raise UnreadableFile(f"The file is not in the encoding {encoding}. Save it as UTF-8.") from error


def _has_blanks_before_quotes(text: str, delimiter: str) -> bool:
    """Return whether a text has cells such as `, "c"`. Then the blanks after delimiters belong to no cell.

    >>> _has_blanks_before_quotes('a, "b, c"\\n', ","), _has_blanks_before_quotes('a," ""b"" "\\nc, d\\n', ",")
    (True, False)
    """
    if f'{delimiter} "' not in text and f"{delimiter}  " not in text:
        return False
    as_written = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    without = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    found = False
    try:
        for own, other in zip(as_written, without, strict=False):
            found |= own != other and any(cell[:1] == " " and cell.lstrip(" ")[:1] == '"' for cell in own)
    except csv.Error as error:
        return found and _IS_CUT in str(error)
    return found


def _score(text: str, delimiter: str) -> tuple[float, float]:
    """Return how well a delimiter fits: the part of rows that has the most common width, if that is over 1."""
    widths: Counter[int] = Counter()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if any(map(str.strip, row)):
                widths[len(row)] += 1
            if sum(widths.values()) >= _SAMPLE_ROWS:
                break
    except csv.Error:
        return 0.0, 0.0
    wide = [(number, width) for width, number in widths.items() if width > 1]
    if not wide:
        return 0.0, 0.0
    number, _ = max(wide)
    share = number / sum(widths.values())
    return (1.0, 0.0) if share > 0.99 else (share, 0.0)  # of equal ones, the order of DELIMITERS decides


def _lines(file: io.TextIOBase) -> Iterator[str]:
    """Yield the lines. A mark at the start, and NULs and Ctrl-Z at the end, belong to none."""
    lines = iter(partial(file.readline, MAX_LINE), "")
    held = next(lines, "").lstrip("\ufeff")
    for line in lines:
        if not held.strip(_END):
            if held:
                held += line
                if len(held) > MAX_LINE and held.strip(_END):
                    break
                held = held if held.strip(_END) else "\0"
            else:
                held = line
            continue
        if len(held) >= MAX_LINE:
            raise UnreadableFile(f"A line of the file has more than {MAX_LINE} characters.")
        yield held
        held = line
    if len(held) >= MAX_LINE:
        raise UnreadableFile(f"A line of the file has more than {MAX_LINE} characters.")
    if held := held.rstrip(_END):
        yield held


def _is_separator_line(row: list[str], delimiter: str) -> bool:
    joined = delimiter.join(row)
    return joined.lower() == f"{_SEPARATOR}{delimiter}"


def _broken(error: csv.Error, number: int) -> BrokenRow:
    message = str(error)
    if _IS_CUT in message:
        raise UnreadableFile(
            f"A quotation mark is never closed. Its text begins in row {number}: add the closing mark."
        )
    if "field limit" in message:
        raise UnreadableFile(
            f"A cell of row {number} has more than {MAX_CELL} characters: is a quotation mark missing?"
        )
    return BrokenRow("has text after a closing quotation mark: write a mark inside a value twice")
