"""Unpack a file and find its format by its first bytes. Source: docs/reference/imports.md §2, §5."""

import codecs
import hashlib
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from config.xml_archives import BROKEN, open_archive
from datasets.imports.reading.cells import UnreadableFile

MAX_SHEET_BYTES = 1024**3  # of all parts of a spreadsheet, unpacked
_BLOCK_BYTES = 256 * 1024
_GZIP, _ZIP, _PARQUET, _OLD_EXCEL = b"\x1f\x8b", b"PK", b"PAR1", b"\xd0\xcf\x11\xe0"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_EXTENDED = (b'"$oid"', b'"$date"', b'"$numberLong"', b'"$numberInt"', b'"$numberDouble"')
_BLANK = b" \t\r\n"
_ARRAY = re.compile(rb'\[\s*(?:[{\["\]]|-?\d[\d.eE+-]*\s*,|(?:true|false|null)\s*,)')  # "[m],[kg]" are names
_OBJECT = re.compile(rb'\{\s*["}]')
_PAGE = re.compile(rb"<(?:\?xml|!doctype|html|head|body|table)\b", re.IGNORECASE)  # "<DATE>,<CLOSE>" are names


class UnpackedFile(NamedTuple):
    """The content of a file without gzip. sha256: of the content, so that a packed file equals one that is not"""

    path: str
    sha256: str


def unpack(path: str, target: str, *, max_bytes: int) -> UnpackedFile:
    """Write the content of a file to `target` and return it. An earlier result is used again. Raises UnreadableFile."""
    digest = hashlib.sha256()
    with open(path, "rb") as packed:
        is_gzip = packed.read(2) == _GZIP
        packed.seek(0)
        blocks = _inflated(packed) if is_gzip else iter(lambda: packed.read(_BLOCK_BYTES), b"")
        temporary, size = Path(f"{target}.new"), 0
        with temporary.open("wb") as content:
            for block in blocks:
                size += content.write(block)
                if size > max_bytes:
                    raise UnreadableFile(f"The file has more than {max_bytes} bytes after decompression.")
                digest.update(block)
    os.replace(temporary, target)
    if not size:
        raise UnreadableFile("The file is empty.")
    return UnpackedFile(target, digest.hexdigest())


def _inflated(packed: BinaryIO) -> Iterator[bytes]:
    """Decompress all gzip members, at most one block at a time. Zero bytes after a member are padding."""
    pending, member = packed.read(_BLOCK_BYTES), None
    try:
        while pending:
            if member is None:
                pending = pending.lstrip(b"\0") or packed.read(_BLOCK_BYTES).lstrip(b"\0")
                if not pending:
                    return
                member = zlib.decompressobj(wbits=31)
            yield member.decompress(pending, _BLOCK_BYTES)
            if member.eof:
                pending, member = member.unused_data or packed.read(_BLOCK_BYTES), None
            else:
                pending = member.unconsumed_tail or packed.read(_BLOCK_BYTES)
        if member is not None:
            while rest := member.decompress(member.unconsumed_tail, _BLOCK_BYTES):
                yield rest
            if not member.eof:
                raise UnreadableFile("The gzip data of the file ends too early. Pack the file again and send it whole.")
    except zlib.error as error:
        raise UnreadableFile("The file is not valid gzip data. Pack it again, or send it without gzip.") from error


def format_of(path: str) -> str:
    """Return the format of a file by its content. Raises UnreadableFile."""
    with open(path, "rb") as file:
        first = file.read(_BLOCK_BYTES)
        if first.startswith(_ZIP):
            return _format_of_archive(file)
    if first.startswith(_PARQUET):
        return "parquet"
    if first.startswith(_OLD_EXCEL):
        raise UnreadableFile("This is a file of an old Excel, or it has a password. Save it as .xlsx without one.")
    if first.startswith(b"%PDF-"):
        raise UnreadableFile("This is a PDF. Save the table as CSV or .xlsx.")
    if first.startswith(_GZIP):
        raise UnreadableFile("The file is packed twice with gzip. Unpack it once.")
    if first.startswith(_UTF_16):
        if _json_format(first.decode("utf-16", errors="ignore").encode()):
            raise UnreadableFile("The file is JSON in UTF-16. Save it as UTF-8.")
        return "csv"
    if _PAGE.match(first.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)):
        raise UnreadableFile(
            "This is a web page or XML, also if its name ends with .xls. Save the table as .xlsx or CSV."
        )
    return _json_format(first.removeprefix(codecs.BOM_UTF8)) or "csv"


def _json_format(first: bytes) -> str:
    """Return the format of a text that begins like JSON, or nothing."""
    begin = first.lstrip(_BLANK)
    kind = "json" if _ARRAY.match(begin) else "ndjson" if _OBJECT.match(begin) else ""
    return "mongoexport" if kind and any(word in first for word in _EXTENDED) else kind


def open_sheets(file: BinaryIO) -> zipfile.ZipFile:
    """Return the archive of a spreadsheet. Raises UnreadableFile."""
    try:
        return open_archive(file, max_unpacked_bytes=MAX_SHEET_BYTES)
    except ValueError as error:
        raise UnreadableFile(
            "The spreadsheet is damaged, has a password, or is too large. Save it again without one, or as CSV."
        ) from error


def _format_of_archive(file: BinaryIO) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
            if "mimetype" in names and archive.read("mimetype").strip() == _OPEN_DOCUMENT:
                return "ods"
            if "_rels/.rels" in names and any(name.lower().startswith("xl/") for name in names):
                return "xlsx"
    except BROKEN as error:
        raise UnreadableFile("The file is a damaged archive. Save it again in the program it comes from.") from error
    raise UnreadableFile("The file is an archive, and no spreadsheet. Unpack it first.")
