"""Read the first visible sheet of an .xlsx or .xlsm file, a row at a time.

openpyxl, which reads a row at a time too, takes five times as long, and calamine holds the area up to the last cell in
memory, which a stray cell makes as large as 512 GB. The format: ISO/IEC 29500-1, clause 18.
Source: docs/reference/bulk-sending.md §2.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from config.xml_archives import XmlElements
from notifications.bulk_tables.archives import NotASpreadsheet
from notifications.bulk_tables.excel_values import Values
from notifications.bulk_tables.sheets import MAX_ROWS, HasHiddenCells, Sheet, without_blank_end
from notifications.bulk_tables.tables import MAX_PLACES, Cell

_ARCHIVE_LINKS = "_rels/.rels"
_YES = {"1", "true"}
_LETTERS = re.compile("[A-Z]{1,3}")


def has_workbook(archive: zipfile.ZipFile) -> bool:
    return _ARCHIVE_LINKS in archive.namelist()


def read(archive: zipfile.ZipFile) -> Sheet:
    """Return the sheet. Raises NotASpreadsheet and exceptions of a broken file, and HasHiddenCells with its rows."""
    names = {name.lower(): name for name in archive.namelist()}  # links and names may differ in case
    path = _links(archive, names, "").workbook
    workbook, links = _Workbook(), _links(archive, names, path)
    workbook.read_whole(archive, path)
    sheets = (links.sheets[identifier] for identifier in workbook.visible if identifier in links.sheets)
    sheet = next(sheets, None)
    if sheet is None:
        raise NotASpreadsheet
    values = Values(is_from_1904=workbook.is_from_1904)
    if links.strings:
        values.strings.read_whole(archive, links.strings)
    if links.styles:
        values.styles.read_whole(archive, links.styles)
    return Sheet(rows=_rows(archive, sheet, values), unformatted=values.unformatted)


def _links(archive: zipfile.ZipFile, names: Mapping[str, str], part: str) -> "_Links":
    """Return what a part links to, or what the archive does if it is empty. Raises KeyError."""
    folder, file = posixpath.split(part)
    links = _Links(names, folder)
    links.read_whole(archive, names[posixpath.join(folder, "_rels", f"{file}.rels").lower()])
    return links


def _rows(archive: zipfile.ZipFile, path: str, values: Values) -> Iterator[tuple[int, list[Cell]]]:
    part, last = _Rows(values), 0
    for _ in part.read(archive, path):
        for number, row in part.found:
            if not last < number <= MAX_ROWS:
                raise NotASpreadsheet
            yield number, row
            last = number
        part.found.clear()


class _Workbook(XmlElements):
    """The ids of the visible sheets, and whether days count from 1904."""

    def __init__(self) -> None:
        self.visible: list[str] = []
        self.is_from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet" and attributes.get("state", "visible") == "visible":
            self.visible.append(attributes["id"])
        elif name == "workbookPr":
            self.is_from_1904 = attributes.get("date1904") in _YES


class _Links(XmlElements):
    """The paths of worksheets by id, and of the workbook and the parts for texts and styles.

    names: the names of all parts by their lower-case form; folder: of the part that has the links
    """

    def __init__(self, names: Mapping[str, str], folder: str) -> None:
        self.sheets: dict[str, str] = {}
        self.workbook = self.strings = self.styles = ""
        self._names, self._folder = names, folder

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name != "Relationship":
            return
        path = posixpath.normpath(posixpath.join("/", self._folder, unquote(attributes["Target"]))).lstrip("/")
        path = self._names.get(path.lower(), "")
        match path and attributes["Type"].rpartition("/")[2]:
            case "worksheet":
                self.sheets[attributes["Id"]] = path
            case "officeDocument":
                self.workbook = path
            case "sharedStrings":
                self.strings = path
            case "styles":
                self.styles = path


class _Rows(XmlElements):
    """Collects the rows of a sheet with their numbers. Rows and columns without height or width count as hidden."""

    def __init__(self, values: Values) -> None:
        self.found: list[tuple[int, list[Cell]]] = []
        self._values = values
        self._number = 0
        self._row: list[Cell] = []
        self._next_place = 0  # of a cell without a reference
        self._text = ""
        self._cell: dict[str, str] = {}
        self._texts: list[str] | None = None  # of the open value
        self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell = attributes
            self._text = ""
        elif name in {"v", "t"} and not self._is_phonetic:
            self._texts = []
        elif name == "row":
            if attributes.get("hidden") in _YES or _is_zero(attributes, "ht", "customHeight"):
                raise HasHiddenCells
            self._number = int(attributes.get("r", self._number + 1))
            self._row, self._next_place = [], 0
        elif name == "col":
            if attributes.get("hidden") in _YES or _is_zero(attributes, "width", "customWidth"):
                raise HasHiddenCells
        elif name == "rPh":
            self._is_phonetic = True

    def text(self, text: str) -> None:
        if self._texts is not None:
            self._texts.append(text)

    def end(self, name: str) -> None:
        if name in {"v", "t"} and self._texts is not None:
            self._text += "".join(self._texts)
            self._texts = None
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.found.append((self._number, without_blank_end(self._row)))
        elif name == "rPh":
            self._is_phonetic = False

    def _end_cell(self) -> None:
        place = _place(self._cell["r"]) if "r" in self._cell else self._next_place
        self._next_place = place + 1
        if not self._text:
            return
        if not len(self._row) <= place < MAX_PLACES:
            raise NotASpreadsheet
        self._row += [None] * (place - len(self._row))
        self._row.append(self._values.printed(self._text, self._cell, place))


def _place(reference: str) -> int:
    """Return the position of a cell's column.

    >>> _place("A1"), _place("XFD12")
    (0, 16383)
    """
    found = _LETTERS.match(reference)
    if found is None:
        raise NotASpreadsheet
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _is_zero(attributes: dict[str, str], size: str, is_chosen: str) -> bool:
    return attributes.get(is_chosen) in _YES and size in attributes and float(attributes[size]) == 0
