"""Small files that claim or could become much: their cost must follow what was read."""

import io
import zipfile
from collections.abc import Callable

from tests.notifications.bulk_tables.sheets import changed, ods, ods_cell, ods_row, xlsx

SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
HEAD = ["email address", "name"]
PERSON = ["ana@example.org", "Ana"]
MANY = 400_000
NAMING_ROW = '<row><c t="s"><v>1</v></c><c t="s"><v>1</v></c></row>'
WIDE_ROW = '<row r="{0}"><c r="XFD{0}"><v>1</v></c></row>'
FAR_ROWS = '<table:table-row table:number-rows-repeated="1048570"/>'


def _sheet(old: str, new: str) -> bytes:
    return changed(xlsx(HEAD, PERSON), SHEET, old, new)


def _rows(rows: str) -> bytes:
    return _sheet("</sheetData>", f"{rows}</sheetData>")


def _with_part(part: str, content: str) -> bytes:
    data = io.BytesIO(xlsx(HEAD, PERSON))
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part, content)
    return data.getvalue()


def _strings(texts: str, cells: str = "") -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    data = changed(xlsx(HEAD, PERSON), SHEET, "</sheetData>", f"{cells}</sheetData>")
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name == STRINGS:
                new.writestr(name, f'<sst xmlns="{main}"><si><t>email address</t></si>{texts}</sst>')
            else:
                new.writestr(name, old.read(name))
    return target.getvalue()


def _nested(levels: int) -> str:
    return "<x>" * levels + "</x>" * levels


def _repeated(rows: int, columns: int, text: str = "x") -> str:
    cell = ods_cell(text, f'office:value-type="string" table:number-columns-repeated="{columns}"')
    return f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'


EXCEL: dict[str, Callable[[], bytes]] = {
    "a value in the last cell": lambda: xlsx(HEAD, PERSON, cells={"XFD1048576": "x"}),
    "a value in the last row": lambda: xlsx(HEAD, PERSON, cells={"A1048576": "x"}),
    "a value in a far column": lambda: xlsx(HEAD, PERSON, cells={"XFD1000": "x"}),
    "a name in the last column": lambda: xlsx(HEAD, PERSON, cells={"XFD1": "x"}),
    "a false dimension": lambda: _sheet('<dimension ref="A1:B2"', '<dimension ref="A1:XFD1048576"'),
    "a row beyond the sheet": lambda: _rows('<row r="99999999"><c r="A99999999"><v>1</v></c></row>'),
    "a negative row": lambda: _rows('<row r="-5"><c r="A1"><v>1</v></c></row>'),
    "a column beyond the sheet": lambda: _rows('<row r="3"><c r="ZZZZZZ3"><v>1</v></c></row>'),
    "columns backwards": lambda: _rows('<row r="3"><c r="B3"><v>1</v></c><c r="A3"><v>1</v></c></row>'),
    "rows without cells": lambda: _rows("".join(f'<row r="{number}"/>' for number in range(3, 400_000))),
    "cells without values": lambda: _rows(f'<row r="3">{"<c/>" * MANY}</row>'),
    "a wide value in each row": lambda: _rows("".join(map(WIDE_ROW.format, range(3, 50_000)))),
    "a long text named often": lambda: _strings(f"<si><t>{'x' * 100_000}</t></si>", NAMING_ROW * 15_000),
    "texts that no cell names": lambda: _strings(f"<si><t>{'x' * 250}</t></si>" * MANY),
    "a text of 200 MB": lambda: _strings(f"<si><t>{'x' * 200_000_000}</t></si>"),
    "deep elements": lambda: _rows(f'<row r="3"><c r="A3">{_nested(200_000)}</c></row>'),
    "a million styles": lambda: _with_part("xl/more.xml", f"<styleSheet>{'<xf/>' * MANY}</styleSheet>"),
    "a number of a million digits": lambda: _rows(f'<row r="3"><c r="A3"><v>{"9" * MANY}</v></c></row>'),
    "a huge exponent": lambda: _rows('<row r="3"><c r="A3"><v>1E400</v></c></row>'),
    "a shared text that is missing": lambda: _rows('<row r="3"><c r="A3" t="s"><v>999999</v></c></row>'),
    "a style that is missing": lambda: _rows('<row r="3"><c r="A3" s="99999"><v>1</v></c></row>'),
    "a date beyond all years": lambda: _rows('<row r="3"><c r="A3" t="d"><v>99999-01-01</v></c></row>'),
    "an entity": lambda: _sheet("<worksheet", '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet'),
    "a part of 300 MB": lambda: _with_part("xl/media/x.bin", "\0" * 300_000_000),
    "ten thousand and one parts": lambda: _parts(10_001),
}
OPEN_DOCUMENT: dict[str, Callable[[], bytes]] = {
    "a text in every cell": lambda: ods(ods_row(*HEAD) + _repeated(1_048_576, 16_384)),
    "a text in every row": lambda: ods(ods_row(*HEAD) + _repeated(1_048_576, 2)),
    "a text in every column": lambda: ods(_repeated(1, 16_384)),
    "a long text in many cells": lambda: ods(ods_row(*HEAD) + _repeated(10_000, 2, "x" * 100_000)),
    "repeats beyond the sheet": lambda: ods(ods_row(*HEAD) + _repeated(10**18, 10**18)),
    "a negative repeat": lambda: ods(ods_row(*HEAD) + _repeated(-5, -5)),
    "a repeat that is no number": lambda: ods(ods_row(*HEAD, attributes=' table:number-rows-repeated="x"')),
    "many spaces": lambda: ods(ods_row(*HEAD) + ods_row('<text:s text:c="999999999"/>' * 1000)),
    "a far value": lambda: ods(
        ods_row(*HEAD) + '<table:table-row table:number-rows-repeated="1048570"/>' + ods_row("x")
    ),
    "deep elements": lambda: ods(ods_row(*HEAD) + _nested(200_000)),
    "a million rows without cells": lambda: ods(ods_row(*HEAD) + "<table:table-row/>" * MANY),
    "a million paragraphs": lambda: ods(ods_row(*HEAD) + ods_row("x</text:p><text:p>" * MANY)),
}
TEXT: dict[str, Callable[[], bytes]] = {
    "a million names": lambda: ",".join(f"column {number}" for number in range(MANY)).encode(),
    "quotation marks": lambda: b"email address\n" + b'"' * 5_000_000,
    "separators": lambda: b"email address" + b"," * 6_000_000 + b"x",
    "line ends": lambda: b"email address" + b"\n" * 3_000_000 + b"x",
    "zero-width characters": lambda: ("email address\n" + "\u200b" * 2_000_000).encode(),
}


def _parts(number: int) -> bytes:
    data = io.BytesIO(xlsx(HEAD, PERSON))
    with zipfile.ZipFile(data, "a") as archive:
        for part in range(number):
            archive.writestr(f"x/{part}", "")
    return data.getvalue()
