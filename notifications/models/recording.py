"""Record what became of a batch of claims, in one statement and one commit. Source: docs/reference/security.md §10."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F

from config.databases.prepared import prepared_cursor
from notifications.models.claim import Attempt, Claim, Sent
from notifications.models.notification import Notification
from notifications.models.status import COMPLETED, FINAL, Status

_COLUMNS = {
    "message_id": "uuid",
    "attempt": "integer",
    "status": "text",
    "completed_at": "timestamptz",
    "sent_at": "timestamptz",
    "provider": "text",
    "provider_reference": "text",
    "attempts": "jsonb",
    "is_acceptance_final": "boolean",
}
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
_EXTRACTED = ", ".join(f"JSON_EXTRACT(value, '$.{name}') AS {name}" for name in _COLUMNS)
_GIVEN = {
    "postgresql": f"JSONB_TO_RECORDSET(%(rows)s::jsonb) AS given({_TYPED})",
    "sqlite": f"(SELECT {_EXTRACTED} FROM JSON_EACH(%(rows)s)) AS given",  # noqa: S608  of our own
}

# A message that ends in a final status and whose service has a callback for it is left to `Claim.end_as_sent`.
_RECORD = """
    UPDATE notifications_notification AS message SET
        status = given.status, completed_at = given.completed_at, sent_at = given.sent_at, provider = given.provider,
        provider_reference = given.provider_reference, attempts = given.attempts,
        is_acceptance_final = given.is_acceptance_final, claimed_until = NULL, encrypted_outgoing = NULL
    FROM {given}
    WHERE message.id = given.message_id AND message.attempt = given.attempt AND message.status = 'created'
      AND (given.status NOT IN ({final}) OR NOT EXISTS (
        SELECT 1 FROM notifications_callbackendpoint AS endpoint
        WHERE endpoint.service_id = message.service_id AND endpoint.kind = 'delivery_status'
      ))
    RETURNING id
"""

_FIELDS = {field.name: field for field in Notification._meta.concrete_fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """One message of a batch that a provider has accepted, or that ends here as if it had been."""

    claim: Claim
    attempt: Attempt
    sent: Sent


def record_sent(batch: Sequence[SentMessage]) -> list[bool]:
    """Record a batch of acceptances. Returns of each message whether its row was still ours."""
    connection = connections[DEFAULT_DB_ALIAS]
    vendor = connection.vendor
    statement = _RECORD.format(given=_GIVEN[vendor], final=", ".join(f"'{status.value}'" for status in FINAL))
    rows = json.dumps([_row(one, connection) for one in batch], default=str)
    with prepared_cursor(connection) as cursor:
        cursor.execute(statement, {"rows": rows})
        recorded = {str(values[0]) for values in cursor.fetchall()}
    return [
        str(_value("id", one.claim.notification.id, connection)) in recorded
        or (one.sent.status in FINAL and one.claim.end_as_sent(one.attempt, one.sent))
        for one in batch
    ]


def put_back(claims: Sequence[Claim]) -> None:
    """Undo the claims of messages for which no provider was called, as `Claim.put_back` does."""
    by_attempt: dict[int, list[Any]] = {}  # Any: keys
    for claim in claims:
        by_attempt.setdefault(claim.notification.attempt, []).append(claim.notification.id)
    for attempt, ids in by_attempt.items():
        mine = Notification.objects.filter(id__in=ids, attempt=attempt, status=Status.CREATED)
        mine.update(claimed_until=None, attempt=F("attempt") - 1)


def _row(one: SentMessage, connection: Any) -> dict[str, Any]:  # Any: a database, values as it takes them
    sent = one.sent
    values = {
        "status": sent.status.value,
        "completed_at": sent.at if sent.status in COMPLETED else None,
        "sent_at": sent.at,
        "provider": sent.provider,
        "provider_reference": sent.reference,
        "is_acceptance_final": sent.is_acceptance_final,
    }
    return {name: _value(name, value, connection) for name, value in values.items()} | {
        "message_id": _value("id", one.claim.notification.id, connection),
        "attempt": one.claim.notification.attempt,
        "attempts": one.claim.attempts_with(one.attempt),
    }


def _value(name: str, value: Any, connection: Any) -> Any:  # Any: as in `_row`
    return _FIELDS[name].get_db_prep_save(value, connection)
