"""Find the plain letters for Latin letters that Unicode does not decompose. Source: docs/reference/rendering.md §3.2.

The name of such a letter has its base, as in "LATIN SMALL LETTER B WITH HOOK". A table has the bases of other names.
"""

import re
import unicodedata

_ADDITION = re.compile(r" (?:WITH|PRECEDED) .*")
_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lo"})  # Lm are superscripts, which have no plain form, as `²` has none
_FORMS_OF_PRINT = range(0xFB00, 0xFB07)  # ligatures such as `ﬁ`, for which a vector has a question mark

_BASES = {
    "ALPHA": "a",
    "BETA": "b",
    "CHI": "x",
    "DELTA": "d",
    "DEZH": "dzh",
    "ENG": "ng",
    "ESH": "sh",
    "ETH": "d",
    "EZH": "zh",
    "FENG": "fng",
    "GAMMA": "g",
    "HENG": "h",
    "HWAIR": "hv",
    "IOTA": "i",
    "KRA": "q",
    "LAMBDA": "l",
    "LEZH": "lzh",
    "OMEGA": "o",
    "PHI": "f",
    "RAMS": "o",
    "SCHWA": "e",
    "TESH": "tsh",
    "THORN": "th",
    "UPSILON": "u",
    "WYNN": "w",
    "YOGH": "y",
    "YR": "r",
    **dict.fromkeys(["GLOTTAL", "SALTILLO", "ALEF", "AIN"], "'"),
}


def base(character: str) -> str:
    """Return the plain letters for a Latin letter, or an empty string if it has none, as clicks and tones.

    >>> [base(letter) for letter in "Đ ħ ı Œ Þ Ŋ ǝ Ɓ ﬁ ж".split()]
    ['D', 'h', 'i', 'OE', 'Th', 'Ng', 'e', 'B', '', '']
    """
    name = unicodedata.name(character, "")
    if not _is_latin_letter(character, name):
        return ""
    if character == "ẞ":
        return "ß"
    is_capital = "CAPITAL LETTER" in name or "CAPITAL LIGATURE" in name
    for word in reversed(_ADDITION.sub("", name).replace("-", " ").split()):
        if word in _BASES:
            return _BASES[word].capitalize() if is_capital else _BASES[word]
        if len(word) <= 2:
            return word if is_capital else word.lower()
    return ""


def _is_latin_letter(character: str, name: str) -> bool:
    is_letter = unicodedata.category(character) in _LETTERS and ord(character) not in _FORMS_OF_PRINT
    return is_letter and name.startswith(("LATIN ", "FULLWIDTH LATIN "))
