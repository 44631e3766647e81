"""Parsed requests to send a message, and the limits of their fields.

Source: docs/reference/sending-api.md §5, §6.1, §16.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import Self
from uuid import UUID

from config.invalid import InvalidValue
from config.outbound import targets
from config.outbound.targets import UnsafeUrl
from notifications import errors
from notifications.bulk_tables.rows import MAX_REFERENCE_CHARACTERS as MAX_REFERENCE_CHARACTERS
from notifications.errors import NotificationError
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.validation import keys

MAX_LIST_ITEMS = 10_000
MAX_VERSION = 2**31 - 1  # of an integer column
DRAFT = "draft"  # as `template_version`
MAX_NAME_CHARACTERS_SHOWN = 50  # errors repeat names that the caller chose, truncated to this


@dataclass(frozen=True, slots=True)
class GivenId:
    """An id, with the caller's spelling, which errors repeat."""

    value: UUID
    as_sent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCallback:
    """The callback for the final status of one message."""

    url: str
    bearer_token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFallback:
    """The email that replaces a text message if it fails. It has the personalisation of the text."""

    email_address: EmailAddress
    template_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRequest:
    """A message to send.

    template_version: the number of a version, or DRAFT; None for the version in use
    language: of the text; None for the first language of the template
    personalisation: placeholder name → string, number, boolean, list of these, or object
    """

    template_id: UUID
    template_version: int | str | None = None
    language: str | None = None
    personalisation: Mapping[str, object] = field(default_factory=dict)
    reference: str | None = None
    scheduled_for: datetime | None = None
    callback: RequestedCallback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmsRequest(MessageRequest):
    """A text message to send."""

    phone_number: PhoneNumber
    sms_sender_id: GivenId | None = None
    fallback: GivenFallback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailRequest(MessageRequest):
    """An email to send. sanitise_content_for: the names of the values to sanitise"""

    email_address: EmailAddress
    email_reply_to_id: GivenId | None = None
    one_click_unsubscribe_url: str | None = None
    sanitise_content_for: Sequence[object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPart:
    """A request that may be wrong, for a dry run. invalid: the names of the attributes that `request` lacks"""

    request: MessageRequest
    errors: Sequence[NotificationError] = ()
    invalid: Collection[str] = ()

    @classmethod
    def of(
        cls,
        kind: type[MessageRequest],
        values: Mapping[str, object],
        *,
        errors: Sequence[NotificationError],
        invalid: Collection[str],
    ) -> Self:
        """Return a part of a request: the given values, and the defaults of the attributes that were not given."""
        request = object.__new__(kind)
        for one in fields(kind):
            default = one.default if one.default_factory is MISSING else one.default_factory()
            if one.name in values or default is not MISSING:
                object.__setattr__(request, one.name, values.get(one.name, default))
        return cls(request=request, errors=errors, invalid=invalid)


def check_reference(text: str) -> str:
    """Return the reference. Raises ReferenceTooLong."""
    if len(text) > MAX_REFERENCE_CHARACTERS:
        raise errors.ReferenceTooLong(value=errors.shown(text))
    return text


def parse_callback(value: object) -> RequestedCallback:
    """Return the callback. Its URL and token follow the rules for endpoints of a service. Raises ValidationError."""
    is_complete = isinstance(value, dict) and value.keys() == {"url", "bearer_token"}
    if not isinstance(value, dict) or not is_complete or not all(isinstance(one, str) for one in value.values()):
        raise errors.CallbackIncomplete
    try:
        targets.check_url(value["url"])
    except UnsafeUrl as error:
        raise errors.CallbackUrlInvalid(reason=str(error)) from error
    try:
        keys.check_bearer_token(value["bearer_token"])
    except InvalidValue as error:
        raise errors.CallbackTokenInvalid from error
    return RequestedCallback(**value)


def check_personalisation(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values. Raises TooManyItems if one value has too many items, items of inner lists included.

    Without this check, 14 MiB of `[{},{},…]` took 24 s and 1.2 GiB before the message was rejected as too long.
    """
    for key, value in values.items():
        if isinstance(value, list | dict) and _has_more_items(value, MAX_LIST_ITEMS):
            raise errors.TooManyItems(name=key[:MAX_NAME_CHARACTERS_SHOWN], limit=MAX_LIST_ITEMS)
    return values


def _has_more_items(value: object, most: int) -> bool:
    count, inner = 0, [value]
    while inner:
        outer = inner.pop()
        if isinstance(outer, list | dict):
            count += len(outer)
            if count > most:
                return True
            inner += outer.values() if isinstance(outer, dict) else outer
    return False
