"""The number formats of an .xlsx file, and which of them show dates. The format: ISO/IEC 29500-1, clause 18.8."""

import re
from functools import lru_cache

from config.xml_archives import XmlElements

GENERAL = "General"
_FORMS = {  # that a file does not have to define; the others are dates, times or depend on the language
    0: GENERAL,
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


class NumberFormats(XmlElements):
    """The number formats of cells by the number of their style. None: not known"""

    def __init__(self) -> None:
        self.found: list[str | None] = []
        self._forms: dict[int, str] = dict(_FORMS)
        self._is_of_cells = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self._forms[int(attributes["numFmtId"])] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._is_of_cells = True
        elif name == "xf" and self._is_of_cells:
            self.found.append(self._forms.get(int(attributes.get("numFmtId", 0))))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_of_cells = False


@lru_cache(maxsize=1024)
def parts_of_date(form: str) -> str:
    """Return the letters of a format that shows dates or times, and `[` for a duration; else nothing.

    >>> parts_of_date('dd" of "mm'), parts_of_date("[h]:mm"), parts_of_date('0.00" days"'), parts_of_date("Standard")
    ('ddmm', '[hmm', '', '')
    """
    if form.lower() in {"general", "standard"}:
        return ""
    return "".join(letter for letter in _LITERALS.sub("", form.partition(";")[0]).lower() if letter in "ymdhs[")
