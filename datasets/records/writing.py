"""The fields of a record as the compact JSON that is stored, whose spelling of a number never changes.

Two writers, of which msgspec's takes a fifth of the time and spells some numbers otherwise: 1e16 and not 1e+16, 0.00001
and not 1e-05, null for an infinity. Filters compare what is stored, so it writes only where such numbers cannot be. One
look at the body of a request tells that of all its records.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

Writer = Callable[[dict[str, Any]], str]  # raises TypeError, ValueError, RecursionError
_AS_KINDS = bytes(ord("0") if byte in b"123456789" else ord("e") if byte == ord("E") else byte for byte in range(256))
# By digits as zeros: an exponent; 16 digits, which may round to 17, before a point; too many for an int.
_ODD_KINDS = (b"0e", b"0" * 16 + b".", b"0" * 4_300)
_SMALL = b"0.0000"
_encoder = msgspec.json.Encoder()


class Look(NamedTuple):
    """What is known of all records of a body at once.

    write: what spells them as they are always spelt
    has_escapes: by number, which may stand for characters that cannot be stored
    brackets: how many are opened, in texts too
    """

    write: Writer
    has_escapes: bool
    brackets: int


def look_at(data: bytes) -> Look:
    kinds = data.translate(_AS_KINDS)
    is_odd = _SMALL in data or any(odd in kinds for odd in _ODD_KINDS)
    has_escapes = b"\\" in data and b"\\u" in data  # the first is found missing in a tenth of the time
    return Look(exactly if is_odd else _quickly, has_escapes, data.count(b"{") + data.count(b"["))


def _quickly(own: dict[str, Any]) -> str:
    return _encoder.encode(own).decode()


def _writer() -> Writer:
    """Return the standard library's. Its own `encode` makes the inner part anew each time: half the work."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    make: Any = getattr(json.encoder, "c_make_encoder", None)  # Any: not documented, and CPython's alone
    if make is None:
        return encoder.encode
    # In this order: markers against circles, of which parsed JSON has none; default, text, indent, `:`, `,`, sorted
    # names, other names passed over, not a number.
    pieces = make(None, encoder.default, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda own: "".join(pieces(own, 0))


exactly = _writer()
UNSEEN = Look(exactly, has_escapes=True, brackets=0)  # of which nothing is known
