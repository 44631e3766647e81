"""The time zones in which the user of a phone number may be."""

import phonenumbers
from phonenumbers import NumberParseException
from phonenumbers.timezone import UNKNOWN_TIMEZONE, time_zones_for_number


def of_number(normalised: str) -> tuple[str, ...]:
    """Return the IANA names of the zones of a number in E.164 without the plus, or nothing if they are unknown.

    >>> of_number("33698765432"), of_number("447700900123")
    (('Europe/Paris',), ())
    """
    try:
        names = time_zones_for_number(phonenumbers.parse(f"+{normalised}"))
    except NumberParseException:
        return ()
    return tuple(name for name in names if name != UNKNOWN_TIMEZONE)
