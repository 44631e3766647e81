"""Spreadsheets as people have them, read as a spreadsheet program shows them."""

import io
import pickle
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import openpyxl
import pytest

from notifications.bulk_tables import tables, uploads
from notifications.bulk_tables.sheets import HasHiddenCells
from notifications.bulk_tables.tables import FarBelow, UnreadableTable
from tests.notifications.bulk_tables.sheets import changed, ods, ods_cell, ods_row, saved, xlsx

SHEET = "xl/worksheets/sheet1.xml"
PEOPLE: list[list[Any]] = [["phone number", "name"], ["07700900123", "Ann"]]


def read(data: bytes) -> list[list[object]]:
    table = uploads.from_file(io.BytesIO(data)).table
    return [list(table.names), *map(list, table.rows)]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (1234.5, '"£"#,##0.00', "£1,234.50"),
        (1234.5, "[$£-809]#,##0.00", "£1,234.50"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (-1234.5, '"£"#,##0.00;[Red]-"£"#,##0.00', "-£1,234.50"),
        (-3, "0.0;(0.0)", "(3.0)"),
        (0.25, "0%", "25%"),
        (0.125, "0.0%", "12.5%"),
        (42, "00000", "00042"),
        (2.345, "0.00", "2.35"),
        (1_000_000, "#,##0", "1,000,000"),
        (3.3000000000000003, "General", "3.3"),
        (3.0000000000000001e-05, "General", "0.00003"),
        (7700900123, "General", "7700900123"),
        (date(2026, 11, 20), "dd/mm/yyyy", "2026-11-20"),
        (datetime(2026, 11, 20, 9, 5), "yyyy-mm-dd hh:mm", "2026-11-20 09:05"),  # noqa: DTZ001  a sheet has no zone
        (time(9, 5), "hh:mm", "09:05"),
        (time(9, 5, 30), "hh:mm:ss", "09:05:30"),
        (timedelta(hours=26, minutes=5), "[h]:mm", "26:05"),
        (date(1900, 2, 1), "yyyy-mm-dd", "1900-02-01"),
        (True, "General", "True"),
        ("#N/A", "General", "#N/A"),
        ("=1+1", "General", ""),  # without a stored result
        (0, '_-"£"* #,##0.00_-;\\-"£"* #,##0.00_-;_-"£"* "-"??_-;_-@_-', "£-"),
        (-5.25, '_-"£"* #,##0.00_-;\\-"£"* #,##0.00_-;_-"£"* "-"??_-;_-@_-', "-£5.25"),
        (0, '0;-0;"none"', "none"),
        (0, "0;-0;;@", ""),
        (-3, '0;"minus"', "minus"),
        (0.256, "0.0 %", "25.6 %"),
        (12, '0"%"', "12%"),
        (0.5, "#.00", ".50"),
        (12.3456, "0.0##", "12.346"),
        (1234567, "#,###", "1,234,567"),
        (5, "0,000", "0,005"),
        (42, '"No_"0', "No_42"),
        (3.5, 'General" kg"', "3.5 kg"),
        (1e30, "0.00", f"1{'0' * 30}.00"),
        (46000.378, "dd/mm/yyyy", "2025-12-09"),
        (46000.378, "hh:mm", "09:04:19"),
        (7700900123, "dd/mm/yyyy", "7700900123"),  # a sheet shows ######
        (timedelta(seconds=293), "[mm]:ss", "00:04:53"),
        (timedelta(hours=-1, minutes=-30), "[h]:mm", "-01:30"),
        ("a_x000D_b_x005F_x000D_", "General", "a\rb_x000D_"),
    ],
)
def test_a_cell_is_printed_as_it_is_shown(value: object, form: str, shown: str) -> None:
    data = xlsx(["name", "x"], ["Ann"], cells={"B2": value}, formats={"B2": form})

    assert ([*read(data)[1], ""])[1] == shown


def test_days_may_count_from_1904() -> None:
    workbook = openpyxl.Workbook()
    workbook.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    workbook.active.append(["day"])
    workbook.active.append([datetime(2026, 11, 20, tzinfo=UTC).date()])

    assert read(saved(workbook))[1] == ["2026-11-20"]


def test_columns_with_a_format_that_is_not_known_are_named() -> None:
    formats = {"B2": "0.00E+00", "C2": "# ?/?", "D2": "[>9]0;0.0", "E2": "yyyy"}
    data = xlsx(["name", "x", "y", "z", "day"], ["Ann", 1234.5, 3, 5, -5], formats=formats)
    upload = uploads.from_file(io.BytesIO(data))

    assert list(upload.table.rows) == [["Ann", "1234.5", "3", "5", "-5"]]
    assert upload.unformatted == {1, 2, 3, 4}


