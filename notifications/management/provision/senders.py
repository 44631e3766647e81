"""Provision text message senders and reply-to addresses. They are identified by id, else by their text."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.utils import timezone

from config.management.declarations import DeclaredRow
from notifications.management.provision.sync import Rows, Sync
from notifications.models import ProtectedName, ReplyToAddress, ReplyToState, SmsSender
from notifications.validation import senders


def provision_sms_senders(sync: Sync, declared: DeclaredRow) -> None:
    _provision(sync, SmsSender, declared.entries("sms_senders"), "sender", senders.check_sms_sender_is_new)


def provision_reply_to_addresses(sync: Sync, declared: DeclaredRow) -> None:
    rows = declared.entries("reply_to_addresses")
    _provision(sync, ReplyToAddress, rows, "email_address", senders.check_reply_to_is_new)


def _provision(
    sync: Sync,
    model: type[SmsSender | ReplyToAddress],
    entries: list[DeclaredRow],
    column: str,
    check_is_new: Callable[[str, Iterable[str]], None],
) -> None:
    def by_text(entry: DeclaredRow, known: Rows) -> Any:
        return next((row for row in _in_use(known) if getattr(row, column) == entry.values[column]), None)

    def check(entry: DeclaredRow, row: Any, others: Rows) -> None:
        text = entry.values[column]
        if row is None or row.archived_at is not None or getattr(row, column) != text:
            entry.check(column, check_is_new, text, [getattr(other, column) for other in _in_use(others)])
            if model is SmsSender:  # operators run the command, so protected names are allowed
                entry.check(column, ProtectedName.objects.check_name, text, may_protect=True)

    default = next((row for row in _in_use(sync.stored.of(model, sync.service)) if row.is_default), None)
    wanted = [entry for entry in entries if entry.values.get("is_default")]
    for entry in wanted[1:]:
        entry.refuse("default", "is already true for another sender")
    for entry, row in sync.sync(model, entries, by_text, check=check, blamed=(column,)):
        entry.completed["id"] = str(row.pk)
        if entry.values.get("confirmed") and row.state != ReplyToState.CONFIRMED:
            sync.changes.change(row, **_confirmed())
        if row.archived_at is not None:
            sync.changes.change(row, archived_at=None, is_default=entry in wanted)
        if entry in wanted and default is not None and default is not row:
            sync.changes.change(default, is_default=False)
        if not wanted and default is None and row._state.adding and "is_default" not in entry.values:
            sync.changes.change(row, is_default=True)  # the first sender becomes the default
            default = row


def _confirmed() -> dict[str, object]:
    return {
        "state": ReplyToState.CONFIRMED.value,
        "confirmed_at": timezone.now(),
        "confirmed_by": settings.PROVISION_AUTHOR,
        "confirmation_id": None,
        "mail_at": None,
    }


def _in_use(rows: Rows) -> Rows:
    return [row for row in rows if row.archived_at is None]
