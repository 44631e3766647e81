"""Read the sheets of an .xlsx file from their XML, a row at a time. The format: ISO/IEC 29500-1, clause 18.

python-calamine, which is faster, loses errors, formulas without a result, and digits of whole numbers.
Source: docs/reference/imports.md §5.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import unquote

from config.xml_archives import XmlElements
from datasets.imports.reading import sheet_values
from datasets.imports.reading.cells import Bad, Cell, CellMoment, UnreadableFile
from datasets.imports.reading.sheets import MAX_PLACES, SheetPart, SheetRow

_YES = {"1", "true"}
_LETTERS = re.compile("[A-Z]{1,3}")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class ExcelBook:
    """An opened workbook. sheets: the names and paths of its visible sheets, in their order"""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.hidden_columns: set[int] = set()
        self._archive = archive
        self._names = {name.lower(): name for name in archive.namelist()}  # links and names may differ in case
        path = self._links("").paths.get("officeDocument", [""])[0]
        workbook, links = _BookPart(), self._links(path)
        workbook.read_whole(archive, path)
        self._is_from_1904 = workbook.is_from_1904
        self.sheets = [
            (name, links.by_id[identifier]) for name, identifier in workbook.sheets if identifier in links.by_id
        ]
        self._strings, self._styles = _SharedTexts(), _NumberFormats()
        for kind, part in (("sharedStrings", self._strings), ("styles", self._styles)):
            for each in links.paths.get(kind, [])[:1]:
                part.read_whole(archive, each)

    def rows(self, path: str) -> Iterator[SheetRow]:
        """Yield the rows of a sheet that have cells, with their numbers."""
        part, last = _ExcelRows(self._strings.found, self._styles.kinds, is_from_1904=self._is_from_1904), 0
        self.hidden_columns = part.hidden_columns
        for _ in part.read(self._archive, path):
            for row in part.found:
                if row.number <= last:
                    raise UnreadableFile("The rows of the spreadsheet are not in order.")
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
            self.is_from_1904 = attributes.get("date1904") in _YES


class _PartLinks(XmlElements):
    """What a part links to: paths by the kind of the link, and those of worksheets by id."""

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
            self.found.append(_unescaped("".join(self._texts)))
            self._texts.clear()


class _NumberFormats(XmlElements):
    """Whether the style of a cell shows a date or a time, by the number of the style."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self._codes: dict[int, str] = {}
        self._is_of_cells = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self._codes[int(attributes["numFmtId"])] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._is_of_cells = True
        elif name == "xf" and self._is_of_cells:
            number = int(attributes.get("numFmtId", 0))
            self.kinds.append(sheet_values.kind_of_format(number, self._codes.get(number)))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_of_cells = False


class _ExcelRows(SheetPart):
    """Collects the rows of a sheet."""

    def __init__(self, strings: list[str], kinds: list[str], *, is_from_1904: bool) -> None:
        super().__init__()
        self._strings, self._kinds, self._is_from_1904 = strings, kinds, is_from_1904
        self._number, self._next_place = 0, 0
        self._cells: list[Cell] = []
        self._is_hidden = False
        self._cell: dict[str, str] = {}
        self._value: str | None = None
        self._texts: list[str] | None = None
        self._has_formula = self._is_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell, self._value, self._has_formula = attributes, None, False
        elif name in {"v", "t"} and not self._is_phonetic:
            self._texts = []
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._number = int(attributes.get("r", self._number + 1))
            self._is_hidden = attributes.get("hidden") in _YES
            self._cells, self._next_place = [], 0
        elif name == "col" and attributes.get("hidden") in _YES:
            last = min(int(attributes["max"]), MAX_PLACES)
            self.hidden_columns.update(range(int(attributes["min"]) - 1, last))
        elif name == "rPh":
            self._is_phonetic = True

    def text(self, text: str) -> None:
        if self._texts is not None:
            self._texts.append(text)

    def end(self, name: str) -> None:
        if name in {"v", "t"} and self._texts is not None:
            self._value = (self._value or "") + "".join(self._texts)
            self._texts = None
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self.found.append(SheetRow(self._number, self._cells, self._is_hidden))
        elif name == "rPh":
            self._is_phonetic = False

    def _end_cell(self) -> None:
        place = _place(self._cell["r"]) if "r" in self._cell else self._next_place
        self._next_place = place + 1
        value = self._converted()
        if value is None:
            return
        if not len(self._cells) <= place < MAX_PLACES:
            raise UnreadableFile("The cells of the spreadsheet are not in order.")
        self._cells += [None] * (place - len(self._cells))
        self._cells.append(value)

    def _converted(self) -> Cell:
        text, kind = self._value, self._cell.get("t", "n")
        if text is None or (not text and kind not in {"str", "inlineStr"}):
            return sheet_values.NO_RESULT if self._has_formula else None
        if kind == "s":
            index = int(text)
            return self._strings[index] if 0 <= index < len(self._strings) else Bad(text, "is a damaged text")
        if kind == "e":
            return Bad(text, f"is the error {text}")
        if kind == "b":
            return text.strip() in _YES
        if kind == "d":
            return _strict_date(text)
        if kind != "n":
            return _unescaped(text) or None
        style = int(self._cell.get("s", 0))
        shown_as = self._kinds[style] if 0 <= style < len(self._kinds) else ""
        if shown_as:
            return sheet_values.moment(text, shown_as, is_from_1904=self._is_from_1904)
        return sheet_values.number(text)


def _strict_date(text: str) -> Cell:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return CellMoment(at.replace(tzinfo=None, microsecond=0), "T" in text and at.time().isoformat() != "00:00:00")


def _place(reference: str) -> int:
    """Return the position of a cell's column.

    >>> _place("A1"), _place("XFD12")
    (0, 16383)
    """
    found = _LETTERS.match(reference)
    if found is None:
        raise UnreadableFile("The spreadsheet has a cell without a column.")
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _unescaped(text: str) -> str:
    """Return a text with the characters that XML cannot hold, such as the CR that Excel writes as `_x000D_`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
