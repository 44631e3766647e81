"""Claim a batch of due messages, record a batch of acceptances, and put claims back: one statement for each.

A batch is claimed with fair scheduling over the services that have due messages.
Source: docs/reference/security.md §9, promise 6, and §10.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F

from config.databases.prepared import Columns, prepared_cursor
from notifications.models import hashed_suppressions
from notifications.models.callback import WANTS_EVENT
from notifications.models.callback_event import EVENT_OF_STATUS
from notifications.models.channel import Channel, Lane
from notifications.models.claim import Claim, SentMessage
from notifications.models.notification import Notification
from notifications.models.recipient_hash import RecipientHashKey
from notifications.models.status import COMPLETED, FAILURES, Status
from notifications.models.suppression import SuppressionReason, reason_of_message

# Only the columns that sending needs: every further column costs time.
_CLAIMED_NAMES = (
    *("id", "service_id", "channel", "key_type", "recipient", "normalised_recipient", "subject", "body"),
    *("template_id", "language", "created_at"),
    *("encrypted_outgoing", "unsubscribe_link", "one_click_unsubscribe_url", "is_international"),
    *("status", "lane", "due_at", "attempt", "failed_attempts", "attempts", "provider", "claimed_until"),
    *(("request_id",) if settings.OTEL_EXPORTER_OTLP_ENDPOINT else ()),
)
_CLAIMED = Columns((Notification, _CLAIMED_NAMES))

# The current time and the end of a claim come from the clock of the database, in the dialect of each. SQLite's NOW has
# whole milliseconds, so nothing is rounded up. A stored moment would be: its date functions drop microseconds.
_NOW = {"postgresql": "STATEMENT_TIMESTAMP()", "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')"}
_LATER = {
    "postgresql": "STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %(seconds)s)",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(seconds)s || ' seconds')",
}

_DUE = """
    message.status = 'created' AND message.channel = %(channel)s AND message.next_attempt_at <= {now}
    AND (message.claimed_until IS NULL OR message.claimed_until < {now})
"""
# Each lane is a condition of its own, so that the index gives the due messages of a lane without those of later times.
_HAS_DUE = """
    EXISTS (
        SELECT 1 FROM ({lanes}) AS lanes CROSS JOIN notifications_notification AS message
        WHERE message.service_id = service.id AND message.lane = lanes.lane AND {due}
    )
"""
_LANES = f"SELECT {Lane.SINGLE.value} AS lane UNION ALL SELECT {Lane.BULK.value}"  # not those of paused messages

# Services with due messages get equal shares of the batch. The service that this process served longest ago is first.
# LIMIT ends the join early, so that only claimed rows are locked. Rows that another worker is about to claim are
# skipped, so that workers share a backlog and do not wait for each other.
_CHOSEN_ON_POSTGRESQL = """
    SELECT due.id FROM (
        SELECT service.id, COUNT(*) OVER () AS services,
            ROW_NUMBER() OVER (ORDER BY ARRAY_POSITION(%(served)s::uuid[], service.id) NULLS FIRST, RANDOM()) AS place
        FROM notifications_service AS service WHERE {has_due}
        ORDER BY place
    ) AS service
    CROSS JOIN LATERAL (
        SELECT of_lane.id FROM ({lanes}) AS lanes
        CROSS JOIN LATERAL (
            SELECT message.id FROM notifications_notification AS message
            WHERE message.service_id = service.id AND message.lane = lanes.lane AND {due}
            ORDER BY message.next_attempt_at
            LIMIT %(size)s::int
            FOR UPDATE SKIP LOCKED
        ) AS of_lane
        LIMIT GREATEST(%(size)s::int - service.place, 0) / LEAST(service.services, %(size)s::int) + 1
    ) AS due
    LIMIT %(size)s::int
"""

# SQLite has one writer, so no rows need to be locked or skipped. CROSS JOIN keeps the order of the join.
_CHOSEN_ON_SQLITE = """
    SELECT chosen.id FROM (
        SELECT service.id, (SELECT key FROM JSON_EACH(%(served)s) WHERE value = service.id) AS served
        FROM notifications_service AS service WHERE {has_due}
    ) AS service
    CROSS JOIN ({lanes}) AS lanes
    CROSS JOIN notifications_notification AS chosen ON chosen.id IN (
        SELECT message.id FROM notifications_notification AS message
        WHERE message.service_id = service.id AND message.lane = lanes.lane AND {due}
        ORDER BY message.next_attempt_at
        LIMIT %(size)s
    )
    ORDER BY
        ROW_NUMBER() OVER (PARTITION BY service.id ORDER BY lanes.lane, chosen.next_attempt_at),
        service.served, RANDOM()
    LIMIT %(size)s
