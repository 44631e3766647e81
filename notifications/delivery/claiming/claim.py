"""The claim of one message: the time-limited right of one worker to send it, with the methods that end the claim.

`batches` claims messages and records their acceptances. Source: docs/reference/security.md §10.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypedDict

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models.notification import Notification, NotificationQuerySet
from notifications.models.status import Status
from notifications.models.suppression import SuppressionReason


class Attempt(TypedDict):
    """One entry of `Notification.attempts`.

    outcome: accepted, temporary, permanent, uncertain, test, expired or suppressed
    """

    at: str | None
    provider: str
    outcome: str
    reply: str
    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The result of an acceptance, to record. is_acceptance_final: the provider sends no delivery receipt."""

    status: Status
    at: datetime
    provider: str = ""
    reference: str = ""
    is_acceptance_final: bool = False


LOST = Attempt(at=None, provider="", outcome="uncertain", reply="The worker ended before it recorded a result.", ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A message that this worker may send, with the data that sending needs.

    suppressed_by: the reason why nothing may be sent to this recipient, or None
    claimed_at_seconds: when the claim was made, by the monotonic clock of this process

    Each method that ends the claim returns whether this worker still had it; if another worker has claimed the message
    since, nothing changes. A method that ends the message deletes the keys of its links and stores its callback in the
    same transaction.
    """

    notification: Notification
    service_name: str
    service_is_active: bool
    suppressed_by: SuppressionReason | None
    sender: str | None
    reply_to_address: str | None
    claimed_at_seconds: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        """Return the time of the database, without a query: the claim ends at a known time of its clock."""
        ends_at = self.notification.claimed_until
        if ends_at is None:
            return timezone.now()
        since = time.monotonic() - self.claimed_at_seconds
        return ends_at + timedelta(seconds=since - settings.DELIVERY_CLAIM_SECONDS)

    def end_as_sent(self, attempt: Attempt, sent: Sent) -> bool:
        """Record that a provider accepted the message or that a test message ended. Batches use `record_sent`."""
        return self._end(
            attempt,
            status=sent.status,
            at=sent.at,
            sent_at=sent.at,
            provider=sent.provider,
            provider_reference=sent.reference,
            is_acceptance_final=sent.is_acceptance_final,
        )

    def fail(self, *attempts: Attempt, status: Status, at: datetime) -> bool:
        """Record that the message failed. attempts: the attempts to append, in order."""
        provider = next(
            (attempt["provider"] for attempt in attempts if attempt["provider"]), self.notification.provider
        )
        return self._end(*attempts, status=status, at=at, provider=provider, failed_attempts=F("failed_attempts") + 1)

    def release(self, attempt: Attempt, *, delay: timedelta, counts: bool = True) -> bool:
        """Make the message due again after `delay`.

        counts: whether this counts as a failed attempt of the message; False if Signalbox or the provider is the cause
        """
        # On SQLite a sum has more digits than Now(), so with no delay it would not be due in the same millisecond.
        next_attempt_at = Now() + delay if delay else Now()
        changes: dict[str, Any] = {
            "next_attempt_at": next_attempt_at,
            "provider": attempt["provider"],
        }  # Any: values of columns
        if counts:
            changes["failed_attempts"] = F("failed_attempts") + 1
        return bool(self._mine().update(claimed_until=None, attempts=self.attempts_with(attempt), **changes))

    def put_back(self, *, delay: timedelta = timedelta(0)) -> bool:
        """Undo the claim, because no provider was called. The attempt is not counted."""
        changes = {"next_attempt_at": Now() + delay} if delay else {}
        return bool(self._mine().update(claimed_until=None, attempt=F("attempt") - 1, **changes))

    def attempts_with(self, *attempts: Attempt) -> list[Any]:  # Any: JSON
        """Return all attempts of the message with `attempts` at the end. A claim without a record counts as LOST."""
        earlier = list(self.notification.attempts)
        return earlier + [LOST] * (self.notification.attempt - 1 - len(earlier)) + list(attempts)

    def _end(self, *attempts: Attempt, status: Status, at: datetime, **changes: Any) -> bool:  # Any: values of columns
        changes |= {"claimed_until": None, "attempts": self.attempts_with(*attempts)}
        return bool(self._mine().advance(status, at, **changes))

    def _mine(self) -> NotificationQuerySet:
        return Notification.objects.filter(
            id=self.notification.id, attempt=self.notification.attempt, status=Status.CREATED
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMessage:
    """A claimed message that a provider accepted, or that ends as if a provider had accepted it."""

    claim: Claim
    attempt: Attempt
    sent: Sent
