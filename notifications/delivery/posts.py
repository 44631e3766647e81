"""What providers post to us: how they prove who they are, and our own JSON form for those that have none of theirs.

Source: the sending contract §19.2, §19.3; Security and reliability §6.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from config import callers
from config.rest.strict_json import JSONRefused
from config.rest.strict_json import loads as strict_loads
from notifications.delivery.messages import IncomingText, Outcome, Receipt, ReportUnreadable

LONGEST_NUMBER = 40
LONGEST_REFERENCE = 255
LONGEST_CODE = 100


class NotProven(Exception):
    """Nobody has shown who posts this; the message says what to show."""


class WronglyProven(Exception):
    """What was shown is not this provider's."""


class NotNow(Exception):
    """Whether to believe it cannot be found out at the moment; it shall be posted again."""


class Posts(Protocol):
    name: str

    def check_caller(self, request: HttpRequest) -> None:
        """Raises NotProven, WronglyProven, NotNow. The body has been read and is trusted by nobody yet."""


@runtime_checkable
class TakesReceipts(Posts, Protocol):
    """A provider that posts to us what became of messages."""

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Read what it has posted, in its own form. Raises ReportUnreadable."""


@runtime_checkable
class TakesTexts(Posts, Protocol):
    """A provider that posts to us what people text back."""

    def incoming_texts(self, request: HttpRequest) -> Sequence[IncomingText]:
        """Read what it has posted, in its own form. Raises ReportUnreadable."""


@runtime_checkable
class Listens(Protocol):
    """A provider that reports over a connection of ours, which must be kept open for it."""

    def listen(
        self, take_receipt: Callable[[str, Receipt], None], take_text: Callable[[str, IncomingText], None]
    ) -> None:
        """Listen from now on, in threads; what raises is reported again by the provider."""

    def end(self) -> None: ...


class OwnForm:
    """Posts our own JSON form with a token as a bearer."""

    posting_token: str

    def check_caller(self, request: HttpRequest) -> None:
        if "Authorization" not in request.headers:
            raise NotProven("Send the token of this provider as a bearer token")
        if not callers.holds_token(request, self.posting_token):
            raise WronglyProven

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Read `{"reference" or "id", "outcome", "time"?, "code"?}`. Raises ReportUnreadable."""
        report = json_object(request)
        reference = text(report, "reference", most=LONGEST_REFERENCE) if "reference" in report else ""
        identifier = uuid(report, "id") if "id" in report else None
        if not reference and identifier is None:
            raise ReportUnreadable("reference must be a string, or id the id we sent")
        return [
            Receipt(
                reference=reference,
                notification_id=identifier,
                outcome=Outcome.of(text(report, "outcome", most=LONGEST_CODE)),
                code=text(report, "code", most=LONGEST_CODE) if "code" in report else "",
                at=moment(text(report, "time", most=LONGEST_NUMBER)) if "time" in report else None,
            )
        ]

    def incoming_texts(self, request: HttpRequest) -> Sequence[IncomingText]:
        """Read `{"from", "to", "content"}`. Raises ReportUnreadable."""
        report = json_object(request)
        return [
            IncomingText(
                sender=text(report, "from", most=LONGEST_NUMBER),
                recipient=text(report, "to", most=LONGEST_NUMBER),
                content=text(report, "content"),
            )
        ]


def json_object(request: HttpRequest) -> Mapping[str, object]:
    """Read the body as one JSON object. Raises ReportUnreadable."""
    if request.content_type != "application/json":  # which no page of another site can send without asking first
        raise ReportUnreadable("Content-Type must be application/json")
    return loads(request.body)


def loads(data: bytes) -> Mapping[str, object]:
    """Raises ReportUnreadable."""
    try:
        report = strict_loads(data, skip_mark=False, storable=True)
    except JSONRefused as error:
        raise ReportUnreadable(str(error)) from error
    if not isinstance(report, dict):
        raise ReportUnreadable("it must be an object")
    return report


def text(report: Mapping[str, object], name: str, *, most: int | None = None) -> str:
    """Raises ReportUnreadable."""
    value = report.get(name)
    if not isinstance(value, str) or (most is not None and not 0 < len(value) <= most):
        raise ReportUnreadable(f"{name} must be a string" + (f" of 1 to {most} characters" if most else ""))
    return value


def uuid(report: Mapping[str, object], name: str) -> UUID:
    """Raises ReportUnreadable."""
    try:
        return UUID(text(report, name, most=LONGEST_NUMBER))
    except ValueError as error:
        raise ReportUnreadable(f"{name} must be a UUID") from error


def moment(value: str) -> datetime:
    """Read an ISO 8601 date-time, in UTC where it names no zone. Raises ReportUnreadable."""
    try:
        read = parse_datetime(value)
    except ValueError as error:
        raise ReportUnreadable("time must be a date-time") from error
    if read is None or not is_known_year(read):
        raise ReportUnreadable("time must be a date-time")
    return read if timezone.is_aware(read) else timezone.make_aware(read, timezone.get_fixed_timezone(0))


def is_known_year(moment: datetime) -> bool:
    """Return whether a time can be stored and shown in any zone: year 1 and year 9999 end outside it."""
    return 1970 <= moment.year < 9999
