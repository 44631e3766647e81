"""Print numbers as a spreadsheet shows them. Source: docs/reference/bulk-sending.md §2."""

import re
from decimal import ROUND_HALF_UP, Decimal

SIGNIFICANT_DIGITS = 15  # of a spreadsheet; further digits are the tail of a binary fraction
PLAIN = frozenset({"General", "general", "@", ""})

_SECTION_ENDS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|(;)')
_NOT_SHOWN = re.compile(r"\[(?!\$)[^\]]*\]|[_*].")  # colours and conditions; spaces as wide as a character
_FORM = re.compile(
    r"(?P<before>{words})(?P<digits>#,##0|#|0+)(?:\.(?P<places>0+))?(?P<percent>%?)(?P<after>{words})".format(
        words=r'(?:"[^"]*"|\\.|\[\$[^\]]*\]|[-+()£$€¥ ])*'
    )
)
_WORD = re.compile(r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<plain>.)')


def plain(value: float) -> str:
    """Return the number with at most 15 significant digits and without an exponent.

    >>> plain(3.3000000000000003), plain(3.0000000000000001e-05), plain(7700900123.0), plain(-0.0)
    ('3.3', '0.00003', '7700900123', '0')
    """
    number = Decimal(value) if isinstance(value, int) else Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}")
    printed = f"{number:f}"
    if "." in printed:
        printed = printed.rstrip("0").rstrip(".")
    return "0" if printed == "-0" else printed


def without_zero(value: float) -> str:
    """Return a number of JSON as Python prints it, but a whole number without `.0`.

    >>> without_zero(7700900127.0), without_zero(0.5), without_zero(1e30)
    ('7700900127', '0.5', '1e+30')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 10**SIGNIFICANT_DIGITS else str(value)


def shown(value: float, form: str) -> str | None:
    """Return the number as a format shows it, or None if the format is not one of the usual ones.

    Usual are fixed decimals, thousands, percent, currency and leading zeros.

    >>> shown(1234.5, '"£"#,##0.00'), shown(0.25, "0%"), shown(42, "00000"), shown(-3, "0.0;(0.0)"), shown(1, "0.0E+00")
    ('£1,234.50', '25%', '00042', '(3.0)', None)
    """
    if form in PLAIN:
        return plain(value)
    sections = _sections(form)
    has_own_sign = value < 0 and len(sections) > 1
    found = _FORM.fullmatch(_NOT_SHOWN.sub("", sections[1] if has_own_sign else sections[0]))
    if found is None:
        return None
    number = abs(Decimal(plain(value))) * (100 if found["percent"] else 1)
    places = len(found["places"] or "")
    number = number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    digits = f"{number:,f}" if "," in found["digits"] else f"{number:f}"
    whole, point, rest = digits.partition(".")
    if found["digits"].startswith("0"):
        whole = whole.zfill(len(found["digits"]))
    sign = "-" if value < 0 and number and not has_own_sign else ""
    return f"{sign}{_words(found['before'])}{whole}{point}{rest}{found['percent']}{_words(found['after'])}".strip()


def _sections(form: str) -> list[str]:
    """Split a format at its semicolons: positive numbers, negative numbers, zero, texts."""
    sections, start = [], 0
    for found in _SECTION_ENDS.finditer(form):
        if found[1]:
            sections.append(form[start : found.start()])
            start = found.end()
    return [*sections, form[start:]]


def _words(text: str) -> str:
    return "".join(found[found.lastgroup or "plain"] or "" for found in _WORD.finditer(text))
