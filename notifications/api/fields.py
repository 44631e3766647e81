"""The properties of a request, one reader each. Source: the sending contract §5, §6.1, §16.

A reader turns a JSON value into what the use case takes, or raises ValidationError with the contract's words.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from notifications.api.identifiers import parse_uuid
from notifications.errors import NotificationError, PropertiesUnexpected, ValidationError, shown
from notifications.models import Service
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.submission import properties
from notifications.submission.requests import GivenId

Reader = Callable[[str, object, Service], object]

FARTHEST = timedelta(hours=24)  # that a message may be scheduled ahead

_DATE_TIME = re.compile(r"\A[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?\Z")
_NOT_ISO8601 = (
    "datetime format is invalid. It must be a valid ISO8601 date time format, https://en.wikipedia.org/wiki/ISO_8601"
)

# RFC 3986, appendix A, with the scheme fixed: authority, path, query and fragment in ASCII, percent signs escaping.
_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
_AUTHORITY = (
    r"(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*@)?"
    r"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?"
)
_REST = rf"(?:{_CHARACTER}|[/?])*+"
_HTTPS_URL = re.compile(rf"\Ahttps://{_AUTHORITY}(?:/{_CHARACTER}*+)*+(?:\?{_REST})?(?:#{_REST})?\Z")


def unexpected(names: Iterable[str]) -> list[NotificationError]:
    """Return the one fault that names every unknown property, or nothing where there is none."""
    unknown = list(names)
    return [PropertiesUnexpected(names=unknown)] if unknown else []


def of_type(name: str, value: object, expected: type | tuple[type, ...], words: str) -> None:
    """Raises ValidationError unless the value is of that JSON type."""
    if not isinstance(value, expected):
        raise ValidationError(f"{name} {shown(value)} is not of type {words}")


def reference(name: str, value: object, service: Service) -> str:
    return properties.reference(name, _text(name, value))


def phone_number(name: str, value: object, service: Service) -> PhoneNumber:
    return properties.phone_number(name, _text(name, value), service)


def email_address(name: str, value: object, service: Service) -> EmailAddress:
    return properties.email_address(name, _text(name, value))


def identifier(name: str, value: object, service: Service) -> GivenId:
    """Read a UUID; a wrong type and a wrong form are told alike."""
    parsed = parse_uuid(value)
    if parsed is None:
        raise ValidationError(f"{name} is not a valid UUID")
    return GivenId(parsed, str(value))


def personalisation(name: str, value: object, service: Service) -> Mapping[str, object]:
    of_type(name, value, dict, "object")
    return properties.personalisation(name, value)  # type: ignore[arg-type]  # just checked


def scheduled_for(name: str, value: object, service: Service) -> datetime | None:
    """Read a moment of the next 24 hours, UTC where no zone is given; null is now."""
    of_type(name, value, (str, type(None)), "string, null")
    if value is None:
        return None
    moment = _moment(str(value))
    if moment is None:
        raise ValidationError(f"{name} {_NOT_ISO8601}")
    now = timezone.now()
    if moment < now:
        raise ValidationError(f"{name} datetime can not be in the past")
    if moment > now + FARTHEST:
        raise ValidationError(f"{name} datetime can only be 24 hours in the future")
    return moment.astimezone(UTC)


def https_url(name: str, value: object, service: Service) -> str:
    """Read a URL by RFC 3986. Every fault has the same words, except that the URL is too long for a header."""
    if isinstance(value, str) and len(value) > properties.MAX_UNSUBSCRIBE_URL_CHARACTERS:
        raise ValidationError(f"{name} {shown(value)} is too long")  # unread: 14 MiB take the pattern 15 s
    if not isinstance(value, str) or not _HTTPS_URL.match(value):
        raise ValidationError(f"{name} is not a valid https url")
    return value


def names(name: str, value: object, service: Service) -> list[object] | None:
    of_type(name, value, (list, type(None)), "array, null")
    return value  # type: ignore[return-value]  # just checked


def _text(name: str, value: object) -> str:
    of_type(name, value, str, "string")
    return str(value)


def _moment(text: str) -> datetime | None:
    """Read date and time of day by ISO 8601; a date alone is none."""
    try:
        moment = datetime.fromisoformat(text) if _DATE_TIME.match(text) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None
