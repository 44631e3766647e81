"""Erase everything about one person, in steps that may be repeated. Source: docs/reference/erasing.md §3."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from config import personal_records
from config.erased import ERASED
from notifications.attachments import store
from notifications.models import (
    Attachment,
    BulkRow,
    CallbackDelivery,
    EmailForward,
    IdempotencyRecord,
    LogExport,
    LogExportPart,
    Notification,
    ReceivedEmail,
    ReceivedText,
    RequestCallback,
    Suppression,
    UnsubscribeRequest,
)
from notifications.models.notification import SUPPRESSED
from notifications.models.received_email import ReceivedContent
from notifications.models.suppression import MAX_NOTE_CHARACTERS
from notifications.one_person import encrypted, kinds, searching, stopping
from notifications.one_person.person import Person
from notifications.recipients.mentions import Mentions

_AT_ONCE = 1000
_REFERENCE_CHARACTERS, _WHY_CHARACTERS = 1000, 255  # of the columns


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureStep:
    """One step. name: of the kind of rows in the audit; work: yields the number of rows after each batch"""

    name: str
    work: Callable[[Person], Iterator[int]]


def _delete(name: str, rows: Callable[[Person], QuerySet[Any]]) -> ErasureStep:
    """Return a step that deletes all rows that a function finds."""

    def work(person: Person) -> Iterator[int]:
        for pks in _batches(rows(person)):
            yield rows(person).model._default_manager.filter(pk__in=pks).delete()[0] and len(pks)

    return ErasureStep(name=name, work=work)


def _files(person: Person) -> Iterator[int]:
    """Remove files as clean-up does. If the store is away, the clean-up of orphans deletes the blobs later."""
    for row in list(kinds.of_messages(person, Attachment.objects.exclude(withdrawn_why=""))):
        why = person.mentions.erase_own(row.withdrawn_why)
        Attachment.objects.filter(pk=row.pk).update(withdrawn_why=why[:_WHY_CHARACTERS])
    files = kinds.of_messages(person, Attachment.objects.filter(deleted_at=None))
    for pks in _batches(files):
        some = Attachment.objects.filter(pk__in=pks)
        names = list(some.values_list("storage_name", flat=True))
        transaction.on_commit(partial(store.discard, names))
        yield some.mark_removed(timezone.now())


def _answers(person: Person) -> Iterator[int]:
    """Redact stored responses. They stay, because a repeated request must not send the message again."""
    for row in list(kinds.answers(person)):  # a cursor would not survive the transaction of its batch
        answer = person.mentions.erase_own_in(row.answer)
        if isinstance(answer.get("content"), dict):
            answer["content"] |= {name: ERASED for name in ("body", "subject") if answer["content"].get(name)}
        type(row).objects.filter(pk=row.pk).update(answer=answer)
        yield 1


def _idempotency_keys(person: Person) -> Iterator[int]:
    """Keep only a hash of the keys that have the recipient. A repeated request is still recognised."""
    for row in person.here(IdempotencyRecord.objects.all(), "api_key__service").only("key"):
        if person.mentions.are_in_own(row.key):
            IdempotencyRecord.objects.filter(pk=row.pk).update(key=IdempotencyRecord.hashed(row.key))
            yield 1


def _callbacks(person: Person) -> Iterator[int]:
    """Redact replies of receivers, and URLs that callers gave for single messages."""
    for row in list(kinds.of_messages(person, RequestCallback.objects.all())):
        if (url := person.mentions.erase_own(row.url)) != row.url:
            RequestCallback.objects.filter(pk=row.pk).update(url=url)
    for pks in _batches(kinds.callbacks(person)):
        rows = list(CallbackDelivery.objects.filter(pk__in=pks).only("attempts"))
        changed = [row for row in rows if _redact_replies(person.mentions, row)]
        CallbackDelivery.objects.bulk_update(changed, ["attempts"])
        yield len(rows)


def _bulk_rows(person: Person) -> Iterator[int]:
    own = person.here(BulkRow.objects.filter(normalised_recipient__in=person.keys), "bulk_send__service")
    for pks in _batches(own):
        rows = BulkRow.objects.filter(pk__in=pks)
        _redact_references(person, rows)
        yield rows.update(recipient=ERASED, normalised_recipient="", cells=[], errors=None)


def _received_texts(person: Person) -> Iterator[int]:
    for pks in _batches(kinds.received_texts(person)):
        yield ReceivedText.objects.filter(pk__in=pks).update(user_number=ERASED, content=ERASED)


def _received_emails(person: Person) -> Iterator[int]:
    for pks in _batches(kinds.received_emails(person)):
        EmailForward.objects.filter(email__in=pks).exclude(mail_at=None).delete()
        for row in ReceivedEmail.objects.filter(pk__in=pks):
            row.sender, row.normalised_sender = ERASED, ""
            row.set_content(ReceivedContent(subject=ERASED, text=ERASED, attachments=[]))
            row.save(update_fields=["sender", "normalised_sender", "encrypted_content"])
        yield len(pks)


def _log_exports(person: Person) -> Iterator[int]:
    """Delete the CSV files of the message log that may have the person: of these services, and of all services."""
    exports = LogExport.objects.all()
    if person.service is not None:
        exports = exports.filter(Q(service=person.service.pk) | Q(service=None))
    names = list(LogExportPart.objects.filter(export__in=exports).values_list("storage_name", flat=True))
    transaction.on_commit(partial(store.discard, names))
    number = exports.count()
    exports.delete()
    yield number


def _requests(person: Person) -> Iterator[int]:
    for pks in _batches(kinds.requests(person)):
        yield UnsubscribeRequest.objects.filter(pk__in=pks).update(recipient=ERASED)


def _suppressions(person: Person) -> Iterator[int]:
    own = person.here(Suppression.objects.filter(normalised_recipient__in=person.keys))
    mine = Suppression.objects.filter(pk__in=list(own.values_list("pk", flat=True)))
    yield mine.ended().delete()[0]
    for row in mine:
        note, lift_reason = person.mentions.erase_own(row.note), person.mentions.erase_own(row.lift_reason)
        mine.filter(pk=row.pk).update(note=note[:MAX_NOTE_CHARACTERS], lift_reason=lift_reason[:MAX_NOTE_CHARACTERS])
    yield mine.keep_hash_of(person.normalised)


def _messages(person: Person) -> Iterator[int]:
    for pks in _batches(kinds.messages(person)):
        rows = Notification.objects.filter(pk__in=pks)
        _redact_references(person, rows)
        replied = [row for row in rows.only("attempts", "receipts") if _redact_replies(person.mentions, row)]
        Notification.objects.bulk_update(replied, ["attempts", "receipts"])
        rows.exclude(subject=None).update(subject=ERASED)
        yield rows.update(
            recipient=ERASED,
            normalised_recipient="",
            body=ERASED,
            encrypted_outgoing=None,
            one_click_unsubscribe_url=None,
        )


def _records_of_data_sets(person: Person) -> Iterator[int]:
    if person.service is None:
        yield from personal_records.erase(searching.Search(person))


WAITS = "waits for workers"
CANCELLED_MESSAGES = ErasureStep(name="cancelled_messages", work=stopping.cancel_messages)
BEFORE_WORKERS: tuple[ErasureStep, ...] = (
    ErasureStep(name="drafts", work=stopping.delete_drafts),
    ErasureStep(name="cancelled_bulk_rows", work=stopping.cancel_rows),
    _delete("fallbacks", kinds.fallbacks),
    CANCELLED_MESSAGES,
)
AFTER_WORKERS: tuple[ErasureStep, ...] = (
    ErasureStep(name="files", work=_files),
    ErasureStep(name="stored_responses", work=_answers),
    ErasureStep(name="idempotency_keys", work=_idempotency_keys),
    _delete("sandbox", kinds.sandbox_messages),
    _delete("early_receipts", lambda person: kinds.named("early_receipts").rows(person)),
    _delete("text_parts", kinds.parts),
    _delete("guest_list", lambda person: kinds.named("guest_list").rows(person)),
    ErasureStep(name="callbacks", work=_callbacks),
    ErasureStep(name="bulk_rows", work=_bulk_rows),
    ErasureStep(name="received_texts", work=_received_texts),
    ErasureStep(name="received_emails", work=_received_emails),
    ErasureStep(name="unsubscribe_requests", work=_requests),
    ErasureStep(name="suppressions", work=_suppressions),
    ErasureStep(name="messages", work=_messages),
    ErasureStep(name="reports", work=_log_exports),
    ErasureStep(name="records", work=_records_of_data_sets),
    ErasureStep(name="mentions", work=searching.erase_mentions),
    ErasureStep(name="mentions", work=encrypted.erase_mentions),
)
_SAVED_SEARCHES = _delete("saved_searches", kinds.saved_searches)


def empty_log_of_sqlite() -> None:
    """Empty the write-ahead log of SQLite, which has earlier states of pages. Call it outside a transaction."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def wait(seconds: float) -> None:
    """Wait for the worker that sends something to the person. Call it outside a transaction."""
    time.sleep(seconds)


