"""Open a spreadsheet of either format."""

import zipfile

from datasets.imports.reading.excel import ExcelSheets
from datasets.imports.reading.open_document import OpenDocumentSheets
from datasets.imports.reading.sheets import Book


def open_book(archive: zipfile.ZipFile, kind: str) -> Book:
    return ExcelSheets(archive) if kind == "xlsx" else OpenDocumentSheets(archive)
