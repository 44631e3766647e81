"""Read NDJSON, JSON arrays and the output of mongoexport as objects, one at a time.

Source: docs/reference/imports.md §5.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import BinaryIO

from config.rest import strict_json
from datasets.errors import MAX_BYTES_OF_RECORD
from datasets.imports.reading.cells import UnreadableFile
from datasets.imports.reading.csv_rows import BrokenRow

JsonRow = dict[str, object] | BrokenRow
_BLOCK_BYTES = 1024 * 1024
_MARK = codecs.BOM_UTF8
_NOT_JSON = BrokenRow("is not valid JSON")
_NOT_AN_OBJECT = BrokenRow("is not an object")
_NAMED_TWICE = BrokenRow("names a field twice, so its value is not certain")
_TOO_LARGE = BrokenRow(f"is larger than {MAX_BYTES_OF_RECORD} bytes")
_MAX_DEPTH = 40
_NAME = re.compile(rb'"\s*:')  # the end of each name, and perhaps parts of texts
_NO_BLANK = re.compile(r"[^ \t\r\n\0\x1a]")


def lines(path: str) -> Iterator[tuple[int, JsonRow]]:
    """Yield the object of each line with the number of the line. Blank lines are left out."""
    with open(path, "rb") as file:
        number, cut = 0, False
        for line in iter(partial(file.readline, MAX_BYTES_OF_RECORD + 2), b""):
            number += not cut
            if cut or (len(line) > MAX_BYTES_OF_RECORD + 1 and not line.endswith(b"\n")):
                if not cut:
                    yield number, _TOO_LARGE
                cut = not line.endswith(b"\n")
                continue
            own = line.strip(b" \t\r\n\0\x1a")
            if number == 1:
                own = own.removeprefix(_MARK)
            if own:
                yield number, _parsed(own)


def _parsed(data: bytes) -> JsonRow:
    if data.count(b"[") + data.count(b"{") > _MAX_DEPTH and strict_json.is_deep(data, max_depth=_MAX_DEPTH):
        return BrokenRow("is nested too deep")
    try:
        value = strict_json.loads(data, skip_mark=False, storable=False)
    except strict_json.UnreadableJSON as error:
        return BrokenRow("is not UTF-8 text") if error.reason is strict_json.JsonReason.NOT_UTF8 else _NOT_JSON
    if not isinstance(value, dict):
        return _NOT_AN_OBJECT
    return _NAMED_TWICE if len(_NAME.findall(data)) > _names(value) and _has_name_twice(data) else value


def _names(value: object) -> int:
    """Return the number of names in a value, nested ones included."""
    if isinstance(value, dict):
        return len(value) + sum(map(_names, value.values()))
    return sum(map(_names, value)) if isinstance(value, list) else 0


def _has_name_twice(data: bytes) -> bool:
    """Return whether an object names a field twice. The parser keeps the last one."""
    found = False

    def note(pairs: list[tuple[str, object]]) -> None:
        nonlocal found
        found |= len(dict(pairs)) < len(pairs)

    json.loads(data, object_pairs_hook=note, parse_int=str)
    return found


def array(path: str) -> Iterator[tuple[int, JsonRow]]:
    """Yield the elements of a JSON array with their numbers, from 1. Raises UnreadableFile."""
    with open(path, "rb") as file:
        for number, text in enumerate(_elements(_Texts(file)), 1):
            yield number, _parsed(text.encode(errors="surrogatepass"))


class _Texts:
    """The text of a file that is read on as it is used. at: the position of the next character"""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.text, self.at, self.is_whole = "", 0, False

    def more(self) -> bool:
        """Read on, and drop what was used. Return False at the end of the file. Raises UnreadableFile."""
        if self.is_whole:
            return False
        block = self._file.read(_BLOCK_BYTES)
        self.is_whole = not block
        try:
            self.text = self.text[self.at :] + self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise UnreadableFile("The file is not UTF-8 text.") from error
        self.at = 0
        return True

    def next_mark(self, at: int) -> str:
        """Go on to the next character that is no blank, from `at` on, and return it, or nothing at the end."""
        self.at = at
        while True:
            found = _NO_BLANK.search(self.text, self.at)
            if found is not None:
                self.at = found.start()
                return found[0]
            self.at = len(self.text)
            if not self.more():
                return ""


def _elements(texts: _Texts) -> Iterator[str]:
    decode: Callable[[str, int], tuple[object, int]] = json.JSONDecoder().raw_decode
    if texts.next_mark(0) != "[":
        raise UnreadableFile("The file is not a JSON array.")
    number, mark = 0, texts.next_mark(texts.at + 1)
    while mark != "]":
        number += 1
        while True:
            try:
                end = decode(texts.text, texts.at)[1]
                if end < len(texts.text) or not texts.more():
                    break
            except (ValueError, RecursionError) as error:
                if len(texts.text) - texts.at > MAX_BYTES_OF_RECORD or not texts.more():
                    raise UnreadableFile(f"The file is not valid JSON: see record {number}.") from error
        yield texts.text[texts.at : end]
        mark = texts.next_mark(end)
        if mark == ",":
            mark = texts.next_mark(texts.at + 1)
            if mark == "]":
                raise UnreadableFile(f"The file is not valid JSON: a comma follows record {number}.")
        elif mark != "]":
            raise UnreadableFile(f"The file is not valid JSON after record {number}.")
    if texts.next_mark(texts.at + 1):
        raise UnreadableFile("The file is not valid JSON: it goes on after the array.")


def plain(value: object) -> object:
    """Return a value of mongoexport as plain JSON. Raises ValueError for one that has no plain value.

    >>> plain({"n": {"$numberLong": "5"}, "at": {"$date": 1706691600000}})
    {'n': 5, 'at': '2024-01-31T09:00:00Z'}
    """
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if name in _PLAIN:
            return _PLAIN[name](inner)
    return {name: plain(inner) for name, inner in value.items()}


def _date(value: object) -> object:
    if isinstance(value, dict):
        value = plain(value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("$date is neither a text nor a number")
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
    except OverflowError as error:
        raise ValueError("$date is out of range") from error
    fraction = f".{value % 1000:03}" if value % 1000 else ""
    return f"{at:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + fraction + "Z"


def _long(value: object) -> object:
    return int(str(value))


def _double(value: object) -> object:
    number = float(str(value))
    if number != number or number in {float("inf"), float("-inf")}:
        raise ValueError("$numberDouble is not a number")
    return number


def _identifier(value: object) -> object:
    return str(value)


_PLAIN: dict[str, Callable[[object], object]] = {
    "$date": _date,
    "$numberLong": _long,
    "$numberInt": _long,
    "$numberDouble": _double,
    "$oid": _identifier,
}


def exported(path: str) -> Iterator[tuple[int, JsonRow]]:
    """Yield the objects of a file of mongoexport, lines or an array, as plain JSON."""
    with open(path, "rb") as file:
        is_array = file.read(64).removeprefix(_MARK).lstrip()[:1] == b"["
    for number, row in array(path) if is_array else lines(path):
        if isinstance(row, BrokenRow):
            yield number, row
            continue
        try:
            yield number, plain(row)  # type: ignore[misc]  # an object stays an object, or is refused
        except ValueError as error:
            yield number, BrokenRow(str(error))
