"""Claim a batch of due messages, record a batch of acceptances, and put claims back: one statement for each.

A batch is claimed with fair scheduling over the services that have due messages. The current time and the end of a
claim come from the clock of the database.
Source: docs/reference/security.md §9, promise 6, and §10.
"""

import json
from collections import Counter, namedtuple
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F

from config.databases.prepared import Columns, prepared_cursor
from notifications.delivery.claiming import hashed_suppressions, postgresql, sqlite
from notifications.delivery.claiming.claim import Claim, RecordedMessage
from notifications.models import Channel, Lane, Notification, Status, SuppressionReason
from notifications.models.callback import WANTS_EVENT
from notifications.models.callback_event import EVENT_OF_STATUS
from notifications.models.status import COMPLETED, FAILURES
from notifications.models.suppression import reason_of_message

# Only the columns that sending needs: every further column costs time.
_CLAIMED = Columns(
    (
        Notification,
        (
            *("id", "service_id", "channel", "key_type", "recipient", "normalised_recipient", "subject", "body"),
            *("template_id", "language", "created_at"),
            *("encrypted_outgoing", "unsubscribe_link", "one_click_unsubscribe_url", "is_international"),
            *("status", "lane", "due_at", "attempt", "failed_attempts", "attempts", "provider", "claimed_until"),
            *(("request_id",) if settings.OTEL_EXPORTER_OTLP_ENDPOINT else ()),
        ),
    )
)
_DIALECTS: dict[str, ModuleType] = {"postgresql": postgresql, "sqlite": sqlite}
_FAILURES = ", ".join(f"'{status.value}'" for status in sorted(FAILURES))
_FIELDS = {field.name: field for field in Notification._meta.concrete_fields}


def claim_due(channel: Channel, size: int, served: Sequence[UUID] = ()) -> list[Claim]:
    """Claim up to `size` due messages of a channel for DELIVERY_CLAIM_SECONDS. Return them in sending order.

    served: ids of services, the one served longest ago first; services that are not in the list come before these.
    The result is empty if no message is due, or if other workers are about to claim all due messages.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    given: dict[str, Any] = {"channel": channel.value, "size": size, "seconds": settings.DELIVERY_CLAIM_SECONDS}
    if connection.vendor == "postgresql":
        given["served"] = list(served)
    else:
        given["served"] = json.dumps([service_id.hex for service_id in served])
    with prepared_cursor(connection) as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_statement("ANY_DUE", connection.vendor), given)
            if not cursor.fetchone()[0]:
                return []
        cursor.execute(_statement("CLAIM", connection.vendor), given)
        row_class = _row_class(tuple(column[0] for column in cursor.description))
        rows = [row_class(*values) for values in cursor.fetchall()]
    claims = [_claim(row) for row in rows]
    if (rows and rows[0].knows_hashes) or not all(one.notification.normalised_recipient.isascii() for one in claims):
        claims = hashed_suppressions.apply(claims)
    return _in_round_robin(claims, served)


def _in_round_robin(claims: list[Claim], served: Sequence[UUID]) -> list[Claim]:
    """Sort claims round robin: the first message of each service, then the next of each, and so on."""
    places = {service_id: place for place, service_id in enumerate(served)}
    ordered: list[tuple[int, int, Claim]] = []
    count: Counter[UUID] = Counter()
    for claim in sorted(claims, key=lambda claim: (claim.notification.lane, claim.notification.created_at)):
        service_id = claim.notification.service_id
        ordered.append((count[service_id], places.get(service_id, -1), claim))
        count[service_id] += 1
    return [claim for _, _, claim in sorted(ordered, key=lambda entry: entry[:2])]


def _claim(row: Any) -> Claim:  # Any: a named tuple made here
    return Claim(
        notification=_CLAIMED.rows(row)[0],
        service_name=row.service_name,
        service_is_active=bool(row.service_is_active),
        suppressed_by=SuppressionReason(row.suppressed_by) if row.suppressed_by else None,
        sender=row.sender,
        reply_to_address=row.reply_to_address,
    )


@cache
def _row_class(names: tuple[str, ...]) -> Any:  # Any: a class made here
    return namedtuple("Row", names)


@cache
def _statement(name: str, vendor: str) -> str:
    """Return a statement of a database, with the rules that other modules own."""
    statement: str = getattr(_DIALECTS[vendor], name)
    return statement.format(
        single=Lane.SINGLE.value,  # not the lane of paused messages
        bulk=Lane.BULK.value,
        now=sqlite.NOW,
        later=sqlite.LATER,
        columns=_CLAIMED.names,
        suppressed_by=reason_of_message(vendor, Notification._meta.db_table),
        failures=_FAILURES,
        wants_event=WANTS_EVENT.format(event="given.event"),
    )


def record_sent(batch: Sequence[RecordedMessage]) -> list[bool]:
    """Record a batch of acceptances. Return for each message whether this worker still had its claim."""
    connection = connections[DEFAULT_DB_ALIAS]
    rows = json.dumps([_row(one, connection) for one in batch], default=str)
    with prepared_cursor(connection) as cursor:
        cursor.execute(_statement("RECORD", connection.vendor), {"rows": rows})
        recorded = {str(values[0]) for values in cursor.fetchall()}
    return [
        str(_value("id", one.claim.notification.id, connection)) in recorded
        or one.claim.end_as_sent(one.attempt, one.sent)
        for one in batch
    ]


def put_back(claims: Sequence[Claim]) -> None:
    """Undo the claims of messages for which no provider was called, as `Claim.put_back` does."""
    by_attempt: dict[int, list[Any]] = {}  # Any: primary keys
    for claim in claims:
        by_attempt.setdefault(claim.notification.attempt, []).append(claim.notification.id)
    for attempt, ids in by_attempt.items():
        mine = Notification.objects.filter(id__in=ids, attempt=attempt, status=Status.CREATED)
        mine.update(claimed_until=None, attempt=F("attempt") - 1)


def _row(
    one: RecordedMessage, connection: Any
) -> dict[str, Any]:  # Any: a database connection, and values in its types
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
        "event": EVENT_OF_STATUS.get(sent.status, ""),
        "attempts": one.claim.attempts_with(one.attempt),
    }


def _value(name: str, value: Any, connection: Any) -> Any:  # Any: a database connection, and a value in its type
    return _FIELDS[name].get_db_prep_save(value, connection)
