"""Turn bytes into a JSON value by RFC 8259, and refuse in one way whatever is none.

Source: Security and reliability §3.
"""

import json
import math
import re
from enum import StrEnum
from typing import NoReturn

import msgspec

MAX_DEPTH = 40  # open brackets at once; the contracts' finer limits come later
MAX_VALUES = 200_000  # as values, 14 MiB of `{},` take 400 MiB
_MARK = b"\xef\xbb\xbf"
# Possessive, and content with a string that never ends: otherwise a million escaped quotes are a million scans.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_SPLIT_BYTES = 4 * 1024 * 1024  # a list of pieces takes up to eight times the memory of the body
_NOT_A_BRACKET = bytes(byte for byte in range(256) if byte not in b"[]{}")
_ONE_KIND = bytes.maketrans(b"[]", b"{}")
_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Reason(StrEnum):
    EMPTY = "empty"
    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    TOO_MANY_VALUES = "too many values"


class JSONRefused(Exception):
    """The bytes are no JSON text. `place`, such as `line 1 column 5`, is known only for some faults of grammar."""

    def __init__(self, reason: Reason, place: str = "") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.place = place


def loads(data: bytes, *, skip_mark: bool, storable: bool) -> object:
    """Return the value; a name given twice in one object keeps its last value. Raises JSONRefused.

    skip_mark: a leading UTF-8 byte order mark is skipped rather than refused
    storable:  also refuse U+0000, lone surrogates, numbers out of range, more than MAX_DEPTH levels and more than
               MAX_VALUES commas, or open brackets, outside strings. Otherwise texts
               are left as they came, such a number becomes an infinity, and only what the parser's own stack does not
               hold (some 1,000 levels) is refused: for a caller who has a finer limit and can say where the fault is
    """
    if not data:
        raise JSONRefused(Reason.EMPTY)
    if storable and _is_deep(data):
        _text(data, skip_mark=skip_mark)  # what is not UTF-8 is refused as that
        _refuse()
    if storable and _has_many_values(data):
        raise JSONRefused(Reason.TOO_MANY_VALUES)
    is_suspect = storable and _SUSPECT_ESCAPE.search(data) is not None
    try:
        value = _QUICK.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # no JSON; or a mark, a lone surrogate, a vast number
        value = _decode(_text(data, skip_mark=skip_mark), _STORABLE if storable else _LENIENT)
    if is_suspect:
        _check_texts(value)
    return value


def is_storable_text(text: str) -> bool:
    """No database holds U+0000 and lone surrogates. Surrogates in pairs are one character by now."""
    return "\0" not in text and (text.isascii() or _LONE_SURROGATE.search(text) is None)


def _is_deep(data: bytes) -> bool:
    """Count open brackets outside strings before parsing: 100,000 of `[` would exhaust the stack of the parser."""
    if _brackets(data) <= MAX_DEPTH:
        return False
    brackets = _outside_strings(data).translate(_ONE_KIND, _NOT_A_BRACKET)
    for _ in range(MAX_DEPTH):  # each round takes the innermost level away
        if not brackets:
            return False
        brackets, before = brackets.replace(b"{}", b""), len(brackets)
        if len(brackets) == before:  # unbalanced: whatever it is, it is no JSON
            break
    return bool(brackets)


def _has_many_values(data: bytes) -> bool:
    if max(data.count(b","), _brackets(data)) <= MAX_VALUES:
        return False
    strings = (data.count(b'"') - data.count(b'\\"')) // 2
    if strings > 2 * MAX_VALUES + 1:  # a name and a value each: no need to look for their ends, which takes a while
        return True
    outside = _outside_strings(data)
    return max(outside.count(b","), _brackets(outside)) > MAX_VALUES


def _brackets(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


def _outside_strings(data: bytes) -> bytes:
    if b"\\" in data or len(data) > _SPLIT_BYTES:
        return _STRING.sub(b"", data)
    return b"".join(data.split(b'"')[::2])  # without escapes every other piece is outside: a quarter of the time


def _text(data: bytes, *, skip_mark: bool) -> str:
    try:
        return data.decode("utf-8-sig" if skip_mark else "utf-8")
    except UnicodeDecodeError as error:
        raise JSONRefused(Reason.NOT_UTF8) from error


def _decode(text: str, decoder: json.JSONDecoder) -> object:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise JSONRefused(Reason.NOT_JSON, f"line {error.lineno} column {error.colno}") from error
    except ValueError:  # Python's own limit: a whole number of more than 4,300 digits
        return _decode(text, _LENIENT_LONG) if decoder is _LENIENT else _refuse()
    except RecursionError as error:
        raise JSONRefused(Reason.NOT_JSON) from error


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
    raise JSONRefused(Reason.NOT_JSON)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse()


def _whole_or_infinity(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return math.inf


# Twice as quick as the standard library, which reads what this one can't, or tells its fault. What it reads is alike.
_QUICK = msgspec.json.Decoder()
# Decoders without a Python function for each number run wholly in C: the common case pays nothing for the rare one.
_LENIENT = json.JSONDecoder(parse_constant=_refuse)
_LENIENT_LONG = json.JSONDecoder(parse_constant=_refuse, parse_int=_whole_or_infinity)
_STORABLE = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
