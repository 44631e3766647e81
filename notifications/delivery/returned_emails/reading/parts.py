"""Split an email into its parts, in one pass over its bytes.

A part has the places of its body, so nothing is copied before it is needed. Source: RFC 2046 §5.1;
docs/reference/inbox.md §6.
"""

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from notifications.delivery.returned_emails.reading import limits, words
from notifications.delivery.returned_emails.reading.headers import Headers, next_field
from notifications.delivery.returned_emails.reading.limits import (
    MOST_HEADERS,
    MOST_LEVELS,
    MOST_PARTS,
    MOST_TEXT_BYTES,
    Refused,
)

_DELIMITER = re.compile(rb"^--([^\n]{0,198}[^ \t\n])[ \t]*+$", re.MULTILINE)
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
EMAILS = frozenset({"message/rfc822", "message/global"})
_ENCODED = frozenset({"base64", "quoted-printable"})


@dataclass(slots=True)
class MimePart:
    """A part of an email, or the email itself. start, end: of its body; parts: inside it, in order"""

    headers: Headers
    start: int
    end: int = 0
    parts: list["MimePart"] = field(default_factory=list)

    @property
    def encoding(self) -> str:
        return self.headers.first("Content-Transfer-Encoding").strip().lower()

    def walk(self) -> Iterator["MimePart"]:
        """Yield this part and all parts inside it, in order."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting += reversed(part.parts)

    def leaves(self) -> Iterator["MimePart"]:
        """Yield the parts without parts. An email within the email is one of them, like a file."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            if part.headers.kind.startswith("multipart/") and part.parts:
                waiting += reversed(part.parts)
            else:
                yield part


class Email:
    """An email and its parts. Raises Refused if it has too many of them, too many headers, or too many levels.

    top: its own headers and body, with all parts inside
    """

    def __init__(self, data: bytes) -> None:
        # One kind of line ends. Each step copies up to 32 MiB, so it is left out where nothing changes.
        for written in (b"\r\n", b"\r"):
            data = data.replace(written, b"\n") if written in data else data
        self._data = data
        self._text_left, self._headers_left, self._parts_left = MOST_TEXT_BYTES, MOST_HEADERS, MOST_PARTS
        self._open: list[tuple[MimePart, bytes]] = []  # with the boundary of its parts, b"" for an email in a part
        self._delimiters: dict[bytes, tuple[int, bool]] = {}  # with their levels, and whether they are the last one
        self.top = self._split()

    def text(self, part: MimePart, *, most: int = MOST_TEXT_BYTES) -> str:
        """Return the text of a part, decoded, with LF line ends."""
        decoded = words.decode(self.body(part, most=most), part.headers.parameter("Content-Type", "charset") or "utf-8")
        return decoded.replace("\r\n", "\n").replace("\r", "\n")

    def body(self, part: MimePart, *, most: int = MOST_TEXT_BYTES) -> bytes:
        """Return the body of a part without its transfer encoding. After MOST_TEXT_BYTES in all, nothing follows.

        most: bytes of this part, before they are decoded
        """
        data = self._data[part.start : min(part.end, part.start + min(most, self._text_left))]
        self._text_left -= len(data)
        if part.encoding == "base64":
            digits = data.translate(None, _NOT_BASE64)
            whole = digits[:-1] if len(digits) % 4 == 1 else digits  # one digit alone is less than a byte
            return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
        return binascii.a2b_qp(data) if part.encoding == "quoted-printable" else data

    def _split(self) -> MimePart:
        at = self._data.find(b"\n") + 1 if self._data.startswith(b"From ") else 0  # the first line of an mbox file
        top = self._begin(at)
        part: MimePart | None = top
        while part is not None:
            kind = part.headers.kind
            if kind in EMAILS and part.encoding not in _ENCODED:
                self._enter(part, b"")
                part = self._begin(part.start)
                continue
            boundary = part.headers.parameter("Content-Type", "boundary").rstrip()
            if kind.startswith("multipart/") and boundary:
                self._enter(part, boundary.encode("utf-8", "replace"))
            part = self._next(part)
        return top

    def _enter(self, part: MimePart, boundary: bytes) -> None:
        if len(self._open) == MOST_LEVELS:
            raise Refused(limits.TOO_MANY_LEVELS)
        self._open.append((part, boundary))
        self._note_delimiters()

    def _leave(self, level: int) -> None:
        del self._open[level:]
        self._note_delimiters()

    def _note_delimiters(self) -> None:
        # The innermost one counts, so it comes last.
        numbered = [(level, boundary) for level, (_, boundary) in enumerate(self._open) if boundary]
        self._delimiters = {boundary + b"--": (level, True) for level, boundary in numbered}
        self._delimiters |= {boundary: (level, False) for level, boundary in numbered}

    def _begin(self, at: int) -> MimePart:
        """Return the part whose headers begin here."""
        if not self._parts_left:
            raise Refused(limits.TOO_MANY_PARTS)
        self._parts_left -= 1
        headers = Headers()
        while not self._is_delimiter(at) and (found := next_field(self._data, at)):
            if not self._headers_left:
                raise Refused(limits.TOO_MANY_HEADERS)
            self._headers_left -= 1
            name, value, at = found
            headers.add(name, value)
        start = at + 1 if self._data.startswith(b"\n", at) else at
        part = MimePart(headers=headers, start=start, end=len(self._data))
        if self._open:
            self._open[-1][0].parts.append(part)
        return part

    def _next(self, last: MimePart) -> MimePart | None:
        """Return the part that the next delimiter begins, or None if none follows. last: the part before it"""
        if not self._delimiters:
            return None
        for line in _DELIMITER.finditer(self._data, last.start):
            found = self._delimiters.get(line[1])
            if found is None:
                continue
            level, is_last = found
            for part in (last, *(one for one, _ in self._open[level + 1 :])):
                part.end = min(part.end, line.start() - 1)
            self._leave(level if is_last else level + 1)
            if not is_last:
                return self._begin(line.end() + 1)
            if not self._delimiters:
                return None
        return None

    def _is_delimiter(self, at: int) -> bool:
        line = _DELIMITER.match(self._data, at) if self._data.startswith(b"--", at) else None
        return line is not None and line[1] in self._delimiters
