"""Reject names that look like a name on the list of protected names.

Recipients trust names such as HMRC, so only operators may give them to a service. Names such as "Info" are too general:
recipients cannot know the sender.
"""

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
_PAIRS = (("rn", "m"), ("vv", "w"))


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


def check_not_general(name: str, general: Iterable[str]) -> None:
    """Raise InvalidValue if a name looks like a name that is too general.

    >>> check_not_general("lnf0", ["Info"])
    Traceback (most recent call last):
    ...
    config.invalid.InvalidValue: “lnf0” is too general. Use a name that recipients know, such as your organisation's.
    """
    wanted = likeness(name)
    if wanted and wanted in map(likeness, general):
        raise InvalidValue(f"“{name}” is too general. Use a name that recipients know, such as your organisation's.")


def check_new_protected(name: str, protected: Iterable[str]) -> None:
    """Raise InvalidValue if a name cannot be protected: it has no letter or digit, or is already on the list."""
    if not likeness(name):
        raise InvalidValue("Use at least one letter or digit.")
    if likeness(name) in map(likeness, protected):
        raise InvalidValue("This name, or one that looks like it, is already on the list.")


def likeness(name: str) -> str:
    """Return a form that is equal for all names that look alike.

    It has no case, accents, spaces or punctuation. Characters and pairs of them that look alike become one letter.

    >>> likeness("GOV-UK") == likeness("G0V.UK") == "govuk"
    True
    >>> likeness("Hornes") == likeness("H0MES"), likeness("VVales") == likeness("wa|es")
    (True, True)
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    folded = "".join(character for character in plain.translate(_LOOK_ALIKES) if character.isalnum())
    for pair, letter in _PAIRS:
        folded = folded.replace(pair, letter)
    return folded
