"""Names that only operators give to a service, such as HMRC: recipients believe messages that carry one."""

import unicodedata
from collections.abc import Iterable

from config.invalid import InvalidValue

# What people read as another letter. Names are compared in lower case and without blanks and signs.
_LOOK_ALIKES = str.maketrans(
    {
        **dict(zip("015|", "olsl", strict=True)),
        "i": "l",
        **dict(zip("авекмнорстухѕіјԁԛԝ", "abekmhopctyxsljdqw", strict=True)),
        **dict(zip("αβεζηικμνορτυχϲϳ", "abezhlkmnoptyxcj", strict=True)),
    }
)


def check_not_protected(name: str, protected: Iterable[str]) -> None:
    """Raise InvalidValue where a name reads like one of the protected ones.

    >>> check_not_protected("H.M.R.C", ["HMRC"])
    Traceback (most recent call last):
    ...
    config.invalid.InvalidValue: “H.M.R.C” is a protected name. Ask an operator to set it.
    """
    wanted = likeness(name)
    if wanted and wanted in map(likeness, protected):
        raise InvalidValue(f"“{name}” is a protected name. Ask an operator to set it.")


def check_new_protected(name: str, protected: Iterable[str]) -> None:
    """Raise InvalidValue for a name that cannot be listed: without a letter or digit, or protected already."""
    if not likeness(name):
        raise InvalidValue("Use at least one letter or digit.")
    if likeness(name) in map(likeness, protected):
        raise InvalidValue("This name, or one that reads like it, is protected already.")


def likeness(name: str) -> str:
    """Return what a name reads like: without case, accents, blanks and signs, look-alikes as one letter.

    >>> likeness("GOV-UK") == likeness("G0V.UK") == "govuk"
    True
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(character for character in plain.translate(_LOOK_ALIKES) if character.isalnum())
