"""Text message senders and reply-to addresses of a provisioned service: found by id, else by their text."""

import uuid
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.conf import settings

from notifications.management.changes import Changes
from notifications.management.declarations import SenderDeclaration, ServiceDeclaration
from notifications.management.existing import Existing, Table
from notifications.models import ReplyToAddress, Service, SmsSender
from notifications.validation import senders

Sender = TypeVar("Sender", SmsSender, ReplyToAddress)


def provision_sms_senders(
    service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes
) -> None:
    _provision(
        service,
        declaration.sms_senders,
        SmsSender,
        "sender",
        existing.sms_senders,
        changes,
        senders.check_sms_sender_is_new,
    )


def provision_reply_to_addresses(
    service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes
) -> None:
    _provision(
        service,
        declaration.reply_to_addresses,
        ReplyToAddress,
        "email_address",
        existing.reply_to_addresses,
        changes,
        senders.check_reply_to_is_new,
    )


def _provision(
    service: Service,
    declared: list[SenderDeclaration],
    model: type[Sender],
    column: str,
    table: Table[Sender],
    changes: Changes,
    check_is_new: Callable[[str, Iterable[str]], None],
) -> None:
    rows = table.of(service)
    default = next((row for row in rows if row.is_default and row.archived_at is None), None)
    chosen = any(one.is_default for one in declared)
    seen: set[uuid.UUID] = set()
    for one in declared:
        row = table.by_id.get(one.id) if one.id else _by_text(rows, column, one.text)
        if not _fits(service, one, row, rows, column, seen, check_is_new):
            continue
        if row is None:
            row = model(id=one.id or uuid.uuid4(), service=service, created_by=settings.PROVISION_AUTHOR)
            row.is_default = default is None and not chosen and one.is_default is None  # the first one, unasked
            changes.add(service, row)
            rows.append(row)
        is_default = row.is_default if one.is_default is None else one.is_default
        if is_default and default is not None and default is not row:
            changes.change(service, default, is_default=False)
        changes.change(service, row, **{column: one.text}, is_default=is_default, archived_at=None)
        default = row if is_default else default
        seen.add(row.id)
        one.entry.completed["id"] = str(row.id)


def _by_text(rows: list[Sender], column: str, text: str) -> Sender | None:
    return next((row for row in rows if row.archived_at is None and getattr(row, column) == text), None)


def _fits(
    service: Service,
    declared: SenderDeclaration,
    row: Sender | None,
    rows: list[Sender],
    column: str,
    seen: set[uuid.UUID],
    check_is_new: Callable[[str, Iterable[str]], None],
) -> bool:
    """Note what keeps the declaration from being stored."""
    faults_before = len(declared.entry.faults.lines)
    if row is not None and row.service_id != service.id:
        declared.entry.refuse("id", "belongs to another service")
    elif row is not None and row.id in seen:
        declared.entry.refuse("id" if declared.id else column, "is given twice")
    elif row is None or row.archived_at is not None or getattr(row, column) != declared.text:
        others = [getattr(other, column) for other in rows if other.archived_at is None and other is not row]
        declared.entry.check(column, check_is_new, declared.text, others)
    return len(declared.entry.faults.lines) == faults_before
