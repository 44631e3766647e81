"""The kinds of rows that belong to a person: how they are found, and what the export has of each.

Source: docs/reference/erasing.md §2.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from django.db.models import Q, QuerySet

from config import mailboxes
from config.accounts.saved_search import SavedSearch
from config.encryption import DecryptionFailed
from notifications.models import (
    Attachment,
    BulkRow,
    CallbackDelivery,
    EarlyReceipt,
    Fallback,
    GuestListEntry,
    IdempotencyRecord,
    Notification,
    ReceivedEmail,
    ReceivedText,
    SandboxMessage,
    Suppression,
    TextPart,
    UnsubscribeRequest,
)
from notifications.one_person import drafts
from notifications.one_person.person import Person
from notifications.one_person.personal_rows import PersonalRows, Record, RecordsOfDataSets
from notifications.submission.templates.redaction import own_name


def counts(person: Person) -> dict[str, int]:
    """Return the number of rows of each kind by its name."""
    return {kind.name: kind.count(person) for kind in KINDS}


def messages(person: Person) -> QuerySet[Notification]:
    own = Notification.objects.filter(normalised_recipient__in=person.keys, created_at__lte=person.until)
    return person.here(own)


def of_messages(person: Person, rows: QuerySet[Any], column: str = "notification_id") -> QuerySet[Any]:
    return rows.filter(**{f"{column}__in": messages(person).values("pk")})


def received_texts(person: Person) -> QuerySet[ReceivedText]:
    return person.here(ReceivedText.objects.filter(user_number=person.normalised))


def received_emails(person: Person) -> QuerySet[ReceivedEmail]:
    return person.here(ReceivedEmail.objects.filter(normalised_sender__in=person.keys))


def requests(person: Person) -> QuerySet[UnsubscribeRequest]:
    """Return the requests whose email address is another spelling of the mailbox."""
    local, at, _ = person.normalised.rpartition("@")
    alike = person.here(UnsubscribeRequest.objects.filter(recipient__istartswith=f"{local}{at}")) if at else None
    rows = alike.values_list("pk", "recipient") if alike is not None else []
    found = [pk for pk, recipient in rows if mailboxes.key_of(recipient) == person.normalised]
    return UnsubscribeRequest.objects.filter(pk__in=found)


def callbacks(person: Person) -> QuerySet[CallbackDelivery]:
    own = Q(notification__in=messages(person).values("pk"))
    own |= Q(received_text__in=received_texts(person).values("pk"))
    own |= Q(received_email__in=received_emails(person).values("pk"))
    own |= Q(unsubscribe_request__in=requests(person).values("pk"))
    own |= Q(suppression__in=suppressions(person).values("pk"))
    return CallbackDelivery.objects.filter(own)


def suppressions(person: Person) -> QuerySet[Suppression]:
    return person.here(Suppression.objects.of_recipient(person.normalised))


def fallbacks(person: Person) -> QuerySet[Fallback]:
    """Return the emails that would replace failed texts: to the person, or instead of a text to the person."""
    found = Fallback.objects.filter(message__in=messages(person).values("pk"))
    return person.here(found | Fallback.objects.of_recipient(person.normalised), "message__service")


def parts(person: Person) -> QuerySet[TextPart]:
    """Return parts of long texts. They have no service, so only a search in all services finds them."""
    found = [pk for pk, sender in TextPart.objects.values_list("pk", "sender") if person.mentions.are_in(sender)]
    return person.here(TextPart.objects.filter(pk__in=found), "")


def sandbox_messages(person: Person) -> QuerySet[SandboxMessage]:
    """Return messages in the sandbox inbox. It has at most 2,000, so all of them are decrypted."""
    of_messages_here = Q(notification_id__in=messages(person).values("pk"))
    if person.service is not None:
        return SandboxMessage.objects.filter(of_messages_here)
    found = [row.pk for row in SandboxMessage.objects.all() if _is_in(person, partial(_recipient_in_sandbox, row))]
    return SandboxMessage.objects.filter(of_messages_here | Q(pk__in=found))


def early_receipts(person: Person) -> QuerySet[EarlyReceipt]:
    """Return the receipts that name one of the person's messages by its id or by the reference of the provider."""
    own = messages(person).exclude(provider_reference="")
    named = Q(notification_id=None, reference__in=own.values("provider_reference"), provider__in=own.values("provider"))
    return EarlyReceipt.objects.filter(named | Q(notification_id__in=messages(person).values("pk")))


def saved_searches(person: Person) -> QuerySet[SavedSearch]:
    """Return the searches of the last days in these services whose term is or has the recipient."""
    searches = person.here(SavedSearch.objects.all(), "service_id")
    return searches.filter(pk__in=[row.pk for row in searches if _is_in(person, partial(getattr, row, "term"))])


def answers(person: Person) -> QuerySet[IdempotencyRecord]:
    """Return the stored responses about the person's messages. They are kept for a day."""
    since = person.until - IdempotencyRecord.kept_for() * 2
    ids = [str(pk) for pk in messages(person).filter(created_at__gte=since).values_list("pk", flat=True)]
    return person.here(IdempotencyRecord.objects.filter(answer__id__in=ids), "api_key__service")


