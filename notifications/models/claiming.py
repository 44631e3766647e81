"""Claim a batch of due messages in one statement, fairly over the services that have some.

Source: docs/reference/security.md §9, promise 6, and §10.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.databases.prepared import Columns, prepared_cursor
from notifications.models.claim import Claim
from notifications.models.notification import Channel, Notification

# What sending needs, and no more: reading a column that is not used costs as much as one that is.
_READ = (
    *("id", "service_id", "channel", "key_type", "recipient", "normalised_recipient", "subject", "body"),
    *("template_id", "created_at"),
    *("encrypted_outgoing", "unsubscribe_link", "one_click_unsubscribe_url", "is_international"),
    *("status", "due_at", "attempt", "failed_attempts", "attempts", "provider"),
)
_COLUMNS = Columns((Notification, _READ))

# The queue's moments are the database's own: now, and the end of a claim, in each dialect.
_NOW = {"postgresql": "STATEMENT_TIMESTAMP()", "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')"}
_LATER = {
    "postgresql": "STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %(seconds)s)",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(seconds)s || ' seconds')",
}

_DUE = """
    message.status = 'created' AND message.channel = %(channel)s AND message.next_attempt_at <= {now}
    AND (message.claimed_until IS NULL OR message.claimed_until < {now})
"""
_HAS_DUE = """
    EXISTS (SELECT 1 FROM notifications_notification AS message WHERE message.service_id = service.id AND {due})
"""

# The services that have due messages, the one that this process served longest ago first, and an equal share of the
# batch for each. LIMIT ends the join early: it locks no more rows than it takes. Rows that another worker is about to
# claim are skipped, so that workers share a backlog and none waits for another.
_CHOSEN_ON_POSTGRESQL = """
    SELECT due.id FROM (
        SELECT service.id, COUNT(*) OVER () AS services,
            ROW_NUMBER() OVER (ORDER BY ARRAY_POSITION(%(served)s::uuid[], service.id) NULLS FIRST, RANDOM()) AS place
        FROM notifications_service AS service WHERE {has_due}
        ORDER BY place
    ) AS service
    CROSS JOIN LATERAL (
        SELECT message.id FROM notifications_notification AS message
        WHERE message.service_id = service.id AND {due}
        ORDER BY message.next_attempt_at
        LIMIT GREATEST(%(size)s::int - service.place, 0) / LEAST(service.services, %(size)s::int) + 1
        FOR UPDATE SKIP LOCKED
    ) AS due
    LIMIT %(size)s::int
"""

# SQLite has one writer, so there is nothing to lock or to skip. CROSS JOIN keeps the order of the join.
_CHOSEN_ON_SQLITE = """
    SELECT chosen.id FROM (
        SELECT service.id, (SELECT key FROM JSON_EACH(%(served)s) WHERE value = service.id) AS served
        FROM notifications_service AS service WHERE {has_due}
    ) AS service
    CROSS JOIN notifications_notification AS chosen ON chosen.id IN (
        SELECT message.id FROM notifications_notification AS message
        WHERE message.service_id = service.id AND {due}
        ORDER BY message.next_attempt_at
        LIMIT %(size)s
    )
    ORDER BY ROW_NUMBER() OVER (PARTITION BY service.id ORDER BY chosen.next_attempt_at), service.served, RANDOM()
    LIMIT %(size)s
"""
_CHOSEN = {"postgresql": _CHOSEN_ON_POSTGRESQL, "sqlite": _CHOSEN_ON_SQLITE}

# What sending needs of other tables is read by the statement that claims: one round trip, and never stale.
_CLAIM = """
    WITH chosen AS MATERIALIZED ({chosen})
    UPDATE notifications_notification SET claimed_until = {later}, attempt = attempt + 1
    WHERE id {among}
    RETURNING {read},
      (SELECT name FROM notifications_service WHERE id = service_id) AS service_name,
      (SELECT active FROM notifications_service WHERE id = service_id) AS service_is_active,
      (SELECT sender FROM notifications_smssender WHERE id = sms_sender_id) AS sender,
      (SELECT email_address FROM notifications_replytoaddress WHERE id = reply_to_id) AS reply_to_address
"""
# An array makes PostgreSQL expect few rows: for a sub-select it might read the whole table.
_AMONG = {"postgresql": "= ANY (ARRAY(SELECT id FROM chosen))", "sqlite": "IN (SELECT id FROM chosen)"}

_ANY_DUE = "SELECT EXISTS (SELECT 1 FROM notifications_service AS service WHERE {has_due})"


def claim_due(channel: Channel, size: int, served: Sequence[UUID] = ()) -> list[Claim]:
    """Claim up to `size` due messages of a channel for DELIVERY_CLAIM_SECONDS, and return them in the order to send.

    served: services, the one served longest ago first; those that are not among them come before them. An empty list
    means that nothing is due, or that other workers are just claiming it.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    given: dict[str, Any] = {"channel": channel.value, "size": size, "seconds": settings.DELIVERY_CLAIM_SECONDS}
    if connection.vendor == "postgresql":
        given["served"] = list(served)
    else:
        given["served"] = json.dumps([service_id.hex for service_id in served])
    with prepared_cursor(connection) as cursor:
        if connection.vendor == "sqlite":  # a look takes no lock; an UPDATE that finds nothing does
            cursor.execute(_statement(_ANY_DUE, connection), given)
            if not cursor.fetchone()[0]:
                return []
        cursor.execute(_statement(_CLAIM, connection), given)
        claims = [_claim(values) for values in cursor.fetchall()]
    return _in_turn(claims, served)


def _in_turn(claims: list[Claim], served: Sequence[UUID]) -> list[Claim]:
    """Return the oldest of each service, then the next of each, and so on."""
    places = {service_id: place for place, service_id in enumerate(served)}
    ordered: list[tuple[int, int, Claim]] = []
    count: Counter[UUID] = Counter()
    for claim in sorted(claims, key=lambda one: one.notification.created_at):
        service_id = claim.notification.service_id
        ordered.append((count[service_id], places.get(service_id, -1), claim))
        count[service_id] += 1
    return [claim for _, _, claim in sorted(ordered, key=lambda one: one[:2])]


def _claim(values: Sequence[Any]) -> Claim:  # Any: values of columns, as the statement returns them
    service_name, service_is_active, sender, reply_to_address = values[-4:]
    return Claim(
        notification=_COLUMNS.rows(values)[0],
        service_name=service_name,
        service_is_active=bool(service_is_active),
        sender=sender,
        reply_to_address=reply_to_address,
    )


_statements: dict[tuple[str, str], str] = {}


def _statement(text: str, connection: BaseDatabaseWrapper) -> str:
    """Return a statement in the dialect of the database."""
    vendor = connection.vendor
    if (text, vendor) not in _statements:
        due = _DUE.format(now=_NOW[vendor])
        has_due = _HAS_DUE.format(due=due)
        _statements[text, vendor] = text.format(
            chosen=_CHOSEN[vendor].format(due=due, has_due=has_due),
            among=_AMONG[vendor],
            later=_LATER[vendor],
            read=_COLUMNS.names,
            has_due=has_due,
        )
    return _statements[text, vendor]
