"""Detect the type of a file from its content. The functions raise nothing and give the same result everywhere.

Libraries with a database change their result with its version and report a text with `<script>` as HTML. Pure Python
libraries report every zip as .docx or do not detect text. Source: docs/reference/files.md §4.
"""

import csv
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Never

from django.utils.translation import gettext_noop

from notifications.attachments import ole_files, zip_files
from notifications.attachments.types import FileType

TEXTS = frozenset({FileType.TEXT, FileType.JSON})
# Extension → media type, with which a download is served, and the name on the download page, which is translated there.
KINDS: Mapping[str, tuple[FileType | str, str]] = {
    "csv": ("text/csv", gettext_noop("Table of values (CSV)")),
    "doc": (FileType.DOC, gettext_noop("Word document")),
    "docx": (FileType.DOCX, gettext_noop("Word document")),
    "jpeg": (FileType.JPEG, gettext_noop("JPEG picture")),
    "jpg": (FileType.JPEG, gettext_noop("JPEG picture")),
    "json": (FileType.JSON, gettext_noop("Data (JSON)")),
    "odt": (FileType.ODT, gettext_noop("OpenDocument text")),
    "pdf": (FileType.PDF, gettext_noop("PDF document")),
    "png": (FileType.PNG, gettext_noop("PNG picture")),
    "rtf": (FileType.RTF, gettext_noop("Rich text document")),
    "txt": (FileType.TEXT, gettext_noop("Plain text")),
    "xlsx": (FileType.XLSX, gettext_noop("Excel spreadsheet")),
}
_TEXT_EXTENSIONS = frozenset({"csv", "txt", "json"})

_PDF = re.compile(rb"(?:\xef\xbb\xbf|\s{0,16})%PDF-")
_ALLOWED_CONTROLS = frozenset("\t\n\v\f\r\x1b")
_DOS_END = "\x1a"  # Ctrl-Z, which ends a text of DOS programs
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TABLE_CHARACTERS = 64 * 1024
_TABLE_LINES = 100
_SEPARATORS = ",;\t"


def detect(data: bytes) -> FileType:
    """Return the type of the content."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        return FileType.PNG
    if data.startswith(b"\xff\xd8\xff"):
        return FileType.JPEG
    if data.startswith(rb"{\rtf"):
        return FileType.RTF
    if _PDF.match(data):
        return FileType.PDF
    if data.startswith(ole_files.MAGIC):
        return FileType.DOC if ole_files.has_entry(data, "WordDocument") else FileType.OLE
    if data.startswith(b"PK\x03\x04"):
        return zip_files.detect(data)
    text = _text(data)
    if text is None:
        return FileType.UNKNOWN
    return FileType.JSON if is_json(text) else FileType.TEXT


def fits(extension: str, found: FileType) -> bool:
    """Return whether the extension fits the type. Any text fits csv, txt and json."""
    if extension in _TEXT_EXTENSIONS:
        return found in TEXTS
    return extension in KINDS and KINDS[extension][0] == found


def extension_for(data: bytes, found: FileType, *, is_csv: bool | None) -> str | None:
    """Return the extension for a file without a name, or None for a type that is not allowed.

    is_csv: the caller's statement about a text; False disables the detection of CSV.
    """
    if found not in TEXTS:
        return _EXTENSION_OF.get(found)
    if is_csv:
        return "csv"
    if found is FileType.JSON:
        return "json"
    return "csv" if is_csv is None and is_table(_text(data) or "") else "txt"


def is_json(text: str) -> bool:
    """Return whether a text is a strict JSON object or array that the parser can read."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def is_table(text: str) -> bool:
    """Return whether the first lines have the same number of fields, at least two."""
    lines = [line for line in text[:_TABLE_CHARACTERS].splitlines() if line.strip()][:_TABLE_LINES]
    return len(lines) >= 2 and any(_has_columns(lines, separator) for separator in _SEPARATORS)


def _has_columns(lines: list[str], separator: str) -> bool:
    try:
        widths = {len(row) for row in csv.reader(lines, delimiter=separator)}
    except csv.Error:
        return False
    return len(widths) == 1 and widths.pop() >= 2


def _text(data: bytes) -> str | None:
    """Return the decoded text, or None if the bytes are not text."""
    encodings = ("utf-16",) if data.startswith(_UTF16_MARKS) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        text = text.rstrip(_DOS_END)
        return None if _has_controls(text) else text
    return None


def _has_controls(text: str) -> bool:
    return any(unicodedata.category(character) == "Cc" for character in set(text) - _ALLOWED_CONTROLS)


def _refuse(constant: str) -> Never:
    raise ValueError(constant)


_EXTENSION_OF: Mapping[str, str] = {media_type: extension for extension, (media_type, _) in KINDS.items()}
