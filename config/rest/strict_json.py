"""Parse bytes as JSON by RFC 8259 and raise one exception for everything else.

Source: docs/reference/security.md §3.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NoReturn

import msgspec

MAX_DEPTH = 40  # nested brackets; each API has lower limits of its own
MAX_VALUES = 200_000  # 14 MiB of `{},` take 400 MiB once they are parsed
_MARK = b"\xef\xbb\xbf"
_BLOCK_BYTES = 256 * 1024  # to split a whole body at once would take up to 14 times its memory
_NOT_A_BRACKET = bytes(byte for byte in range(256) if byte not in b"[]{}")
_ONE_KIND = bytes.maketrans(b"[]", b"{}")
_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonReason(StrEnum):
    EMPTY = "empty"
    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    TOO_MANY_VALUES = "too many values"


class UnreadableJSON(Exception):
    """The bytes are not valid JSON. `place`, such as `line 1 column 5`, is known for some syntax errors only."""

    def __init__(self, reason: JsonReason, place: str = "") -> None:
        super().__init__(reason, place)
        self.reason = reason
        self.place = place


def loads(data: bytes, *, skip_mark: bool, storable: bool) -> object:
    """Return the value; a name given twice in one object keeps its last value. Raises UnreadableJSON.

    skip_mark: a leading UTF-8 byte order mark is skipped rather than refused
    storable:  also refuse U+0000, lone surrogates, numbers out of range, more than MAX_DEPTH levels, and more than
               MAX_VALUES commas or open brackets outside strings. If False, texts stay as they are, a number out of
               range becomes infinity, and only about 1,000 levels are too many: the data set API checks these
               itself, so that its error can name the record
    """
    if not data:
        raise UnreadableJSON(JsonReason.EMPTY)
    if storable and len(data) > MAX_DEPTH:  # shorter data cannot be too deep
        _check_size(data, skip_mark=skip_mark)
    is_suspect = storable and _SUSPECT_ESCAPE.search(data) is not None
    try:
        value = _QUICK.decode(data)
    except (
        msgspec.MsgspecError,
        ValueError,
        RecursionError,
    ):  # also a byte order mark, a lone surrogate or a huge number
        value = _decode(_text(data, skip_mark=skip_mark), _STORABLE if storable else _LENIENT)
    if is_suspect:
        _check_texts(value)
    return value


def _check_size(data: bytes, *, skip_mark: bool) -> None:
    """Raise UnreadableJSON if there are too many levels or values."""
    brackets = _brackets(data)
    if brackets > MAX_DEPTH and is_deep(data, max_depth=MAX_DEPTH):
        _text(data, skip_mark=skip_mark)  # raises NOT_UTF8 if that is the reason
        _refuse()
    if max(data.count(b","), brackets) > MAX_VALUES and has_many_values(data, max_values=MAX_VALUES):
        raise UnreadableJSON(JsonReason.TOO_MANY_VALUES)


def is_storable_text(text: str) -> bool:
    """Return whether a database can store the text: it has neither U+0000 nor a lone surrogate."""
    return "\0" not in text and (text.isascii() or _LONE_SURROGATE.search(text) is None)


def is_deep(data: bytes, *, max_depth: int) -> bool:
    """Return whether brackets are nested too deep, before parsing: 100,000 `[` would exhaust the parser's stack."""
    if _brackets(data) <= max_depth:
        return False
    brackets = b"".join(outside.translate(_ONE_KIND, _NOT_A_BRACKET) for outside in _outside_strings(data))
    for _ in range(max_depth):  # each round removes the innermost level
        if not brackets:
            return False
        brackets, before = brackets.replace(b"{}", b""), len(brackets)
        if len(brackets) == before:  # unbalanced, so it is not JSON
            break
    return bool(brackets)


