"""Validate language codes, such as `en`, `cy` or `zh-Hant`. Source: RFC 5646 §2.1."""

import re

from config.invalid import InvalidValue

DEFAULT_LANGUAGE = "en"  # of the text of a template that names none
MAX_LANGUAGES = 10  # of one template
MAX_CODE_CHARACTERS = 35

_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.IGNORECASE)


def parse_language(text: str) -> str:
    """Return a language code in its usual spelling. Raises InvalidValue.

    >>> parse_language("CY"), parse_language("en-gb"), parse_language("zh-HANT-tw")
    ('cy', 'en-GB', 'zh-Hant-TW')
    """
    if not _CODE.fullmatch(text):
        raise InvalidValue(f"Enter a language code, such as en or cy. “{text[:MAX_CODE_CHARACTERS]}” is not one.")
    first, *others = text.split("-")
    return "-".join([first.lower(), *map(_spelled, others)])


def spelled(text: str) -> str:
    """Return a language code in its usual spelling, and another text as it is."""
    return parse_language(text) if _CODE.fullmatch(text) else text


def primary(code: str) -> str:
    """Return the language of a code without its script and country.

    >>> primary("en-GB")
    'en'
    """
    return code.partition("-")[0]


def _spelled(part: str) -> str:
    if len(part) == 2:
        return part.upper()
    return part.title() if len(part) == 4 and part.isalpha() else part.lower()
