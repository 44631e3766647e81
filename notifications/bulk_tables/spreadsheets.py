"""Read the first visible sheet of an .xlsx, .xlsm or .ods file. Source: docs/reference/bulk-sending.md §2."""

import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from config.xml_archives import BROKEN
from notifications.bulk_tables import excel, open_document
from notifications.bulk_tables.archives import NotASpreadsheet, open_archive
from notifications.bulk_tables.sheets import Sheet
from notifications.bulk_tables.tables import MAX_CELL_CHARACTERS, Cell

_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def is_archive(data: bytes) -> bool:
    """Return whether the file begins as a zip archive, as these files do."""
    return data.startswith(b"PK")


def unpacked_bytes(file: BinaryIO) -> int:
    """Return the size that the parts of an archive declare; `read` refuses larger ones. Raises NotASpreadsheet."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(part.file_size for part in archive.infolist())
    except BROKEN as error:
        raise NotASpreadsheet from error


def read(file: BinaryIO) -> Sheet:
    """Return the first visible sheet. Raises NotASpreadsheet, HasHiddenCells, also while its rows are read."""
    archive = open_archive(file)
    try:
        sheet = _sheet(archive)
    except BROKEN as error:
        raise NotASpreadsheet from error
    return Sheet(rows=_checked(sheet.rows), unformatted=sheet.unformatted)


def _sheet(archive: zipfile.ZipFile) -> Sheet:
    names = set(archive.namelist())
    if excel.has_workbook(archive):
        return excel.read(archive)
    if "mimetype" in names and archive.read("mimetype").strip() == _OPEN_DOCUMENT:
        return open_document.read(archive)
    raise NotASpreadsheet


def _checked(rows: Iterator[tuple[int, list[Cell]]]) -> Iterator[tuple[int, list[Cell]]]:
    try:
        for number, row in rows:
            if any(isinstance(cell, str) and (len(cell) > MAX_CELL_CHARACTERS or "\0" in cell) for cell in row):
                raise NotASpreadsheet
            yield number, row
    except BROKEN as error:
        raise NotASpreadsheet from error
