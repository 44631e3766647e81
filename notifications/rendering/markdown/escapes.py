"""Backslash escapes. Source: Rendering §4.1, §4.4.

An escaped character must lose its meaning for blocks, links and typography alike, and yet be there for its
neighbours. Until the text is written it travels as a lone surrogate, which no text of ours can hold: the API refuses
them, and `without_surrogates` replaces any that come another way.
"""

import re

ESCAPABLE = "\\`*{}[]()#+-.!_>~|<^•="
QUOTES = "'\""

_FIRST_SHIELD = 0xDC00
_SHIELDS = {character: chr(_FIRST_SHIELD + number) for number, character in enumerate(ESCAPABLE + QUOTES)}
_UNSHIELD = str.maketrans({shield: character for character, shield in _SHIELDS.items()})
_SHIELD_QUOTES = str.maketrans(dict.fromkeys("'‘’", _SHIELDS["'"]))
_ESCAPE = re.compile(rf"\\([{re.escape(ESCAPABLE)}])")
_SUBJECT_ESCAPE = re.compile(rf"\\([{re.escape(ESCAPABLE + QUOTES)}])")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which are no characters, by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def shield(text: str) -> str:
    """Drop the backslash before each escapable character of a body and shield that character.

    >>> unshield(shield(r"\\*not bold\\* in C:\\temp"))
    '*not bold* in C:\\\\temp'
    """
    return _ESCAPE.sub(_shield_match, text)


def shield_subject(text: str) -> str:
    """Do the same in a subject, where quotes can be escaped too."""
    return _SUBJECT_ESCAPE.sub(_shield_match, text)


def shield_quotes(text: str) -> str:
    """Make every single quote straight and shield it."""
    return text.translate(_SHIELD_QUOTES)


def shielded(characters: str) -> str:
    """Return the shielded forms of escapable characters, for patterns that look at neighbours."""
    return "".join(_SHIELDS[character] for character in characters)


def unshield(text: str) -> str:
    """Turn shielded characters back into themselves."""
    return text.translate(_UNSHIELD)


def _shield_match(match: re.Match[str]) -> str:
    return _SHIELDS[match[1]]
