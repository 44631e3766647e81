"""Search encrypted values for a recipient and replace it. No database can search them, so they are decrypted.

Source: docs/reference/erasing.md §3.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from config.encryption import DecryptionFailed
from notifications.models import Attachment, Notification, ReceivedEmail, SandboxHookCall, SandboxMessage
from notifications.models.received_email import ReceivedContent
from notifications.one_person.person import Person

_AT_ONCE = 500


def erase_mentions(person: Person) -> Iterator[int]:
    """Yield the number of changed rows after each batch."""
    emails = person.here(ReceivedEmail.objects.all())
    names = person.here(Attachment.objects.exclude(encrypted_name=None))
    waiting = person.here(Notification.objects.exclude(encrypted_outgoing=None))
    sandbox = person.here(SandboxMessage.objects.all(), "")
    yield from _each(emails, _received_email, person)
    yield from _each(names, _file_name, person)
    yield from _each(waiting, _outgoing, person)
    yield from _each(sandbox, _sandbox_copy, person)
    yield from _each(person.here(SandboxHookCall.objects.all(), ""), _hook_call, person)


def _each(rows: QuerySet[Any], change: Callable[[Any, Person], bool], person: Person) -> Iterator[int]:
    """Call `change` with each row, a batch at a time. Values that FIELD_KEYS cannot decrypt stay as they are."""
    some = list(rows.order_by("pk")[:_AT_ONCE])
    while some:
        last = some[-1].pk  # a deleted row has none
        yield sum(_changed(row, change, person) for row in some)
        some = list(rows.order_by("pk").filter(pk__gt=last)[:_AT_ONCE])


def _changed(row: Any, change: Callable[[Any, Person], bool], person: Person) -> bool:
    try:
        return change(row, person)
    except DecryptionFailed:
        return False


def _received_email(row: ReceivedEmail, person: Person) -> bool:
    before = asdict(row.content)
    after = person.mentions.erase_in(before)
    if after == before:
        return False
    row.set_content(ReceivedContent(**after))
    row.save(update_fields=["encrypted_content"])
    return True


def _file_name(row: Attachment, person: Person) -> bool:
    name = row.name or ""
    if not person.mentions.are_in(name):
        return False
    row.set_name(person.mentions.erase(name))
    row.save(update_fields=["encrypted_name"])
    return True


def _outgoing(row: Notification, person: Person) -> bool:
    subject, body = row.outgoing
    if not person.mentions.are_in(f"{subject}\n{body}"):
        return False
    row.set_outgoing(person.mentions.erase(subject), person.mentions.erase(body))
    same = Notification.objects.filter(pk=row.pk).exclude(encrypted_outgoing=None)  # a worker may have sent it
    return bool(same.update(encrypted_outgoing=row.encrypted_outgoing))


def _sandbox_copy(row: SandboxMessage, person: Person) -> bool:
    content = asdict(row.content)
    return person.mentions.erase_in(content) != content and row.delete()[0] > 0


def _hook_call(row: SandboxHookCall, person: Person) -> bool:
    content = {"headers": row.content.headers, "body": row.content.sent.decode(errors="replace")}
    return person.mentions.erase_in(content) != content and row.delete()[0] > 0
