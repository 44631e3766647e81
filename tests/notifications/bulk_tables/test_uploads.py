"""Uploaded files: encodings, separators, and spreadsheets that hide, pretend or grow."""

import io
import zipfile
from datetime import UTC, datetime

import pytest

from notifications.bulk_tables import archives, uploads
from notifications.bulk_tables.archives import NotASpreadsheet
from notifications.bulk_tables.sheets import HasHiddenCells

TABLE = "email address,name\nann@example.com,Zoë\n"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
CONTENT_TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{WORKBOOK_TYPE}"/></Types>'
)
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/>'
    '<xf numFmtId="22"/></cellXfs></styleSheet>'
)


def xlsx(rows: str, *, before_rows: str = "", **parts: str) -> bytes:
    """Return a workbook of one sheet. rows: the XML of the sheet's rows"""
    content = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Target="xl/workbook.xml" '
            f'Type="{RELATIONSHIPS}/officeDocument"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}"><sheets>'
            '<sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships">'
            f'<Relationship Id="r1" Target="worksheets/sheet1.xml" Type="{RELATIONSHIPS}/worksheet"/>'
            f'<Relationship Id="r2" Target="styles.xml" Type="{RELATIONSHIPS}/styles"/></Relationships>'
        ),
        "xl/styles.xml": STYLES,
        "xl/worksheets/sheet1.xml": (
            f'<worksheet xmlns="{MAIN}">{before_rows}<sheetData>{rows}</sheetData></worksheet>'
        ),
        **parts,
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return data.getvalue()


def text_row(number: int, *cells: str, attributes: str = "") -> str:
    inside = "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells)
    return f'<row r="{number}"{attributes}>{inside}</row>'


def read(data: bytes) -> list[list[object]]:
    table = uploads.from_file(io.BytesIO(data)).table
    return [list(table.names), *map(list, table.rows)]


@pytest.mark.parametrize(
    ("data", "read_as"),
    [
        (TABLE.encode(), "utf-8"),
        (TABLE.encode("utf-8-sig"), "utf-8"),
        (TABLE.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TABLE.encode("utf-16-be"), "utf-16"),
        (TABLE.encode("utf-32"), "utf-32"),
        (TABLE.encode("cp1252"), "windows-1252"),
    ],
)
def test_each_encoding_is_read(data: bytes, read_as: str) -> None:
    assert uploads.from_file(io.BytesIO(data)).read_as == read_as
    assert read(data) == [["email address", "name"], ["ann@example.com", "Zoë"]]


@pytest.mark.parametrize(
    "data",
    [
        TABLE.encode("utf-16-le"),  # without a byte order mark every second byte is NUL
        b"\xff\xfe\x00",
        b"\x81\x8d",
        b"%PDF-1.7\n1 0 obj\n",
        b"PK\x03\x04broken",
    ],
)
def test_other_files_cannot_be_read(data: bytes) -> None:
    with pytest.raises(NotASpreadsheet, match="Save it as CSV"):
        read(data)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_each_separator_is_found_by_the_recipient_column(delimiter: str) -> None:
    text = TABLE.replace(",", delimiter)
    assert read(text.encode()) == [["email address", "name"], ["ann@example.com", "Zoë"]]


def test_a_first_column_without_a_name_keeps_its_place_in_pasted_cells() -> None:
    table = uploads.from_pasted("\temail address\n1\tann@example.com\n")
    assert (table.names, list(table.rows)) == (["", "email address"], [["1", "ann@example.com"]])


def test_dates_times_and_numbers_print_as_people_write_them() -> None:
    serial = (datetime(2026, 11, 20, tzinfo=UTC) - datetime(1899, 12, 30, tzinfo=UTC)).days
    values = (
        f'<c s="1"><v>{serial}</v></c><c s="2"><v>0.37847222</v></c><c s="3"><v>{serial}.5</v></c><c><v>3.0</v></c>'
    )
    data = xlsx(text_row(1, "a", "b", "c", "d") + f'<row r="2">{values}</row>')

    assert read(data)[1] == ["2026-11-20", "09:05", "2026-11-20 12:00", "3"]


@pytest.mark.parametrize(
    ("rows", "before_rows"),
    [
        (text_row(1, "a") + text_row(2, "b", attributes=' hidden="1"'), ""),
        (text_row(1, "a") + text_row(2, "b", attributes=' hidden="true"'), ""),
        (text_row(1, "a"), '<cols><col min="2" max="2" hidden="1"/></cols>'),
    ],
)
def test_hidden_rows_and_columns_are_an_error(rows: str, before_rows: str) -> None:
    with pytest.raises(HasHiddenCells):
        read(xlsx(rows, before_rows=before_rows))


def test_an_ods_file_with_a_filtered_row_is_an_error() -> None:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    cell = '<table:table-cell office:value-type="string"><text:p>email address</text:p></table:table-cell>'
    content = (
        f'<office:document-content xmlns:office="{office}:office:1.0" xmlns:table="{office}:table:1.0" '
        f'xmlns:text="{office}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">'
        f'<table:table-row>{cell}</table:table-row><table:table-row table:visibility="filter">{cell}</table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    with pytest.raises(HasHiddenCells):
        read(data.getvalue())


def test_a_file_that_unpacks_to_too_much_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 100_000)
    with pytest.raises(NotASpreadsheet):
        read(xlsx(text_row(1, "x" * 100_000)))


def test_a_part_that_is_larger_than_it_says_is_an_error() -> None:
    """The directory of the archive is changed: the program that trusts it would unpack more than it allowed."""
    data = xlsx(text_row(1, "x" * 50_000))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        true_size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    smaller = data.replace(true_size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert smaller != data
    with pytest.raises(NotASpreadsheet):
        read(smaller)


def test_a_document_type_is_an_error() -> None:
    entity = '<!DOCTYPE w [<!ENTITY a "b">]>'
    sheet = f'{entity}<worksheet xmlns="{MAIN}"><sheetData>{text_row(1, "a")}</sheetData></worksheet>'
    with pytest.raises(NotASpreadsheet):
        read(xlsx("", **{"xl/worksheets/sheet1.xml": sheet}))


def test_a_workbook_whose_sheets_are_all_hidden_is_an_error() -> None:
    workbook = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}"><sheets>'
        '<sheet name="People" sheetId="1" state="hidden" r:id="r1"/></sheets></workbook>'
    )
    with pytest.raises(NotASpreadsheet):
        read(xlsx(text_row(1, "a"), **{"xl/workbook.xml": workbook}))
