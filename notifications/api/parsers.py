"""The body of a POST. Source: the sending contract §4.1, steps 5 to 7; Security and reliability §3."""

from django.conf import settings
from rest_framework.request import Request

from config.rest import body
from config.rest.parsers import StrictJSONParser
from notifications import errors

_NOTHING = frozenset({b"", b"null", b"{}"})


class NotificationJSONParser(StrictJSONParser):
    """Strict JSON without content coding, chunks or byte order mark, up to REQUEST_MAX_BYTES."""

    max_bytes = property(lambda self: settings.REQUEST_MAX_BYTES)


def read_json(request: Request) -> object:
    """Return the JSON value of the body. Raises ContentTypeRefused, BodyRefused, JSONRefused."""
    if not _is_json(request):
        raise errors.ContentTypeRefused
    return NotificationJSONParser().read_json(request.META)


def read_json_if_any(request: Request) -> object:
    """Return the JSON value, or None where no body came, of whatever type nothing is."""
    body.check_coding(request.META)
    parser = NotificationJSONParser()
    data = parser.read_bytes(request.META)
    if data.strip() in _NOTHING:
        return None
    if not _is_json(request):
        raise errors.ContentTypeRefused
    return parser.loads(data)


def _is_json(request: Request) -> bool:
    content_type = str(request.META.get("CONTENT_TYPE", ""))
    return content_type.partition(";")[0].strip().lower() == NotificationJSONParser.media_type
