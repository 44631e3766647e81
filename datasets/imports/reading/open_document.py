"""The values of cells of .ods files. The format: OpenDocument 1.3, part 3, chapter 9.

Source: docs/reference/imports.md §5.
"""

import re
import zipfile
from collections.abc import Iterator

from config.workbooks import open_document
from config.workbooks.open_document import OpenDocumentRows
from config.workbooks.sheets import SheetRow
from datasets.imports.reading import sheet_values
from datasets.imports.reading.cells import Bad, Cell

_ERROR = re.compile(r"#\S+|Err:\d+")


class OpenDocumentSheets:
    """An opened spreadsheet. sheets: the names of its visible sheets, twice"""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.hidden_columns: set[int] = set()
        self.merged: dict[int, tuple[int, int]] = {}
        self._archive = archive
        self.sheets = [(name, name) for name in open_document.visible_tables(archive)]

    def rows(self, key: str) -> Iterator[SheetRow]:
        """Yield the rows of a sheet that have values."""
        part = OpenDocumentRows(key, _value)
        self.hidden_columns, self.merged = part.hidden_columns, part.merged
        return open_document.rows(self._archive, part)


def _value(attributes: dict[str, str], text: str) -> Cell:
    kind = attributes.get("value-type", "")
    has_formula = "formula" in attributes
    if kind == "error" or (has_formula and _ERROR.fullmatch(text.strip())):
        return Bad(text, f"is the error {text}")
    if not kind:
        return sheet_values.NO_RESULT if has_formula and not text else text or None
    if kind in open_document.NUMBERS:
        return sheet_values.number(attributes["value"]) if "value" in attributes else Bad(text, "is not a number")
    if kind == "date":
        return _date(attributes.get("date-value", ""), text)
    if kind == "time" and (seconds := open_document.duration_seconds(attributes.get("time-value", ""))) is not None:
        return sheet_values.clock(seconds)
    if kind == "boolean":
        return attributes.get("boolean-value") == "true"
    return attributes.get("string-value", text) or None


def _date(value: str, text: str) -> Cell:
    try:
        return sheet_values.written_date(value)
    except (ValueError, OverflowError):
        return Bad(text or value, "is not a real date")
