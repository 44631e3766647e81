"""A worker's hold on one message: taken and let go by conditional updates, committed before the network is touched.

Source: Security and reliability §10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Self, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import F
from django.db.models.functions import Now

from config.inserting import prepared_cursor
from config.reading import Loaded
from notifications.models.notification import Notification, NotificationQuerySet
from notifications.models.status import COMPLETED, FINAL, Status

# The moments of the queue are the database's own: the same instant, and the same later, in each dialect.
_MOMENTS = {
    "postgresql": ("STATEMENT_TIMESTAMP()", "STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %(seconds)s)"),
    "sqlite": (
        "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
        "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(seconds)s || ' seconds')",
    ),
}

# What sending needs, and no more: reading a column that is not used costs as much as one that is.
_READ = (
    *("id", "service_id", "channel", "key_type", "recipient", "normalised_recipient", "subject", "body"),
    *("template_id", "created_at"),
    *("sealed_outgoing", "unsubscribe_link", "one_click_unsubscribe_url", "is_international"),
    *("status", "due_at", "attempt", "failed_attempts", "attempts", "provider"),
)

# What sending needs of other tables is read by the statement that claims: one round trip, and never stale.
_CLAIM = """
    UPDATE notifications_notification SET claimed_until = {later}, attempt = attempt + 1
    WHERE id = %(id)s AND status = 'created' AND next_attempt_at <= {now}
      AND (claimed_until IS NULL OR claimed_until < {now})
    RETURNING {read},
      (SELECT name FROM notifications_service WHERE id = service_id) AS service_name,
      (SELECT active FROM notifications_service WHERE id = service_id) AS service_is_active,
      (SELECT sender FROM notifications_smssender WHERE id = sms_sender_id) AS sender,
      (SELECT email_address FROM notifications_replytoaddress WHERE id = reply_to_id) AS reply_to_address
"""

# `NotificationQuerySet.advance` for one message of ours that a provider has taken. Written out, for nothing is owed for
# it, and building this statement took five times as long as PostgreSQL needed to carry it out.
_MARK_SENT = """
    UPDATE notifications_notification SET
        status = %(status)s, completed_at = %(completed_at)s, sent_at = %(sent_at)s, provider = %(provider)s,
        provider_reference = %(provider_reference)s, attempts = %(attempts)s,
        is_acceptance_final = %(is_acceptance_final)s, claimed_until = NULL, sealed_outgoing = NULL
    WHERE id = %(sent_id)s AND attempt = %(sent_attempt)s AND status = 'created'
"""

# The same for a final status, where the service has no callback for it.
_MARK_ENDED = f"""{_MARK_SENT} AND NOT EXISTS (
        SELECT 1 FROM notifications_callbackendpoint AS endpoint
        WHERE endpoint.service_id = notifications_notification.service_id AND endpoint.kind = 'delivery_status'
    )
"""  # noqa: S608  of our own

# One statement, one commit: the next message is taken with the word on the last one, and neither waits for the other.
_MARK_SENT_AND_TAKE = """
    WITH sent AS ({mark_sent} RETURNING 1), taken AS ({claim})
    SELECT (SELECT COUNT(*) FROM sent) AS was_ours, taken.* FROM (SELECT 1) AS always LEFT JOIN taken ON TRUE
"""

_FIELDS = {field.name: field for field in Notification._meta.concrete_fields}


class Attempt(TypedDict):
    """One entry of `Notification.attempts`. outcome: accepted, temporary, permanent, uncertain, test, or expired."""

    at: str | None
    provider: str
    outcome: str
    reply: str
    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A hand-over as the row keeps it. is_acceptance_final: the provider reports nothing after it."""

    status: Status
    at: datetime
    provider: str = ""
    reference: str = ""
    is_acceptance_final: bool = False