def _recipient_in_sandbox(row: SandboxMessage) -> str:
    return row.content.to


def _is_in(person: Person, read: Callable[[], str]) -> bool:
    try:
        return person.mentions.are_in(read())
    except DecryptionFailed:
        return False


def _columns(*names: str) -> Callable[[Any], Record]:
    """Return a function that gives these columns of a row."""
    return lambda row: {name: getattr(row, name) for name in names}


def _file(row: Attachment) -> Record:
    return {
        **_columns("id", "service_id", "notification_id", "size_bytes", "created_at")(row),
        "name": own_name(row),
    } | (_columns("expires_at", "withdrawn_at", "deleted_at", "download_count", "last_download_at")(row))


def _in_sandbox(row: SandboxMessage) -> Record:
    content = row.content
    whole = {"to": content.to, "subject": content.subject, "text": content.text}
    return {**_columns("id", "notification_id", "channel", "received_at")(row), **whole}


def _received_email(row: ReceivedEmail) -> Record:
    return {**_columns("id", "service_id", "sender", "notification_id", "created_at")(row), **asdict(row.content)}


def _draft(row: Any) -> Record:
    return _columns("id", "service_id", "name", "state", "created_at", "created_by")(row)


_MESSAGE = (
    *("id", "service_id", "channel", "status", "recipient", "reference", "subject", "body", "template_id"),
    *("template_version", "key_type", "origin", "created_at", "scheduled_for", "sent_at", "completed_at", "parts"),
    *("provider", "provider_reference", "one_click_unsubscribe_url", "attempts", "receipts"),
)

KINDS: tuple[PersonalRows, ...] = (
    PersonalRows(name="messages", title="Messages", rows=messages, record=_columns(*_MESSAGE)),
    PersonalRows(
        name="files",
        title="Files",
        rows=lambda person: of_messages(person, Attachment.objects.select_related("template")),
        record=_file,
    ),
    PersonalRows(
        name="callbacks",
        title="Callbacks",
        rows=callbacks,
        record=_columns(
            "id",
            "endpoint_id",
            "notification_id",
            "received_text_id",
            "received_email_id",
            "status",
            "state",
            "created_at",
            "attempts",
        ),
    ),
    PersonalRows(
        name="bulk_rows",
        title="Rows of bulk sends",
        rows=lambda person: person.here(
            BulkRow.objects.filter(normalised_recipient__in=person.keys), "bulk_send__service"
        ),
        record=_columns("id", "bulk_send_id", "number", "state", "recipient", "cells", "reference", "errors"),
    ),
    PersonalRows(
        name="fallbacks",
        title="Emails that would replace failed text messages",
        rows=fallbacks,
        record=_columns("message_id", "email_id", "state", "template_id"),
    ),
    PersonalRows(name="drafts", title="Drafts of bulk sends", rows=drafts.checked, record=_draft),
    PersonalRows(
        name="received_texts",
        title="Received text messages",
        rows=received_texts,
        record=_columns("id", "service_id", "user_number", "notify_number", "content", "created_at"),
    ),
    PersonalRows(name="received_emails", title="Received emails", rows=received_emails, record=_received_email),
    PersonalRows(
        name="text_parts",
        title="Parts of received text messages",
        rows=parts,
        record=_columns("id", "sender", "recipient", "number", "total", "content", "received_at"),
    ),
    PersonalRows(
        name="suppressions",
        title="Suppressions",
        rows=suppressions,
        record=_columns(
            *("id", "service_id", "channel", "recipient", "reason", "source", "note", "created_at", "expires_at"),
            *("lifted_at", "lift_reason"),
        ),
    ),
    PersonalRows(
        name="unsubscribe_requests",
        title="Unsubscribe requests",
        rows=requests,
        record=_columns("id", "service_id", "template_id", "recipient", "email_created_at", "created_at", "done_at"),
    ),
    PersonalRows(
        name="guest_list",
        title="Guest list entries",
        rows=lambda person: person.here(GuestListEntry.objects.filter(normalised__in=person.keys)),
        record=_columns("id", "service_id", "value", "note", "created_at"),
    ),
    PersonalRows(name="sandbox", title="Messages in the sandbox inbox", rows=sandbox_messages, record=_in_sandbox),
    PersonalRows(
        name="stored_responses",
        title="Stored responses of the API",
        rows=answers,
        record=_columns("id", "created_at", "answer"),
    ),
    PersonalRows(
        name="early_receipts",
        title="Early delivery receipts",
        rows=early_receipts,
        record=_columns("id", "provider", "notification_id", "outcome", "code", "received_at"),
    ),
    PersonalRows(
        name="saved_searches",
        title="Saved searches",
        rows=saved_searches,
        record=_columns("id", "service_id", "kind", "created_at"),
    ),
    RecordsOfDataSets(
        name="records",
        title="Records of data sets",
        rows=lambda person: Notification.objects.none(),  # they are rows of another area
        record=_columns(),
    ),
)


def named(name: str) -> PersonalRows:
    return next(kind for kind in KINDS if kind.name == name)


TITLES: Mapping[str, str] = {kind.name: kind.title for kind in KINDS}