def has_many_values(data: bytes, *, max_values: int) -> bool:
    """Return whether there are too many values. Checked before parsing: 57 MiB of `{},` take 1.7 GiB as values."""
    if max(data.count(b","), _brackets(data)) <= max_values:
        return False
    strings = (data.count(b'"') - data.count(b'\\"')) // 2
    if strings > 2 * max_values + 1:  # at most a name and a value each, so the slow search for their ends is not needed
        return True
    commas = brackets = 0
    for outside in _outside_strings(data):
        commas, brackets = commas + outside.count(b","), brackets + _brackets(outside)
        if max(commas, brackets) > max_values:
            return True
    return False


def counts(data: memoryview) -> Iterator[tuple[int, int]]:
    """Yield how many names and values a JSON text has so far, block by block. A colon follows each name."""
    colons = commas = brackets = 0
    for outside in _outside_strings(data):
        colons, commas = colons + outside.count(b":"), commas + outside.count(b",")
        brackets += _brackets(outside)
        yield colons, max(commas, brackets)


class ValueCount:
    """Counts the values of a body while it arrives, so that a body with too many is not kept in memory."""

    def __init__(self, max_values: int) -> None:
        self._max_values = max_values
        self._marks = 0  # commas and brackets, those in strings included

    def check(self, block: bytes, whole: Callable[[], bytes]) -> None:
        """Take a block. Raises UnreadableJSON if the body has too many values so far."""
        if self.is_over(block, whole):
            raise UnreadableJSON(JsonReason.TOO_MANY_VALUES)

    def is_over(self, block: bytes, whole: Callable[[], bytes]) -> bool:
        """Take a block and return whether the body has too many values so far. whole: returns the body so far."""
        self._marks += block.count(b",") + _brackets(block)
        if self._marks <= self._max_values:
            return False
        self._marks = 0  # if the marks are in strings, look again after as many more
        return has_many_values(whole(), max_values=self._max_values)


def _brackets(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


def _outside_strings(data: bytes | memoryview) -> Iterator[bytes]:
    """Yield the bytes outside strings, in blocks. Without escaped quotes that is every other piece between quotes."""
    is_inside, start = False, 0
    while start < len(data):
        block = bytes(data[start : start + _BLOCK_BYTES])
        start += len(block)
        if (len(block) - len(block.rstrip(b"\\"))) % 2 and start < len(data):  # the end of the block splits an escape
            block, start = block[:-1], start - 1
        if b"\\" in block:
            block = block.replace(b"\\\\", b"").replace(b'\\"', b"")
        pieces = block.split(b'"')
        yield b"".join(pieces[is_inside::2])
        is_inside ^= len(pieces) % 2 == 0


def _text(data: bytes, *, skip_mark: bool) -> str:
    try:
        return data.decode("utf-8-sig" if skip_mark else "utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableJSON(JsonReason.NOT_UTF8) from error


def _decode(text: str, decoder: json.JSONDecoder) -> object:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise UnreadableJSON(JsonReason.NOT_JSON, f"line {error.lineno} column {error.colno}") from error
    except ValueError:  # Python's own limit: a whole number of more than 4,300 digits
        return _decode(text, _LENIENT_LONG) if decoder is _LENIENT else _refuse()
    except RecursionError as error:
        raise UnreadableJSON(JsonReason.NOT_JSON) from error


def _check_texts(value: object) -> None:
    if isinstance(value, str):
        if not is_storable_text(value):
            _refuse()
    elif isinstance(value, dict):
        for name, inner in value.items():
            _check_texts(name)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)


def _refuse(_: str = "") -> NoReturn:
    raise UnreadableJSON(JsonReason.NOT_JSON)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse()


def _whole_or_infinity(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return math.inf


# msgspec is twice as fast as the standard library, which parses the rest and locates errors.
_QUICK = msgspec.json.Decoder()
# These run in C as long as no number needs a Python function.
_LENIENT = json.JSONDecoder(parse_constant=_refuse)
_LENIENT_LONG = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole_or_infinity)
_STORABLE = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
