"""Print numbers as a spreadsheet shows them. Source: docs/reference/bulk-sending.md §2."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal

SIGNIFICANT_DIGITS = 15  # of a spreadsheet; further digits are the tail of a binary fraction
PLAIN = frozenset({"General", "general", "@", ""})

_SECTION_ENDS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|(;)')
_NOT_SHOWN = re.compile(  # colours, and spaces as wide as a character
    r'(?P<kept>"[^"]*"|\\.)|\[(?:black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+)\]|[_*].', re.IGNORECASE
)
_WORDS = r'(?:"[^"]*"|\\.|\[\$[^\]]*\]|[-+()$ /:!&\'~<>=]|[^\x00-\x7f])*'
_FORM = re.compile(
    rf"(?P<before>{_WORDS})(?:(?P<general>General)|(?P<digits>[#0]+(?:,[#0]+)*)(?P<point>\.(?P<places>0*#*))?)"
    rf'(?P<percent>(?:\\?[ \xa0]|"[ \xa0]")?%)?(?P<after>{_WORDS})'
)
_WORDS_ALONE = re.compile(rf"(?P<before>{_WORDS})[#?]*(?P<after>{_WORDS})")  # ? and # show nothing of a zero
_WORD = re.compile(r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<plain>.)')
_EXACT = Context(prec=400)  # more digits than a number can have


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

    Usual are fixed decimals, thousands, percent, currency, leading zeros and words instead of a number.

    >>> shown(1234.5, '"£"#,##0.00'), shown(0.25, "0%"), shown(42, "00000"), shown(-3, "0.0;(0.0)"), shown(1, "0.0E+00")
    ('£1,234.50', '25%', '00042', '(3.0)', None)
    >>> shown(0, '0;-0;"none"'), shown(0, '_-"£"* #,##0.00_-;\\-"£"* #,##0.00_-;_-"£"* "-"??_-'), shown(5, "[>9]0;0.0")
    ('none', '£-', None)
    """
    if form in PLAIN:
        return plain(value)
    sections = _sections(form)
    chosen = min(1 if value < 0 else 2 if value == 0 else 0, len(sections)) % len(sections)
    section = _NOT_SHOWN.sub(lambda found: found["kept"] or "", sections[chosen])
    has_own_sign = chosen == 1
    if chosen and (alone := _WORDS_ALONE.fullmatch(section)) and (value == 0 or "#" not in section):
        return _words(alone[1] + alone[2]).strip()
    found = _FORM.fullmatch(section)
    if found is None:
        return None
    number = _number(abs(Decimal(plain(value))), found)
    has_sign = value < 0 and not has_own_sign and any(digit in number for digit in "123456789")
    percent = found["percent"] or ""
    percent = percent and f"{'' if percent == '%' else ' '}%"
    return f"{'-' * has_sign}{_words(found['before'])}{number}{percent}{_words(found['after'])}".strip()


def _number(number: Decimal, form: re.Match[str]) -> str:
    """Return the digits of a number that is not negative."""
    if form["percent"]:
        number = _EXACT.multiply(number, Decimal(100))
    if form["general"]:
        return plain(float(number))
    places = form["places"] or ""
    number = number.quantize(Decimal(1).scaleb(-len(places)), rounding=ROUND_HALF_UP, context=_EXACT)
    whole, _, rest = f"{number:f}".partition(".")
    least = form["digits"].count("0")
    whole = whole.zfill(least) if int(whole) or least else ""
    if "," in form["digits"] and whole:
        head = len(whole) % 3
        whole = ",".join(filter(None, (whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3)))))
    kept = len(places.rstrip("#"))
    return f"{whole}{'.' * bool(form['point'])}{rest[:kept]}{rest[kept:].rstrip('0')}"


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
