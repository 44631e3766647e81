"""Count the elements of a JSON array without storing them. 64 MiB of `[{},{},…]` would take 1.5 GiB as values."""

import json
import re
from typing import Any

import msgspec

_MARK = b"\xef\xbb\xbf"
_START = re.compile(r"[ \t\n\r]*+\[[ \t\n\r]*+")
_COMMA = re.compile(r"[ \t\n\r]*+,[ \t\n\r]*+")
_decoder = json.JSONDecoder(parse_int=len)  # Python refuses to convert more than 4,300 digits


class TooManyElements(Exception):
    """The array has more elements than are allowed."""


class _Element:
    """Stands for any element of the array."""


_ELEMENT = _Element()


def check(data: bytes, *, max_elements: int) -> None:
    """Raise TooManyElements if the array is too long. Other values, and invalid JSON, are left to the parser."""
    if data.count(b",") < max_elements:
        return
    count = 0

    def take(kind: type, element: Any) -> _Element:  # Any: JSON
        nonlocal count
        count += 1
        if count > max_elements:
            raise TooManyElements
        return _ELEMENT

    try:
        msgspec.json.Decoder(list[_Element], dec_hook=take).decode(data.removeprefix(_MARK))
    except (msgspec.MsgspecError, ValueError, RecursionError):  # a lone surrogate, a very large number, or not JSON
        _check_slowly(data, max_elements)


def _check_slowly(data: bytes, max_elements: int) -> None:
    """Count with the standard library, which accepts some values that msgspec refuses."""
    text = data.decode("utf-8-sig", errors="replace")
    before = _START.match(text)
    for _ in range(max_elements + 1):
        if before is None:
            return
        try:
            _, end = _decoder.raw_decode(text, before.end())
        except (ValueError, RecursionError):
            return
        before = _COMMA.match(text, end)
    raise TooManyElements