@pytest.mark.parametrize("cell", ["XFD1048576", "Z1048576", "XFD1000", "C3"])
def test_a_stray_value_in_a_column_without_a_name_is_ignored(cell: str) -> None:
    assert read(xlsx(*PEOPLE, cells={cell: "x"})) == PEOPLE


@pytest.mark.parametrize("cell", ["A1048576", "XFD1048576", "B90000", "AAA2"])
def test_a_stray_cell_with_a_format_alone_is_ignored(cell: str) -> None:
    assert read(xlsx(*PEOPLE, formats={cell: "0.00"})) == PEOPLE


def test_a_value_far_below_the_table_is_named() -> None:
    with pytest.raises(FarBelow, match="Row 1048576 has a value, but the 1048573 rows above it are empty"):
        read(xlsx(*PEOPLE, cells={"A1048576": "x"}))


def test_blank_rows_between_others_stay() -> None:
    rows = read(xlsx(*PEOPLE, cells={f"A{3 + tables.MAX_BLANK_ROWS}": "07700900124"}))

    assert rows == [*PEOPLE, *[[]] * tables.MAX_BLANK_ROWS, ["07700900124"]]


def test_nine_hundred_columns_are_read() -> None:
    names = ["phone number", *(f"c{number}" for number in range(899))]

    assert read(xlsx(names, ["07700900123"] * 900))[1] == ["07700900123"] * 900


def test_a_hidden_sheet_is_passed() -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["secret"])
    workbook.active.sheet_state = "hidden"
    workbook.create_sheet("People").append(["phone number"])

    assert read(saved(workbook)) == [["phone number"]]


def test_a_chart_sheet_is_passed() -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["phone number"])
    workbook.create_chartsheet(index=0)

    assert read(saved(workbook)) == [["phone number"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<sheetData>", '<cols><col min="2" max="2" width="0" customWidth="1"/></cols><sheetData>'),
        ("<sheetData>", '<cols><col min="2" max="2" width="9" hidden="1"/></cols><sheetData>'),
        ('<row r="2">', '<row r="2" ht="0" customHeight="1">'),
        ('<row r="2">', '<row r="2" hidden="true">'),
    ],
)
def test_rows_and_columns_without_height_or_width_are_hidden(old: str, new: str) -> None:
    with pytest.raises(HasHiddenCells):
        read(changed(xlsx(*PEOPLE), SHEET, old, new))


def test_phonetic_hints_are_no_text() -> None:
    hint = '<is><t>田中</t><rPh sb="0" eb="2"><t>タナカ</t></rPh></is>'
    data = changed(xlsx(["name"], ["x"], [7]), SHEET, "<v>7</v>", hint)
    data = changed(data, SHEET, '<c r="A3" t="n">', '<c r="A3" t="inlineStr">')

    assert read(data) == [["name"], ["x"], ["田中"]]