LOST = Attempt(at=None, provider="", outcome="uncertain", reply="The worker ended before it could say.", ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One message in the hands of this worker, with what is needed to send it.

    Each way to let go says whether the row was still ours: a finisher whose lease ran out changes nothing. The two that
    end it for this worker take the keys of links with them, and leave what is owed for it, all in one.
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
        with prepared_cursor(connections[DEFAULT_DB_ALIAS]) as cursor:
            cursor.execute(_claim_statement(), _claim_parameters(notification_id))
            found = cursor.fetchall()  # to the end: SQLite commits what a statement has done once it has ended
        return cls._of(found[0]) if found else None

    def mark_sent(self, attempt: Attempt, sent: Sent) -> bool:
        """The message has been handed over, or ended here as if it had been."""
        with prepared_cursor(connections[DEFAULT_DB_ALIAS]) as cursor:
            cursor.execute(_mark_sent_statement(sent), self._as_sent(attempt, sent))
            was_ours = bool(cursor.rowcount)
        return was_ours or self._end_with_callback(attempt, sent)

    def mark_sent_and_take(self, then: UUID | None, attempt: Attempt, sent: Sent) -> tuple[bool, Self | None]:
        """As `mark_sent`, and take hold of another message, as by `take`, with one commit for both."""
        if then is None:
            return self.mark_sent(attempt, sent), None
        if connection.vendor != "postgresql":
            with transaction.atomic():
                return self.mark_sent(attempt, sent), self.take(then)
        parameters = self._as_sent(attempt, sent) | _claim_parameters(then)
        with prepared_cursor(connections[DEFAULT_DB_ALIAS]) as cursor:
            cursor.execute(_mark_sent_and_take_statement(_mark_sent_statement(sent)), parameters)
            was_ours, *found = cursor.fetchone()
        following = self._of(found) if found[0] else None
        return bool(was_ours) or self._end_with_callback(attempt, sent), following

    def fail(self, *attempts: Attempt, status: Status, at: datetime) -> bool:
        """Nobody will try again. attempts: what this claim adds to the message's, in order."""
        provider = next((one["provider"] for one in attempts if one["provider"]), self.notification.provider)
        return self._end(*attempts, status=status, at=at, provider=provider, failed_attempts=F("failed_attempts") + 1)

    def release(self, attempt: Attempt, *, delay: timedelta, counts: bool = True) -> bool:
        """Somebody shall try again after `delay`; a hint for then is on its way.

        counts: this was a failure of the message, and not one of ours that it waits for.
        """
        then = Now() + delay if delay else Now()  # a sum has more digits on SQLite: not due within its millisecond
        changes: dict[str, Any] = {"next_attempt_at": then, "enqueued_at": then, "provider": attempt["provider"]}
        if counts:
            changes["failed_attempts"] = F("failed_attempts") + 1
        return bool(self._mine().update(**changes, **self._let_go(attempt)))

    def put_back(self, *, delay: timedelta) -> bool:
        """Nobody was asked: the message waits on as if it had never been taken."""
        then = Now() + delay
        return bool(
            self._mine().update(claimed_until=None, next_attempt_at=then, enqueued_at=then, attempt=F("attempt") - 1)
        )

    def _end_with_callback(self, attempt: Attempt, sent: Sent) -> bool:
        """End the message where the short statement did not: a callback is due, or the row is no longer ours."""
        return sent.status in FINAL and self._end(
            attempt,
            status=sent.status,
            at=sent.at,
            sent_at=sent.at,
            provider=sent.provider,
            provider_reference=sent.reference,
            is_acceptance_final=sent.is_acceptance_final,
        )

    def _as_sent(self, attempt: Attempt, sent: Sent) -> dict[str, Any]:  # Any: as the database takes them
        values = {
            "status": sent.status.value,
            "completed_at": sent.at if sent.status in COMPLETED else None,
            "sent_at": sent.at,
            "provider": sent.provider,
            "provider_reference": sent.reference,
            "attempts": [*self._earlier(), attempt],
            "is_acceptance_final": sent.is_acceptance_final,
        }
        return {name: _FIELDS[name].get_db_prep_save(value, connection) for name, value in values.items()} | {
            "sent_id": _FIELDS["id"].get_db_prep_save(self.notification.id, connection),
            "sent_attempt": self.notification.attempt,
        }

    @classmethod
    def _of(cls, found: Sequence[Any]) -> Self:  # Any: values of columns, as the claim returns them
        service_name, service_is_active, sender, reply_to_address = found[-4:]
        return cls(
            notification=_claimed().row(found),
            service_name=service_name,
            service_is_active=bool(service_is_active),
            sender=sender,
            reply_to_address=reply_to_address,
        )

    def _end(self, *attempts: Attempt, status: Status, at: datetime, **changes: Any) -> bool:  # Any: as `_let_go`
        return bool(self._mine().advance(status, at, **changes, **self._let_go(*attempts)))

    def _mine(self) -> NotificationQuerySet:
        return Notification.objects.filter(
            id=self.notification.id, attempt=self.notification.attempt, status=Status.CREATED
        )

    def _let_go(self, *attempts: Attempt) -> dict[str, Any]:  # Any: values and expressions of the columns
        return {"claimed_until": None, "attempts": [*self._earlier(), *attempts]}

    def _earlier(self) -> list[Any]:
        """Return the attempts so far; a claim that left no word is one whose outcome nobody knows."""
        noted = list(self.notification.attempts)
        return noted + [LOST] * (self.notification.attempt - 1 - len(noted))


@cache
def _claimed() -> Loaded[Notification]:
    """Return what makes messages of claimed rows. The key of a template is known only once all models are there."""
    return Loaded(Notification, _READ)


@cache
def _claim_statement() -> str:
    now, later = _MOMENTS[connection.vendor]
    return _CLAIM.format(now=now, later=later, read=_claimed().names)


def _mark_sent_statement(sent: Sent) -> str:
    return _MARK_ENDED if sent.status in FINAL else _MARK_SENT


@cache
def _mark_sent_and_take_statement(mark_sent: str) -> str:
    return _MARK_SENT_AND_TAKE.format(mark_sent=mark_sent, claim=_claim_statement())


def _claim_parameters(notification_id: UUID) -> dict[str, Any]:  # Any: a UUID, or its text
    return {
        "id": _FIELDS["id"].get_db_prep_value(notification_id, connection),
        "seconds": settings.DELIVERY_CLAIM_SECONDS,
    }