def overwrite_deleted_rows() -> None:
    """Have SQLite overwrite what it deletes on this connection. Other databases free the space later."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def _batches(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    """Yield the primary keys of rows as they are now, in batches."""
    pks = list(rows.order_by().values_list("pk", flat=True))
    for start in range(0, len(pks), _AT_ONCE):
        yield pks[start : start + _AT_ONCE]


def _redact_references(person: Person, rows: Any) -> None:  # Any: a query set of messages or rows
    """Replace the recipient in references. Other references stay, because reports of the service need them."""
    for pk, reference in rows.exclude(reference=None).values_list("pk", "reference"):
        if (changed := person.mentions.erase_own(reference)) != reference:
            rows.filter(pk=pk).update(reference=changed[:_REFERENCE_CHARACTERS])


def _redact_replies(mentions: Mentions, row: Any) -> bool:  # Any: a message or a callback
    """Remove replies that may name the recipient, also in part. Return whether the row has changed."""
    attempts: Sequence[Any] = row.attempts
    receipts = getattr(row, "receipts", None)
    changed = [
        {**one, "reply": ERASED} if one.get("outcome") != SUPPRESSED and mentions.may_be_in(one["reply"]) else one
        for one in attempts
    ]
    row.attempts = changed
    if receipts is not None:
        row.receipts = mentions.erase_own_in(receipts)
    return changed != list(attempts) or (receipts is not None and row.receipts != receipts)


def everything(person: Person) -> Iterator[tuple[str, int]]:
    """Do all steps except `saved_searches`. Yield the name of the step and the number of rows after each batch.

    The caller gives each batch a transaction. After WAITS it sleeps outside of one: a worker is sending something.
    """
    yield from _done(BEFORE_WORKERS, person)
    while stopping.is_busy(person):
        yield WAITS, 0
        yield from _done([CANCELLED_MESSAGES], person)
    yield from _done(AFTER_WORKERS, person)


def saved_searches(person: Person) -> Iterator[tuple[str, int]]:
    """Delete saved searches, also the one with which a page has started the erasure."""
    return _done([_SAVED_SEARCHES], person)


def _done(steps: Sequence[ErasureStep], person: Person) -> Iterator[tuple[str, int]]:
    for step in steps:
        for number in step.work(person):
            yield step.name, number


def in_transactions(batches: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Give each batch a transaction of its own."""
    while True:
        with transaction.atomic():
            batch = next(batches, None)
        if batch is None:
            return
        yield batch
