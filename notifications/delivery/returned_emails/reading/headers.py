"""Read the header fields of an email or of a part, and the parameters of a field.

Source: RFC 5322 §2.2; RFC 2231; docs/reference/inbox.md §6.
"""

import re
from itertools import islice
from urllib.parse import unquote_to_bytes

from notifications.delivery.returned_emails.reading.limits import MOST_HEADER_CHARACTERS
from notifications.delivery.returned_emails.reading.words import decode

_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)(?:\n|\Z)")
_PARAMETER = re.compile(r';\s*+([^\s=;"]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^;\s]*+))', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_KIND = re.compile(r"[a-z0-9.+_-]+/[a-z0-9.+_-]+")
_READ_FROM_ITS_END = "references"  # the last ids are those of the nearest messages
_MOST_PARAMETERS = 100  # of one field


class Headers:
    """The fields of one header block, unfolded but not decoded. Names have no case."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}
        self._found: dict[str, dict[str, str]] = {}  # the parameters of fields that were asked for

    def add(self, name: str, value: str) -> None:
        self._values.setdefault(name.lower(), []).append(value)

    def all(self, name: str) -> list[str]:
        return self._values.get(name.lower(), [])

    def first(self, name: str) -> str:
        """Return the value of the first field with this name, "" if it is missing."""
        return next(iter(self.all(name)), "")

    @property
    def kind(self) -> str:
        """Return the media type in lower case."""
        written = self.first("Content-Type").partition(";")[0].strip().lower()
        return written if _KIND.fullmatch(written) else "text/plain"

    @property
    def filename(self) -> str:
        """Return the file name with its encoded words, "" if it is missing."""
        return self.parameter("Content-Disposition", "filename") or self.parameter("Content-Type", "name")

    def parameter(self, field: str, name: str) -> str:
        """Return a parameter of a field, "" if it is missing.

        >>> headers = Headers()
        >>> headers.add("A", "x; b=1; Name*0*=utf-8''%C3%A4; name*1=bc")
        >>> headers.parameter("a", "b"), headers.parameter("a", "name")
        ('1', 'äbc')
        """
        found = self._parameters(field.lower())
        if name in found:
            return found[name]
        if f"{name}*" in found:
            return _extended(found[f"{name}*"])
        pieces, is_extended = [], f"{name}*0*" in found
        for number in range(_MOST_PARAMETERS):
            piece = found.get(f"{name}*{number}*", found.get(f"{name}*{number}"))
            if piece is None:
                break
            pieces.append(piece)
        return _extended("".join(pieces)) if is_extended else "".join(pieces)

    def _parameters(self, field: str) -> dict[str, str]:
        if field not in self._found:
            written = islice(_PARAMETER.finditer(self.first(field)), _MOST_PARAMETERS)
            self._found[field] = {
                one[1].lower(): one[3] if one[2] is None else _ESCAPED.sub(r"\1", one[2]) for one in written
            }
        return self._found[field]


def next_field(data: bytes, at: int) -> tuple[str, str, int] | None:
    """Return the name, the value and the end of the field that begins here, or None if no field does."""
    found = _FIELD.match(data, at)
    if found is None:
        return None
    name = found[1].decode("ascii").lower()
    start, end = found.span(2)
    if name == _READ_FROM_ITS_END:
        start = max(start, end - MOST_HEADER_CHARACTERS)
    value = data[start : min(end, start + MOST_HEADER_CHARACTERS)].decode("utf-8", "replace")
    return name, value.replace("\n", "").strip(), found.end()


def fields_of(text: bytes) -> Headers:
    """Return the fields at the beginning of a text. The text begins with a field and has LF line ends."""
    headers, at = Headers(), 0
    while field := next_field(text, at):
        name, value, at = field
        headers.add(name, value)
    return headers


def _extended(value: str) -> str:
    """Return the text of `charset'language'percent-encoded`."""
    charset, quote, rest = value.partition("'")
    text = rest.partition("'")[2] if quote else charset
    return decode(unquote_to_bytes(text), charset if quote else "utf-8")
