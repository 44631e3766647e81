"""What the audit has about exports and erasures: the hash of the recipient and numbers, never the recipient.

Source: docs/reference/erasing.md §5.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from config import audit
from config.audit import Actor
from config.audit.models import AuditEvent
from config.invalid import InvalidValue
from notifications.models.recipient_hash import PREFIX
from notifications.one_person.person import Person

KIND = "person"
EXPORT = "person_export"  # in the read log, which has openings of the page as KIND
HAS_RECIPIENT = "The case reference must not contain the recipient, because it stays in the audit."


def check_case(case: str, person: Person) -> None:
    """Raise InvalidValue if a case reference contains the recipient."""
    if person.mentions.may_be_in(case):
        raise InvalidValue(HAS_RECIPIENT)


def record_erasure(actor: Actor, person: Person, numbers: Mapping[str, int], case: str) -> None:
    _record(actor, "erased_person", person, {name: number for name, number in numbers.items() if number}, case)


def record_export(actor: Actor, person: Person, form: str) -> None:
    _record(actor, "exported_person", person, {"format": form}, "")


def events(person: Person) -> list[AuditEvent]:
    """Return the erasures and exports of this recipient so far, newest first."""
    return list(person.here(AuditEvent.objects.filter(object_kind=KIND, object_id=id_of(person)), "service_id")[:20])


def sum_up(counted: Counter[str]) -> str:
    """Return the numbers as a text, such as `files: 2, messages: 12`."""
    return ", ".join(f"{name.replace('_', ' ')}: {number}" for name, number in sorted(counted.items()) if number)


def _record(actor: Actor, verb: str, person: Person, after: dict[str, Any], reason: str) -> None:
    service_id = person.service.pk if person.service else None
    audit.record(
        actor, verb, object_kind=KIND, object_id=id_of(person), service_id=service_id, after=after, reason=reason
    )


def id_of(person: Person) -> str:
    """Return the id under which the audit and the read log have the recipient."""
    return person.hash.removeprefix(PREFIX)
