"""The values of cells of .xlsx files. The format: ISO/IEC 29500-1, clause 18. Source: docs/reference/imports.md §5."""

import zipfile
from collections.abc import Iterator

from config.workbooks import excel
from config.workbooks.excel import ExcelCell, ExcelRows
from config.workbooks.sheets import SheetRow
from datasets.imports.reading import sheet_values
from datasets.imports.reading.cells import Bad, Cell


class ExcelSheets:
    """An opened workbook. sheets: the names and paths of its visible sheets, in their order"""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.hidden_columns: set[int] = set()
        self.merged: dict[int, tuple[int, int]] = {}
        self._book = excel.ExcelBook(archive)
        self.sheets = self._book.sheets
        self._kinds = [sheet_values.kind_of_format(form or "") for form in self._book.formats]

    def rows(self, key: str) -> Iterator[SheetRow]:
        """Yield the rows of a sheet that stand in the file."""
        part = ExcelRows(self._value)
        self.hidden_columns, self.merged = part.hidden_columns, part.merged
        return self._book.rows(key, part)

    def _value(self, cell: ExcelCell) -> Cell:
        text, kind = cell.text, cell.attributes.get("t", "n")
        if text is None or (not text and kind not in {"str", "inlineStr"}):
            return sheet_values.NO_RESULT if cell.has_formula else None
        if kind == "s":
            index, texts = int(text), self._book.texts
            return texts[index] if 0 <= index < len(texts) else Bad(text, "is a damaged text")
        if kind == "e":
            return Bad(text, f"is the error {text}")
        if kind == "b":
            return text.strip() in excel.YES
        if kind == "d":
            return _strict_date(text)
        if kind != "n":
            return excel.unescaped(text) or None
        style = int(cell.attributes.get("s", 0))
        shown_as = self._kinds[style] if 0 <= style < len(self._kinds) else ""
        if shown_as:
            return sheet_values.moment(text, shown_as, is_from_1904=self._book.is_from_1904)
        return sheet_values.number(text)


def _strict_date(text: str) -> Cell:
    try:
        return sheet_values.written_date(text)
    except (ValueError, OverflowError):
        return text
