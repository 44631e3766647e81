"""Open a spreadsheet of either format."""

import zipfile

from datasets.imports.reading.excel import ExcelBook
from datasets.imports.reading.open_document import OpenDocumentBook
from datasets.imports.reading.sheets import Book


def open_book(archive: zipfile.ZipFile, kind: str) -> Book:
    return ExcelBook(archive) if kind == "xlsx" else OpenDocumentBook(archive)
