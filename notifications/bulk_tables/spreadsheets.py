"""Read the first visible sheet of an .xlsx or .ods file.

The parts of the formats: ISO/IEC 29500-1, clause 18 (.xlsx); OpenDocument 1.3, part 3, chapter 9 (.ods).
Source: docs/reference/bulk-sending.md §2.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from xml.parsers import expat

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from notifications.bulk_tables.tables import MAX_CELL_CHARACTERS, Cell, Unreadable

MAX_UNPACKED_BYTES = 256 * 1024 * 1024
MAX_PARTS = 10_000

_READ_BYTES = 64 * 1024
_IS_ENCRYPTED = 0x1
_WORKBOOK, _WORKBOOK_LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, ValueError, OverflowError),
    *(EOFError, OSError, KeyError, expat.ExpatError, LookupError, CalamineError),
)

Value = int | float | str | bool | time | date | datetime | timedelta


class NotASpreadsheet(Unreadable):
    """The file is not CSV text or a supported spreadsheet, or it is broken, encrypted or too large."""

    def __init__(self) -> None:
        super().__init__("This file cannot be read. Save it as CSV (UTF-8) and upload it again.")


class HasHiddenCells(Unreadable):
    """The sheet has hidden rows or columns: a filter may hide people who must get nothing."""

    kind = "hidden"

    def __init__(self) -> None:
        super().__init__("This file has hidden rows or columns. Show or delete them, then upload it again.")


def is_archive(data: bytes) -> bool:
    """Return whether the file begins as a zip archive, as .xlsx and .ods files do."""
    return data.startswith(b"PK")


def unpacked_bytes(data: bytes) -> int:
    """Return the size that the parts of an archive declare; `rows` refuses larger ones. Raises NotASpreadsheet."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return sum(part.file_size for part in archive.infolist())
    except _BROKEN as error:
        raise NotASpreadsheet from error


def rows(data: bytes) -> Iterator[list[Cell]]:
    """Return the rows of the first visible sheet, blank rows included. Raises NotASpreadsheet, HasHiddenCells."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_size(archive)
            workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
            sheets = workbook.sheets_metadata
            place = next(
                place
                for place, sheet in enumerate(sheets)
                if sheet.visible is SheetVisibleEnum.Visible and sheet.typ is SheetTypeEnum.WorkSheet
            )
            if _has_hidden_cells(archive, place, sheets[place].name):
                raise HasHiddenCells
        sheet = workbook.get_sheet_by_index(place)
        return ([_printed(value) for value in row] for row in sheet.to_python(skip_empty_area=False))
    except StopIteration as error:
        raise NotASpreadsheet from error
    except _BROKEN as error:
        raise NotASpreadsheet from error


def _check_size(archive: zipfile.ZipFile) -> None:
    """Unpack every part once. A part that is larger than its declared size is an error. Raises NotASpreadsheet."""
    parts = archive.infolist()
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        raise NotASpreadsheet
    if any(part.flag_bits & _IS_ENCRYPTED for part in parts):
        raise NotASpreadsheet
    for part in parts:
        with archive.open(part) as file:
            while file.read(_READ_BYTES):
                pass


def _has_hidden_cells(archive: zipfile.ZipFile, place: int, name: str) -> bool:
    names = set(archive.namelist())
    if _WORKBOOK in names:
        return _is_hidden_in_office(archive, _path_of_sheet(archive, place))
    if "mimetype" in names and archive.read("mimetype").strip() == _OPEN_DOCUMENT:
        return _is_hidden_in_open_document(archive, name)
    raise NotASpreadsheet  # for example .xlsb, which calamine reads too


def _path_of_sheet(archive: zipfile.ZipFile, place: int) -> str:
    identifiers = [
        next((value for key, value in attributes.items() if key.endswith(" id")), "")
        for element, attributes in _elements(archive, _WORKBOOK)
        if element == "sheet"
    ]
    targets = {
        attributes.get("Id"): attributes.get("Target", "")
        for element, attributes in _elements(archive, _WORKBOOK_LINKS)
        if element == "Relationship"
    }
    target = targets[identifiers[place]]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _is_hidden_in_office(archive: zipfile.ZipFile, path: str) -> bool:
    return any(
        element in {"row", "col"} and attributes.get("hidden") in {"1", "true"}
        for element, attributes in _elements(archive, path)
    )


def _is_hidden_in_open_document(archive: zipfile.ZipFile, sheet: str) -> bool:
    is_in_sheet = False
    for element, attributes in _elements(archive, "content.xml"):
        by_name = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if element == "table":
            is_in_sheet = by_name.get("name") == sheet
        is_cells = element in {"table-row", "table-column"}
        if is_in_sheet and is_cells and by_name.get("visibility", "visible") != "visible":
            return True
    return False


def _elements(archive: zipfile.ZipFile, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each element's name without its namespace, and its attributes, as the part is unpacked."""
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, attributes: found.append((name.rpartition(" ")[2], attributes))
    parser.StartDoctypeDeclHandler = _refuse_doctype
    with archive.open(path) as file:
        while block := file.read(_READ_BYTES):
            parser.Parse(block)
            yield from found
            found.clear()
    parser.Parse(b"", True)
    yield from found


def _refuse_doctype(*_: object) -> None:
    raise NotASpreadsheet  # its entities could expand without limit


def _printed(value: Value) -> str:
    """Return the text of a cell: whole numbers without `.0`, dates as `2026-11-20`, times as `09:05`.

    >>> _printed(7700900123.0), _printed(datetime(2026, 11, 20, 9, 5)), _printed(timedelta(hours=26, minutes=5))
    ('7700900123', '2026-11-20 09:05', '26:05')
    """
    match value:
        case float() if value.is_integer():
            printed = str(int(value))
        case datetime():
            printed = f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d} {_time(value.time())}"
        case date():
            printed = f"{value:%Y-%m-%d}"
        case time():
            printed = _time(value)
        case timedelta():
            minutes = round(value.total_seconds() / 60)
            printed = f"{minutes // 60:02}:{minutes % 60:02}"
        case _:
            printed = str(value)
    if len(printed) > MAX_CELL_CHARACTERS or "\0" in printed:
        raise NotASpreadsheet
    return printed


def _time(value: time) -> str:
    return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