def test_a_file_with_macros_is_read_as_one_without() -> None:
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    data = changed(xlsx(*PEOPLE), "[Content_Types].xml", types, "application/vnd.ms-excel.sheet.macroEnabled.main+xml")

    assert read(data) == PEOPLE


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        (ods_cell("£1,234.50", 'office:value-type="currency" office:value="1234.5"'), "£1,234.50"),
        (ods_cell("25%", 'office:value-type="percentage" office:value="0.25"'), "25%"),
        (ods_cell("1.5E+10", 'office:value-type="float" office:value="15000000000"'), "15000000000"),
        (ods_cell("07700", 'office:value-type="float" office:value="7700"'), "07700"),
        (ods_cell("20/11/26", 'office:value-type="date" office:date-value="2026-11-20"'), "2026-11-20"),
        (ods_cell("x", 'office:value-type="date" office:date-value="2026-11-20T09:05:00"'), "2026-11-20 09:05"),
        (ods_cell("9:05", 'office:value-type="time" office:time-value="PT09H05M00S"'), "09:05"),
        (ods_cell("26:05", 'office:value-type="time" office:time-value="PT26H05M00S"'), "26:05"),
        (ods_cell("YES", 'office:value-type="boolean" office:boolean-value="true"'), "True"),
        (ods_cell("a<text:s text:c='2'/>b</text:p><text:p>c"), "a  b\nc"),
        (ods_cell("1,234.50 EUR", 'office:value-type="float" office:value="1234.5"'), "1,234.50 EUR"),
        (ods_cell("#5", 'office:value-type="float" office:value="5"'), "#5"),
        (ods_cell("###", 'office:value-type="float" office:value="7700900123"'), "7700900123"),
        (ods_cell("1/1/10000", 'office:value-type="date" office:date-value="10000-01-01"'), "1/1/10000"),
        (
            ods_cell("x", 'office:value-type="date" office:date-value="2026-11-20T09:04:59.999999999"'),
            "2026-11-20 09:05",
        ),
        (ods_cell("09:04", 'office:value-type="time" office:time-value="PT1104009H04M19.2S"'), "09:04:19"),
        (ods_cell("26:05:30", 'office:value-type="time" office:time-value="PT26H05M30S"'), "26:05:30"),
        (ods_cell("", 'office:value-type="time" office:time-value="PT125M"'), "02:05"),
        (ods_cell("a\n    b<text:s/> c"), "a b  c"),
        (
            ods_cell("a</text:p><draw:frame><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame><text:p>b"),
            "a\nb",
        ),
        ("<table:covered-table-cell><text:p>x</text:p></table:covered-table-cell>" + ods_cell("y"), None),
        (ods_cell("a</text:p><office:annotation><text:p>note</text:p></office:annotation><text:p>b"), "a\nb"),
    ],
)
def test_a_cell_of_an_ods_file_is_printed_as_it_is_shown(cell: str, printed: str) -> None:
    row = f"<table:table-row>{ods_cell('Ann')}{cell}</table:table-row>"

    assert read(ods(ods_row("name", "x") + row)) == [["name", "x"], ["Ann", printed]]


def test_empty_cells_and_rows_of_an_ods_file_may_repeat_to_the_end_of_the_sheet() -> None:
    filler = '<table:table-cell table:number-columns-repeated="16382"/>'
    rows = (
        f"<table:table-row>{ods_cell('phone number')}{ods_cell('name')}{filler}</table:table-row>"
        f"<table:table-row>{ods_cell('07700900123')}{ods_cell('Ann')}{filler}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048574"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>'
    )

    assert read(ods(rows)) == PEOPLE


def test_a_stray_value_in_an_ods_file_is_ignored_in_a_column_without_a_name() -> None:
    far = (
        '<table:table-row table:number-rows-repeated="1048573"><table:table-cell/></table:table-row>'
        f'<table:table-row><table:table-cell table:number-columns-repeated="16383"/>{ods_cell("x")}</table:table-row>'
    )

    assert read(ods(ods_row("phone number", "name") + ods_row("07700900123", "Ann") + far)) == PEOPLE


def test_a_hidden_sheet_of_an_ods_file_is_passed() -> None:
    styles = '<style:style style:name="h"><style:table-properties table:display="false"/></style:style>'
    before = f'<table:table table:name="A" table:style-name="h">{ods_row("secret")}</table:table>'

    assert read(ods(ods_row("phone number"), styles=styles, before=before)) == [["phone number"]]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sep=;\r\nphone number;name\r\n07700900123;Ann\r\n", PEOPLE),
        ("sep=,\r\nphone number,name\r\n07700900123,Ann\r\n", PEOPLE),
        ("SEP=\t\nphone number\tname\n07700900123\tAnn\n", PEOPLE),
        ("\ufeffsep=|\r\nphone number|name\r\n07700900123|Ann\r\n", PEOPLE),
        ("phone number,name\r\n07700900123,Ann\r\n\x1a", PEOPLE),
        ("sep=x\nphone number\n", [["sep=x"], ["phone number"]]),
    ],
)
def test_lines_that_only_programs_read_are_no_rows(text: str, rows: list[list[str]]) -> None:
    assert read(text.encode()) == rows


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (",".join(["a"] * 1001).encode(), 1001),
        (",".join(f"c{number}" for number in range(200_000)).encode(), 1001),
        (xlsx(["phone number", *["x"] * 1200]), 1001),
    ],
    ids=["one name", "many names", "spreadsheet"],
)
def test_no_more_names_are_kept_than_show_that_there_are_too_many(data: bytes, columns: int) -> None:
    assert len(uploads.from_file(io.BytesIO(data)).table.names) == columns


def test_every_error_of_a_table_survives_a_change_of_process() -> None:
    def below(kind: type[UnreadableTable]) -> list[type[UnreadableTable]]:
        return [kind, *(each for child in kind.__subclasses__() for each in below(child))]

    for kind in below(UnreadableTable):
        error = kind(7, 8)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301  made here
