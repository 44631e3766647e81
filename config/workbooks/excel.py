"""Read the sheets of an .xlsx file from their XML, a row at a time. The format: ISO/IEC 29500-1, clause 18.

openpyxl, which reads a row at a time too, takes five times as long. calamine holds the area up to the last cell in
memory, which a stray cell makes as large as 512 GB. It also loses errors, formulas without a result, and digits of
whole numbers.
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from config.workbooks.excel_formats import NumberFormats
from config.workbooks.sheets import MAX_PLACES, MAX_ROWS, SheetPart, SheetRow
from config.xml_archives import UnreadableArchive, XmlElements

YES = {"1", "true"}
_LETTERS = re.compile("[A-Z]{1,3}")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})", re.ASCII)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class ExcelCell(NamedTuple):
    """A cell as the file has it. text: its value, or None if it has none; place: the position of its column, from 0"""

    text: str | None
    attributes: dict[str, str]
    place: int
    has_formula: bool


class ExcelBook:
    """An opened workbook. Raises the exceptions of a broken file, when it is opened and when rows are read.

    sheets: the names and paths of its visible sheets, in their order; texts: those that cells name by their number
    formats: the number formats of cells by the number of their style, None if it is not known
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = {name.lower(): name for name in archive.namelist()}  # links and names may differ in case
        path = self._links("").paths.get("officeDocument", [""])[0]
        workbook, links = _BookPart(), self._links(path)
        workbook.read_whole(archive, path)
        self.is_from_1904 = workbook.is_from_1904
        self.sheets = [
            (name, links.by_id[identifier]) for name, identifier in workbook.sheets if identifier in links.by_id
        ]
        texts, formats = _SharedTexts(), NumberFormats()
        for kind, part in (("sharedStrings", texts), ("styles", formats)):
            for each in links.paths.get(kind, [])[:1]:
                part.read_whole(archive, each)
        self.texts, self.formats = texts.found, formats.found

    def rows(self, path: str, part: "ExcelRows") -> Iterator[SheetRow]:
        """Yield the rows of a sheet that stand in the file."""
        last = 0
        for _ in part.read(self._archive, path):
            for row in part.found:
                if not last < row.number <= MAX_ROWS:
                    raise UnreadableArchive
                last = row.number
                yield row
            part.found.clear()

    def _links(self, path: str) -> "_PartLinks":
        folder, file = posixpath.split(path)
        links = _PartLinks(self._names, folder)
        name = self._names.get(posixpath.join(folder, "_rels", f"{file}.rels").lower())
        if name is not None:
            links.read_whole(self._archive, name)
        return links


class _BookPart(XmlElements):
    """The names and ids of the visible sheets, and whether days count from 1904."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.is_from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet" and attributes.get("state", "visible") == "visible":
            self.sheets.append((attributes.get("name", ""), attributes.get("id", "")))
        elif name == "workbookPr":
            self.is_from_1904 = attributes.get("date1904") in YES


class _PartLinks(XmlElements):
    """What a part links to: paths by the kind of the link, and those of worksheets by id.

    names: the names of all parts by their lower-case form; folder: of the part that has the links
    """

    def __init__(self, names: dict[str, str], folder: str) -> None:
        self.paths: dict[str, list[str]] = {}
        self.by_id: dict[str, str] = {}
        self._names, self._folder = names, folder

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name != "Relationship":
            return
        path = posixpath.normpath(posixpath.join("/", self._folder, unquote(attributes["Target"]))).lstrip("/")
        path, kind = self._names.get(path.lower(), ""), attributes["Type"].rpartition("/")[2]
        if path:
            self.paths.setdefault(kind, []).append(path)
            if kind == "worksheet":
                self.by_id[attributes["Id"]] = path


class _SharedTexts(XmlElements):
    """The texts that cells name by their number, without phonetic hints."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._texts: list[str] = []
        self._is_text = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._is_text = name == "t" and not self._is_phonetic
        self._is_phonetic |= name == "rPh"

    def text(self, text: str) -> None:
        if self._is_text:
            self._texts.append(text)

    def end(self, name: str) -> None:
        self._is_text = False
        if name == "rPh":
            self._is_phonetic = False
        elif name == "si":
            self.found.append(unescaped("".join(self._texts)))
            self._texts.clear()


class ExcelRows(SheetPart):
    """Collects the rows of a sheet. Rows and columns without height or width count as hidden.

    value: returns the value of a cell, or None if it has none
    """

    def __init__(self, value: Callable[[ExcelCell], Any]) -> None:  # Any: each area has values of its own
        super().__init__()
        self._value = value
        self._number, self._next_place = 0, 0
        self._cells: list[Any] = []
        self._is_hidden = False
        self._attributes: dict[str, str] = {}  # of the open cell
        self._text: str | None = None
        self._texts: list[str] | None = None  # of the open value
        self._has_formula = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._attributes, self._text, self._has_formula = attributes, None, False
        elif name in {"v", "t"} and not self._is_phonetic:
            self._texts = []
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._number = int(attributes.get("r", self._number + 1))
            self._is_hidden = attributes.get("hidden") in YES or _is_zero(attributes, "ht", "customHeight")
            self.hides |= self._is_hidden
            self._cells, self._next_place = [], 0
        elif name == "col":
            if attributes.get("hidden") in YES or _is_zero(attributes, "width", "customWidth"):
                self.hides = True
                self.hidden_columns.update(range(int(attributes["min"]) - 1, min(int(attributes["max"]), MAX_PLACES)))
        elif name == "rPh":
            self._is_phonetic = True
        elif name == "mergeCell" and (found := _RANGE.fullmatch(attributes.get("ref", ""))):
            self.note_merged(_place(found[1]), int(found[2]), int(found[3]))

    def text(self, text: str) -> None:
        if self._texts is not None:
            self._texts.append(text)

    def end(self, name: str) -> None:
        if name in {"v", "t"} and self._texts is not None:
            self._text = (self._text or "") + "".join(self._texts)
            self._texts = None
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.found.append(SheetRow(self._number, self._cells, self._is_hidden))
        elif name == "rPh":
            self._is_phonetic = False

    def _end_cell(self) -> None:
        place = _place(self._attributes["r"]) if "r" in self._attributes else self._next_place
        self._next_place = place + 1
        value = self._value(ExcelCell(self._text, self._attributes, place, self._has_formula))
        if value is None:
            return
        if not len(self._cells) <= place < MAX_PLACES:
            raise UnreadableArchive
        self._cells += [None] * (place - len(self._cells))
        self._cells.append(value)


def _place(reference: str) -> int:
    """Return the position of a cell's column.

    >>> _place("A1"), _place("XFD12")
    (0, 16383)
    """
    found = _LETTERS.match(reference)
    if found is None:
        raise UnreadableArchive
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _is_zero(attributes: dict[str, str], size: str, is_chosen: str) -> bool:
    return attributes.get(is_chosen) in YES and size in attributes and float(attributes[size]) == 0


def unescaped(text: str) -> str:
    """Return a text with the characters that XML cannot hold, such as the CR that Excel writes as `_x000D_`.

    >>> unescaped("a_x000D_b"), unescaped("a_x005F_x000D_b")
    ('a\\rb', 'a_x000D_b')
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
