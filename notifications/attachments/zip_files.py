"""Which document a zip archive is, if any, judged before any part is opened that could be a trap.

Source: Files sent by email §4, the zip rules.
"""

import io
import stat
import struct
import zipfile
import zlib

from notifications.attachments import office_parts
from notifications.attachments.types import FileType

MAX_PARTS = 2_000
MAX_UNPACKED_BYTES = 100 * 1024 * 1024  # as declared, all parts together

_MAIN_TYPES = {f"{found}.main+xml": found for found in (FileType.DOCX, FileType.XLSX)}  # of the part that leads
_MACROS = "vbaproject.bin"
_IS_ENCRYPTED = 0x1
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # documents know no others

# All that the zip module says of broken archives: 20,000 mutated ones gave no other.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,  # a kind of packing, or a version, that it does not know
    RuntimeError,
    ValueError,  # also of text in an encoding that is not there
    OverflowError,
    EOFError,
    OSError,
)


def detect(data: bytes) -> FileType:
    """Return the document the archive is, ZIP for any other archive and every broken one."""
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
        and sum(part.compress_size for part in parts) <= size_bytes  # more: parts that overlap
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
