"""What a time zone may be: a name of the IANA database."""

from functools import lru_cache
from zoneinfo import available_timezones


def is_time_zone(name: str) -> bool:
    """Return whether the IANA database has a zone of this name.

    >>> is_time_zone("Europe/London"), is_time_zone("teatime")
    (True, False)
    """
    return name in _names()


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(available_timezones())
