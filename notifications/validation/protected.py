"""Reject protected names, such as HMRC. Recipients trust them, so only operators may give them to a service."""

import unicodedata
from collections.abc import Iterable

from config.invalid import InvalidValue

# Characters that look like another letter. Names are compared in lower case, without spaces and punctuation.
_LOOK_ALIKES = str.maketrans(
    {
        **dict(zip("015|", "olsl", strict=True)),
        "i": "l",
        **dict(zip("авекмнорстухѕіјԁԛԝ", "abekmhopctyxsljdqw", strict=True)),
        **dict(zip("αβεζηικμνορτυχϲϳ", "abezhlkmnoptyxcj", strict=True)),
    }
)


def check_not_protected(name: str, protected: Iterable[str]) -> None:
    """Raise InvalidValue if a name looks like a protected name.

    >>> check_not_protected("H.M.R.C", ["HMRC"])
    Traceback (most recent call last):
    ...
    config.invalid.InvalidValue: “H.M.R.C” is a protected name. Ask an operator to set it.
    """
    wanted = likeness(name)
    if wanted and wanted in map(likeness, protected):
        raise InvalidValue(f"“{name}” is a protected name. Ask an operator to set it.")


def check_new_protected(name: str, protected: Iterable[str]) -> None:
    """Raise InvalidValue if a name cannot be protected: it has no letter or digit, or is already protected."""
    if not likeness(name):
        raise InvalidValue("Use at least one letter or digit.")
    if likeness(name) in map(likeness, protected):
        raise InvalidValue("This name, or one that looks like it, is already protected.")


def likeness(name: str) -> str:
    """Return a form that is equal for all names that look alike.

    It has no case, accents, spaces or punctuation. Characters that look alike become one letter.

    >>> likeness("GOV-UK") == likeness("G0V.UK") == "govuk"
    True
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(character for character in plain.translate(_LOOK_ALIKES) if character.isalnum())
