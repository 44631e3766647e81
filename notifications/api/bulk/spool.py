"""Write a request body to an unlinked file, so that a large one never is in memory, and check its text by the way.

Source: docs/reference/bulk-sending.md §7; docs/reference/security.md §3.
"""

import codecs
import hashlib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from config.rest import body
from config.rest.strict_json import JsonReason, UnreadableJSON

# Escapes that stand for storable text, as far as they go: no U+0000, no half of a surrogate pair. ijson accepts both.
_ESCAPES = re.compile(
    rb"(?>(?:[^\\]++|\\(?:[^u]|u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4}"
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))*)"
)
_LONGEST_ESCAPE = len(rb"\ud83d\ude00")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpooledBody:
    """A body in a file. fingerprint: the SHA-256 of its bytes; defect: why it cannot be JSON, or None"""

    file: BinaryIO
    size_bytes: int
    fingerprint: str
    defect: JsonReason | None

    def close(self) -> None:
        self.file.close()


def spool(environ: Mapping[str, Any], *, max_bytes: int) -> SpooledBody:
    """Read the whole body. Raises UnreadableBody. A body with a Content-Length above the limit is not read."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        raise body.UnreadableBody(body.BodyReason.LENGTH_REQUIRED)
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  closed by the body
    check, digest, size = _TextCheck(), hashlib.sha256(), 0
    try:
        for block in body.blocks(environ, max_bytes=max_bytes):
            file.write(block)
            digest.update(block)
            check.add(block)
            size += len(block)
    except BaseException:
        file.close()
        raise
    return SpooledBody(file=file, size_bytes=size, fingerprint=digest.hexdigest(), defect=check.end())


def check_json(spooled: SpooledBody) -> None:
    """Raise UnreadableJSON if the body is empty or its text cannot be stored."""
    if spooled.defect:
        raise UnreadableJSON(spooled.defect)


class _TextCheck:
    """Checks blocks of UTF-8 and of JSON escapes."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._rest = b""  # the start of an escape that the next block completes
        self._defect: JsonReason | None = JsonReason.EMPTY

    def add(self, block: bytes) -> None:
        if self._defect is JsonReason.EMPTY:
            self._defect = JsonReason.NOT_JSON if block.startswith(codecs.BOM_UTF8) else None
        if self._defect:
            return
        try:
            self._decoder.decode(block)
        except UnicodeDecodeError:
            self._defect = JsonReason.NOT_UTF8
            return
        text = self._rest + block
        found = _ESCAPES.match(text)
        self._rest = text[found.end() :] if found else text
        if len(self._rest) >= _LONGEST_ESCAPE:
            self._defect = JsonReason.NOT_JSON

    def end(self) -> JsonReason | None:
        try:
            self._decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return self._defect or JsonReason.NOT_UTF8
        return self._defect or (JsonReason.NOT_JSON if self._rest else None)
