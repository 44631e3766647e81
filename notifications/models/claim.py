"""A worker's hold on one message: taken and let go by conditional updates, committed before the network is touched.

Source: Security and reliability §10.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from notifications.models.notification import Notification
from notifications.models.status import COMPLETED, Status

# The moments of the queue are the database's own: the same instant, and the same later, in each dialect.
_MOMENTS = {
    "postgresql": ("STATEMENT_TIMESTAMP()", "STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %(seconds)s)"),
    "sqlite": (
        "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
        "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(seconds)s || ' seconds')",
    ),
}

# What sending needs of other tables is read by the statement that claims: one round trip, and never stale.
_CLAIM = """
    UPDATE notifications_notification SET claimed_until = {later}, attempt = attempt + 1
    WHERE id = %(id)s AND status = 'created' AND next_attempt_at <= {now}
      AND (claimed_until IS NULL OR claimed_until < {now})
    RETURNING *,
      (SELECT name FROM notifications_service WHERE id = service_id) AS service_name,
      (SELECT active FROM notifications_service WHERE id = service_id) AS service_is_active,
      (SELECT sender FROM notifications_smssender WHERE id = sms_sender_id) AS sender,
      (SELECT email_address FROM notifications_replytoaddress WHERE id = reply_to_id) AS reply_to_address
"""


class Attempt(TypedDict):
    """One entry of `Notification.attempts`. outcome: accepted, temporary, permanent, uncertain, or test."""

    at: str | None
    provider: str
    outcome: str
    reply: str
    ms: int


LOST = Attempt(at=None, provider="", outcome="uncertain", reply="The worker ended before it could say.", ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One message in the hands of this worker, with what is needed to send it.

    Each way to let go says whether the row was still ours: a finisher whose lease ran out changes nothing. The two that
    end it for this worker take the keys of links with them, in the same update.
    """

    notification: Notification
    service_name: str
    service_is_active: bool
    sender: str | None
    reply_to_address: str | None

    @classmethod
    def take(cls, notification_id: UUID) -> Self | None:
        """Take hold of a due message for DELIVERY_CLAIM_SECONDS.

        None: somebody else has it, or it is done, or not yet due.
        """
        now, later = _MOMENTS[connection.vendor]
        parameters = {
            "id": Notification._meta.pk.get_db_prep_value(notification_id, connection),
            "seconds": settings.DELIVERY_CLAIM_SECONDS,
        }
        for row in Notification.objects.raw(_CLAIM.format(now=now, later=later), parameters):
            return cls(
                notification=row,
                service_name=row.service_name,  # type: ignore[attr-defined]  # the facts hang on the row by their names
                service_is_active=bool(row.service_is_active),  # type: ignore[attr-defined]
                sender=row.sender,  # type: ignore[attr-defined]
                reply_to_address=row.reply_to_address,  # type: ignore[attr-defined]
            )
        return None

    def mark_sent(self, attempt: Attempt, *, status: Status, at: datetime, provider: str, reference: str = "") -> bool:
        """The message has been handed over, or ended here as if it had been."""
        return self._finish(
            attempt,
            status=status,
            sealed_outgoing=None,
            sent_at=at,
            completed_at=at if status in COMPLETED else None,
            provider=provider,
            provider_reference=reference,
        )

    def fail(self, attempt: Attempt, *, status: Status, at: datetime) -> bool:
        """Nobody will try again."""
        return self._finish(
            attempt,
            status=status,
            sealed_outgoing=None,
            completed_at=at,
            provider=attempt["provider"],
            failed_attempts=F("failed_attempts") + 1,
        )

    def release(self, attempt: Attempt, *, delay: timedelta) -> bool:
        """Somebody shall try again after `delay`; a hint for then is on its way."""
        then = Now() + delay if delay else Now()  # a sum has more digits on SQLite: not due within its millisecond
        return self._finish(
            attempt,
            next_attempt_at=then,
            enqueued_at=then,
            provider=attempt["provider"],
            failed_attempts=F("failed_attempts") + 1,
        )

    def _finish(self, attempt: Attempt, **changes: Any) -> bool:  # Any: values and expressions of the columns
        mine = Notification.objects.filter(
            id=self.notification.id, attempt=self.notification.attempt, status=Status.CREATED
        )
        return bool(mine.update(claimed_until=None, attempts=[*self._earlier(), attempt], **changes))

    def _earlier(self) -> list[Any]:
        """Return the attempts so far; a claim that left no word is one whose outcome nobody knows."""
        noted = list(self.notification.attempts)
        return noted + [LOST] * (self.notification.attempt - 1 - len(noted))