"""
_CHOSEN = {"postgresql": _CHOSEN_ON_POSTGRESQL, "sqlite": _CHOSEN_ON_SQLITE}

# The claiming statement also reads the columns of other tables that sending needs: one round trip, no stale data.
_CLAIM = """
    WITH chosen AS MATERIALIZED ({chosen})
    UPDATE notifications_notification SET claimed_until = {later}, attempt = attempt + 1
    WHERE id {among}
    RETURNING {read},
      COALESCE(
        (SELECT bulk.service_name FROM notifications_bulkrow AS bulk_row JOIN notifications_bulksend AS bulk
         ON bulk.id = bulk_row.bulk_send_id WHERE bulk_row.id = bulk_row_id),
        (SELECT name FROM notifications_service WHERE id = service_id)
      ) AS service_name,
      (SELECT active FROM notifications_service WHERE id = service_id) AS service_is_active,
      {suppressed_by} AS suppressed_by,
      EXISTS (SELECT 1 FROM {hash_keys}) AS knows_hashes,
      (SELECT sender FROM notifications_smssender WHERE id = sms_sender_id) AS sender,
      (SELECT email_address FROM notifications_replytoaddress WHERE id = reply_to_id) AS reply_to_address
"""
# With an array PostgreSQL expects few rows. With a sub-select it might read the whole table.
_AMONG = {"postgresql": "= ANY (ARRAY(SELECT id FROM chosen))", "sqlite": "IN (SELECT id FROM chosen)"}

_ANY_DUE = "SELECT EXISTS (SELECT 1 FROM notifications_service AS service WHERE {has_due})"

_RECORDED = {
    "message_id": "uuid",
    "attempt": "integer",
    "status": "text",
    "event": "text",
    "completed_at": "timestamptz",
    "sent_at": "timestamptz",
    "provider": "text",
    "provider_reference": "text",
    "attempts": "jsonb",
    "is_acceptance_final": "boolean",
}
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _RECORDED.items())
_EXTRACTED = ", ".join(f"JSON_EXTRACT(value, '$.{name}') AS {name}" for name in _RECORDED)
_GIVEN = {
    "postgresql": f"JSONB_TO_RECORDSET(%(rows)s::jsonb) AS given({_TYPED})",
    "sqlite": f"(SELECT {_EXTRACTED} FROM JSON_EACH(%(rows)s)) AS given",  # noqa: S608  constants only
}

_FAILURES = ", ".join(f"'{status.value}'" for status in sorted(FAILURES))
# A status that a callback reports is recorded by `Claim.end_as_sent`. So is a failure, because an email may replace the
# message; only a test message can have a failure here.
_RECORD = f"""
    UPDATE notifications_notification AS message SET
        status = given.status, completed_at = given.completed_at, sent_at = given.sent_at, provider = given.provider,
        provider_reference = given.provider_reference, attempts = given.attempts,
        is_acceptance_final = given.is_acceptance_final, claimed_until = NULL, encrypted_outgoing = NULL
    FROM {{given}}
    WHERE message.id = given.message_id AND message.attempt = given.attempt AND message.status = 'created'
      AND given.status NOT IN ({_FAILURES})
      AND NOT EXISTS (
        SELECT 1 FROM notifications_callbackendpoint AS endpoint
        WHERE endpoint.service_id = message.service_id AND {WANTS_EVENT.format(event="given.event")}
      )
      AND NOT (given.event = 'message.delivered' AND EXISTS (
        SELECT 1 FROM notifications_requestcallback AS callback WHERE callback.notification_id = message.id
      ))
    RETURNING id
"""  # noqa: S608  constants only

_KNOWS_HASHES = -3  # the place of this column in a claimed row

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
        if connection.vendor == "sqlite":  # a SELECT takes no lock, but an UPDATE of no rows does
            cursor.execute(_statement(_ANY_DUE, connection.vendor), given)
            if not cursor.fetchone()[0]:
                return []
        cursor.execute(_statement(_CLAIM, connection.vendor), given)
        rows = cursor.fetchall()
    claims = [_claim(values) for values in rows]
    if (rows and rows[0][_KNOWS_HASHES]) or not all(one.notification.normalised_recipient.isascii() for one in claims):
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


def _claim(values: Sequence[Any]) -> Claim:  # Any: values of columns, as the statement returns them
    service_name, service_is_active, suppressed_by, _, sender, reply_to_address = values[-6:]
    return Claim(
        notification=_CLAIMED.rows(values)[0],
        service_name=service_name,
        service_is_active=bool(service_is_active),
        suppressed_by=SuppressionReason(suppressed_by) if suppressed_by else None,
        sender=sender,
        reply_to_address=reply_to_address,
    )


@cache
def _statement(text: str, vendor: str) -> str:
    """Return a statement in the dialect of the database."""
    due = _DUE.format(now=_NOW[vendor])
    has_due = _HAS_DUE.format(due=due, lanes=_LANES)
    return text.format(
        chosen=_CHOSEN[vendor].format(due=due, has_due=has_due, lanes=_LANES),
        among=_AMONG[vendor],
        later=_LATER[vendor],
        read=_CLAIMED.names,
        suppressed_by=reason_of_message(vendor, Notification._meta.db_table),
        hash_keys=RecipientHashKey._meta.db_table,
        has_due=has_due,
    )


def record_sent(batch: Sequence[SentMessage]) -> list[bool]:
    """Record a batch of acceptances. Return for each message whether this worker still had its claim."""
    connection = connections[DEFAULT_DB_ALIAS]
    vendor = connection.vendor
    statement = _RECORD.format(given=_GIVEN[vendor])
    rows = json.dumps([_row(one, connection) for one in batch], default=str)
    with prepared_cursor(connection) as cursor:
        cursor.execute(statement, {"rows": rows})
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


def _row(one: SentMessage, connection: Any) -> dict[str, Any]:  # Any: a database connection, and values in its types
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
