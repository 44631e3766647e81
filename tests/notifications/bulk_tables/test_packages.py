"""The parts of .xlsx files as different programs name, link and write them."""

import io
from typing import Any

import pytest

from notifications.bulk_tables import uploads
from tests.notifications.bulk_tables.sheets import added, changed, renamed, xlsx

SHEET, WORKBOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
LINKS, WORKBOOK_LINKS = "_rels/.rels", "xl/_rels/workbook.xml.rels"
TRANSITIONAL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PEOPLE: list[list[Any]] = [["phone number", "name"], ["07700900123", "Ann"]]
STRINGS = "xl/sharedStrings.xml"
FIRST, CELL = (
    f'<c r="{name}2" t="inlineStr"><is><t>{text}</t></is></c>' for name, text in zip("AB", PEOPLE[1], strict=True)
)


def read(data: bytes) -> list[list[object]]:
    table = uploads.from_file(io.BytesIO(data)).table
    return [list(table.names), *map(list, table.rows)]


def with_cell(cell: str) -> bytes:
    return changed(xlsx(*PEOPLE), SHEET, CELL, cell)


@pytest.mark.parametrize(
    "target",
    ["worksheets/sheet1.xml", "./worksheets/sheet1.xml", "../xl/worksheets/Sheet1.xml", "work%73heets/sheet1.xml"],
)
def test_a_link_to_a_sheet_may_be_relative_and_differ_in_case(target: str) -> None:
    assert read(changed(xlsx(*PEOPLE), WORKBOOK_LINKS, "/xl/worksheets/sheet1.xml", target)) == PEOPLE


def test_the_workbook_is_where_the_archive_links_to() -> None:
    data = changed(xlsx(*PEOPLE), LINKS, "xl/workbook.xml", "/data/book2.xml")
    names = {WORKBOOK: "data/book2.xml", WORKBOOK_LINKS: "data/_rels/book2.xml.rels"}

    assert read(renamed(data, names)) == PEOPLE


def test_shared_texts_may_differ_in_case_from_their_link() -> None:
    rich = "<si><r><t>An</t></r><r><t>n</t></r><rPh><t>x</t></rPh></si><si/><si><t>07700900123</t></si>"
    link = '<Relationship Id="s" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/sharedStrings"'
    data = with_cell('<c r="B2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c>')
    data = changed(data, SHEET, FIRST, '<c r="A2" t="s"><v>2</v></c>')
    data = changed(data, WORKBOOK_LINKS, "</Relationships>", f'{link} Target="SharedStrings.xml"/></Relationships>')
    data = added(data, STRINGS, f'<sst xmlns="{TRANSITIONAL}">{rich}</sst>')

    assert read(data) == PEOPLE


def test_names_of_elements_may_have_a_prefix_and_strict_namespaces() -> None:
    strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    names = "".join(f'<x:c t="str"><x:v>{name}</x:v></x:c>' for name in PEOPLE[0])
    rows = f"<x:row>{names}</x:row><x:row><x:c><x:v>7700900123</x:v></x:c></x:row>"
    sheet = f'<x:worksheet xmlns:x="{strict}"><x:sheetData>{rows}</x:sheetData></x:worksheet>'

    assert read(added(xlsx(*PEOPLE), SHEET, sheet)) == [PEOPLE[0], ["7700900123"]]


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        ('<c r="B2" t="b"><v>true</v></c>', "True"),
        ('<c r="B2" t="b"><v>0</v></c>', "False"),
        ('<c r="B2" t="d"><v>2026-11-20</v></c>', "2026-11-20"),
        ('<c r="B2" t="d"><v>2026-11-20T09:05:00Z</v></c>', "2026-11-20 09:05"),
        ('<c r="B2" t="d"><v>09:05:00</v></c>', "09:05"),
        ('<c r="B2" t="str"><f>A2&amp;"x"</f><v>07x</v></c>', "07x"),
        ('<c r="B2"><f t="shared" si="0" ref="B2:B9">1+1</f><v>2</v></c>', "2"),
        (
            '<c r="B2" t="inlineStr"><is><r><rPr><b/></rPr><t>An</t></r><r><t xml:space="preserve">n </t></r></is></c>',
            "Ann ",
        ),
        ('<c t="inlineStr"><is><t>Ann_x000A_Lee</t></is></c>', "Ann\nLee"),
    ],
)
def test_a_cell_may_be_written_in_another_way(cell: str, printed: str) -> None:
    assert read(with_cell(cell))[1][1] == printed


def test_cells_without_a_reference_follow_the_cell_before_them() -> None:
    data = changed(xlsx(*PEOPLE), SHEET, FIRST + CELL, '<c r="A2"/><c/><c t="str"><v>07x</v></c>')
    data = changed(data, SHEET, "<t>name</t></is></c>", "<t>name</t></is></c><c><v>7</v></c>")

    assert read(data) == [["phone number", "name", "7"], [None, None, "07x"]]
