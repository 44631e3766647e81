"""What a time zone may be: a name of the IANA database."""

from functools import lru_cache
from zoneinfo import available_timezones

from config.invalid import InvalidValue


def is_time_zone(name: str) -> bool:
    """Return whether the IANA database has a zone of this name.

    >>> is_time_zone("Europe/London"), is_time_zone("teatime")
    (True, False)
    """
    return name in _names()


def check_time_zone(name: str) -> None:
    """Raise InvalidValue if the text is not blank and names no time zone. Blank stands for TIME_ZONE."""
    if name and not is_time_zone(name):
        raise InvalidValue("Enter a time zone, such as Europe/London, or nothing for the default.")


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
