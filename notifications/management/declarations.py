"""The services part of a provision document as values. None means "left out", which leaves a row as it is.

Source: the sending contract §22.
"""

from dataclasses import dataclass
from uuid import UUID

from config.management.document import Entry
from notifications.models import CallbackKind, Channel, KeyType, RecipientKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """An address or number as given, and in the form it is compared in."""

    kind: RecipientKind
    given: str
    normalised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMemberDeclaration:
    email_address: Recipient
    phone_number: Recipient | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderDeclaration:
    """A text message sender or a reply-to address."""

    entry: Entry
    id: UUID | None
    text: str
    is_default: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateDeclaration:
    entry: Entry
    id: UUID | None
    type: Channel | None
    name: str | None
    subject: str | None
    content: str | None
    unsubscribe_link: bool | None
    archived: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeyDeclaration:
    entry: Entry
    name: str | None
    key_type: KeyType | None
    secret: str | None
    revoked: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackDeclaration:
    kind: CallbackKind
    url: str
    bearer_token: str
    signing_secret: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDeclaration:
    """fields: column → value, only of what was given."""

    entry: Entry
    id: UUID | None
    name: str | None
    fields: dict[str, object]
    team: list[TeamMemberDeclaration] | None
    guests: list[Recipient] | None
    sms_senders: list[SenderDeclaration]
    reply_to_addresses: list[SenderDeclaration]
    templates: list[TemplateDeclaration]
    api_keys: list[ApiKeyDeclaration]
    callbacks: list[CallbackDeclaration]
