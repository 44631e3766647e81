"""The values of the cells of an .xlsx file as text. The format: ISO/IEC 29500-1, clauses 18.4 and 18.8."""

import re
from datetime import datetime, time, timedelta
from functools import lru_cache

from config.xml_archives import XmlElements
from notifications.bulk_tables import number_formats
from notifications.bulk_tables.sheets import printed_duration, printed_moment, printed_time
from notifications.bulk_tables.tables import Cell

_GENERAL = 0
_FORMS = {  # that a file does not have to define; the others are dates, times or depend on the language
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    49: "@",
    37: "#,##0 ;(#,##0)",
    38: "#,##0 ;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    48: "##0.0E+0",
    **dict.fromkeys((*range(14, 18), *range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 45, 47), "hh:mm"),
    22: "yyyy-mm-dd hh:mm",
    46: "[h]:mm",
}
_LITERALS = re.compile(r'"[^"]*"|\\.|[_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_DAYS_OF_ALL_YEARS = 2_957_003  # to the year 9999, also from 1904
_LAST_WITHOUT_LEAP_DAY = 60  # Excel counts a 29 February 1900, so earlier days are one later


class Strings(XmlElements):
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


class Styles(XmlElements):
    """The number formats of cells by the number of their style. None: not known"""

    def __init__(self) -> None:
        self.found: list[str | None] = []
        self._forms: dict[int, str] = dict(_FORMS)
        self._is_of_cells = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self._forms[int(attributes["numFmtId"])] = attributes["formatCode"]
        elif name == "cellXfs":
            self._is_of_cells = True
        elif name == "xf" and self._is_of_cells:
            self.found.append(self._forms.get(int(attributes.get("numFmtId", _GENERAL))))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_of_cells = False


class Values:
    """Prints values. unformatted: the positions of numbers whose format is not known"""

    def __init__(self, *, is_from_1904: bool) -> None:
        self.strings, self.styles = Strings(), Styles()
        self.unformatted: set[int] = set()
        self._first_day = datetime(1904, 1, 1) if is_from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001  no zone
        self._is_from_1904 = is_from_1904

    def printed(self, text: str, attributes: dict[str, str], place: int) -> Cell:
        """Return the text of a cell at this position. text: its value in the file. Raises LookupError, ValueError."""
        match attributes.get("t", "n"):
            case "s":
                return self.strings.found[int(text)]
            case "n":
                return self._number(text, self._form(attributes), place)
            case "b":
                return str(text.strip() in {"1", "true"})
            case "d":
                return _iso_moment(text, _parts_of_date(self._form(attributes) or ""))
        return unescaped(text)

    def _form(self, attributes: dict[str, str]) -> str | None:
        style = attributes.get("s", "")
        return self.styles.found[int(style)] if style and self.styles.found else _FORMS[_GENERAL]

    def _number(self, text: str, form: str | None, place: int) -> str:
        value = float(text) if not text.isdecimal() else int(text)
        parts = _parts_of_date(form) if form else ""
        shown = self._moment(float(value), parts) if parts else number_formats.shown(value, form) if form else None
        if shown is None:
            self.unformatted.add(place)
        return number_formats.plain(value) if shown is None else shown

    def _moment(self, days: float, parts: str) -> str | None:
        """Return the date, the time or both, as the format shows. None: a sheet shows no date for this number"""
        if "[" in parts:
            return printed_duration(timedelta(days=days))
        if not 0 <= days < _DAYS_OF_ALL_YEARS:
            return None
        if not self._is_from_1904 and days < _LAST_WITHOUT_LEAP_DAY:
            days += days >= 1
        return _printed(self._first_day + timedelta(seconds=round(days * 86_400)), parts)


def unescaped(text: str) -> str:
    """Return a text with the characters that XML cannot hold, such as the CR that Excel writes as `_x000D_`.

    >>> unescaped("a_x000D_b"), unescaped("a_x005F_x000D_b")
    ('a\\rb', 'a_x000D_b')
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _iso_moment(text: str, parts: str) -> str:
    """Return a date, time or both that a strict file writes in the form of ISO 8601. Raises ValueError."""
    if "-" not in text:
        return printed_time(time.fromisoformat(text))
    return _printed(datetime.fromisoformat(text), parts)


def _printed(moment: datetime, parts: str) -> str:
    """Return the date, the time or both. parts: the letters of the format, if there is one"""
    has_date, has_time = not set("yd").isdisjoint(parts), not set("hs").isdisjoint(parts)
    if has_time and not has_date:
        return printed_time(moment.time())
    return printed_moment(moment if has_time or not parts else datetime.combine(moment, time()))


@lru_cache(maxsize=256)
def _parts_of_date(form: str) -> str:
    """Return the letters of a format that shows dates or times, and `[` for a duration; else nothing.

    >>> _parts_of_date('dd" of "mm'), _parts_of_date("[h]:mm"), _parts_of_date('0.00" days"'), _parts_of_date("General")
    ('ddmm', '[hmm', '', '')
    """
    if form in number_formats.PLAIN:
        return ""
    return "".join(letter for letter in _LITERALS.sub("", form.partition(";")[0]).lower() if letter in "ymdhs[")
