"""Requests from providers: their authentication, and Signalbox's own JSON format for simple gateways.

Source: docs/reference/sending-api.md §19.2, §19.3; docs/reference/security.md §6.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from config.rest.request import has_bearer_token
from config.rest.strict_json import UnreadableJSON
from config.rest.strict_json import loads as strict_loads
from notifications.delivery.messages import IncomingText, Receipt, ReceiptOutcome
from notifications.errors import ReceiptCredentialsMissing, ReceiptCredentialsWrong, ReceiptUnreadable

LONGEST_NUMBER = 40
LONGEST_REFERENCE = 255
LONGEST_CODE = 100


class Posts(Protocol):
    name: str

    def check_caller(self, request: HttpRequest) -> None:
        """Raise a NotificationError if the request does not come from the provider. Do not trust its body yet."""


@runtime_checkable
class TakesReceipts(Posts, Protocol):
    """A provider that posts delivery receipts."""

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Parse a request in the provider's own format. Raises ReceiptUnreadable."""


@runtime_checkable
class TakesTexts(Posts, Protocol):
    """A provider that posts received texts."""

    def incoming_texts(self, request: HttpRequest) -> Sequence[IncomingText]:
        """Parse a request in the provider's own format. Raises ReceiptUnreadable."""


@runtime_checkable
class Listens(Protocol):
    """A provider that sends receipts and texts over a connection that Signalbox keeps open."""

    def listen(
        self, take_receipt: Callable[[str, Receipt], None], take_text: Callable[[str, IncomingText], None]
    ) -> None:
        """Start threads that listen. If a function raises, the provider sends the item again."""

    def end(self) -> None: ...


class OwnForm:
    """Requests in Signalbox's own JSON format with a bearer token."""

    posting_token: str

    def check_caller(self, request: HttpRequest) -> None:
        if "Authorization" not in request.headers:
            raise ReceiptCredentialsMissing(credentials="token", way="as a bearer token")
        if not has_bearer_token(request, self.posting_token):
            raise ReceiptCredentialsWrong

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Read `{"reference" or "id", "outcome", "time"?, "code"?}`. Raises ReceiptUnreadable."""
        posted = json_object(request)
        reference = text(posted, "reference", most=LONGEST_REFERENCE) if "reference" in posted else ""
        identifier = uuid(posted, "id") if "id" in posted else None
        if not reference and identifier is None:
            raise ReceiptUnreadable("reference must be a string, or id the id of the message")
        return [
            Receipt(
                reference=reference,
                notification_id=identifier,
                outcome=ReceiptOutcome.of(text(posted, "outcome", most=LONGEST_CODE)),
                code=text(posted, "code", most=LONGEST_CODE) if "code" in posted else "",
                at=moment(text(posted, "time", most=LONGEST_NUMBER)) if "time" in posted else None,
            )
        ]

    def incoming_texts(self, request: HttpRequest) -> Sequence[IncomingText]:
        """Read `{"from", "to", "content"}`. Raises ReceiptUnreadable."""
        posted = json_object(request)
        return [
            IncomingText(
                sender=text(posted, "from", most=LONGEST_NUMBER),
                recipient=text(posted, "to", most=LONGEST_NUMBER),
                content=text(posted, "content"),
            )
        ]


def json_object(request: HttpRequest) -> Mapping[str, object]:
    """Read the body as one JSON object. Raises ReceiptUnreadable."""
    if request.content_type != "application/json":  # another site's page cannot send this type without a preflight
        raise ReceiptUnreadable("Content-Type must be application/json")
    return loads(request.body)


def loads(data: bytes) -> Mapping[str, object]:
    """Raise ReceiptUnreadable."""
    try:
        posted = strict_loads(data, skip_mark=False, storable=True)
    except UnreadableJSON as error:
        raise ReceiptUnreadable(str(error)) from error
    if not isinstance(posted, dict):
        raise ReceiptUnreadable("it must be an object")
    return posted


def text(posted: Mapping[str, object], name: str, *, most: int | None = None) -> str:
    """Raise ReceiptUnreadable."""
    value = posted.get(name)
    if not isinstance(value, str) or (most is not None and not 0 < len(value) <= most):
        raise ReceiptUnreadable(f"{name} must be a string" + (f" of 1 to {most} characters" if most else ""))
    return value


def uuid(posted: Mapping[str, object], name: str) -> UUID:
    """Raise ReceiptUnreadable."""
    try:
        return UUID(text(posted, name, most=LONGEST_NUMBER))
    except ValueError as error:
        raise ReceiptUnreadable(f"{name} must be a UUID") from error


def moment(value: str) -> datetime:
    """Parse an ISO 8601 date-time; without a zone it is UTC. Raises ReceiptUnreadable."""
    try:
        read = parse_datetime(value)
    except ValueError as error:
        raise ReceiptUnreadable("time must be a date-time") from error
    if read is None or not is_known_year(read):
        raise ReceiptUnreadable("time must be a date-time")
    return read if timezone.is_aware(read) else timezone.make_aware(read, timezone.get_fixed_timezone(0))


def is_known_year(moment: datetime) -> bool:
    """Return whether a time can be stored and shown in every time zone."""
    return 1970 <= moment.year < 9999
