"""Make spreadsheets for tests: of openpyxl, and of the XML of an .ods file."""

import io
import zipfile
from typing import Any

import openpyxl

_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def xlsx(*rows: list[Any], cells: dict[str, Any] | None = None, formats: dict[str, str] | None = None) -> bytes:
    """Return a workbook of one sheet. cells, formats: further values and the number formats of cells, by their name"""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in rows:
        sheet.append(row)
    for name, value in (cells or {}).items():
        sheet[name] = value
    for name, form in (formats or {}).items():
        sheet[name].number_format = form
    return saved(workbook)


def saved(workbook: openpyxl.Workbook) -> bytes:
    data = io.BytesIO()
    workbook.save(data)
    return data.getvalue()


def renamed(data: bytes, names: dict[str, str]) -> bytes:
    """Return the archive with other names of parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in source.namelist():
            new.writestr(names.get(name, name), source.read(name))
    return target.getvalue()


def added(data: bytes, part: str, content: str) -> bytes:
    """Return the archive with this part instead of the one of that name, if there is one."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in source.namelist():
            if name != part:
                new.writestr(name, source.read(name))
        new.writestr(part, content)
    return target.getvalue()


def changed(data: bytes, part: str, old: str, new: str) -> bytes:
    """Return the archive with a text in one of its parts replaced."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == part:
                assert old.encode() in content
                content = content.replace(old.encode(), new.encode())
            target.writestr(name, content)
    return changed.getvalue()


def ods(rows: str, *, styles: str = "", before: str = "", table: str = 'table:name="S"') -> bytes:
    """Return an .ods file. rows: the XML of the sheet's rows; before: that of earlier sheets"""
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:table="{_OFFICE}:table:1.0" '
        f'xmlns:text="{_OFFICE}:text:1.0" xmlns:style="{_OFFICE}:style:1.0" xmlns:draw="{_OFFICE}:drawing:1.0">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>{before}"
        f"<table:table {table}>{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    return data.getvalue()


def ods_row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row{attributes}>{''.join(map(ods_cell, cells))}</table:table-row>"


def ods_cell(text: str, attributes: str = 'office:value-type="string"') -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"
