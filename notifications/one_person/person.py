"""The recipient whose data is found, exported or erased, and the services that are searched."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Self, TypeVar

from django.db.models import Model, QuerySet
from django.utils import timezone

from config import mailboxes
from notifications.models import Service, recipient_hash
from notifications.recipients.email import EmailAddress
from notifications.recipients.mentions import Mentions
from notifications.recipients.phone import PhoneNumber, displayed
from notifications.submission.suppressions.listing import parse_recipient

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Person:
    """One recipient.

    service: the service that is searched; None for all services and rows without a service
    until: messages that are accepted later are not touched
    """

    recipient: PhoneNumber | EmailAddress
    service: Service | None = None
    until: datetime = field(default_factory=timezone.now)

    @classmethod
    def parse(cls, text: str, service: Service | None = None, **fields: Any) -> Self:
        """Parse a phone number of any country or an email address. Raises InvalidValue."""
        return cls(parse_recipient(text), service, **fields)

    @property
    def normalised(self) -> str:
        return self.recipient.key

    @property
    def shown(self) -> str:
        """Return the recipient in the form for people."""
        return displayed(self.recipient.as_given)

    @property
    def keys(self) -> list[str]:
        """Return the keys of the recipient, also the one under which the previous release stores rows."""
        return mailboxes.keys_of(self.recipient.key)

    @property
    def is_phone(self) -> bool:
        return isinstance(self.recipient, PhoneNumber)

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.recipient)

    @cached_property
    def hash(self) -> str:
        """Return the hash under which the audit and suppressions know the recipient."""
        return recipient_hash.hash_of(self.normalised)

    def here(self, rows: "QuerySet[Row]", path: str = "service") -> "QuerySet[Row]":
        """Return those of these rows that are searched. path: to the service; blank for rows without one"""
        if self.service is None:
            return rows
        return rows.filter(**{path: self.service.pk}) if path else rows.none()
