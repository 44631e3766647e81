"""Describe an exception by its type and place, for logs, health checks and stored results."""

import traceback
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parent.parent)
_INSTALLED = "site-packages"


def described(error: BaseException) -> str:
    """Return the type of an exception and where it was raised. Its message may contain a password or a recipient.

    The place is the last line of Signalbox's own code, because a line inside a library does not show the cause.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    own = [frame for frame in frames if frame.filename.startswith(_ROOT) and _INSTALLED not in frame.filename]
    place = (own or frames)[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
