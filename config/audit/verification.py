"""Verify the audit trail: find events that were changed, removed or added. Source: docs/reference/security.md §7."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from config.audit import signatures
from config.audit.models import AuditEvent, AuditHead, AuditLink

_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """One place where the trail was manipulated. sequence: its place in the chain, or None for an event without one."""

    sequence: int | None
    event_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A place in the chain: the number of a link, and the hash of all signatures up to it."""

    sequence: int
    chain_hash: str


_HEAD_OF_NO_EVENTS = AuditHead(
    sequence=0, chain_hash="", purged_sequence=0, purged_hash=""
)  # the first event stores it


@dataclass(slots=True)
class Verification:
    """One verification. events: how many it has read; newest: the end of the chain, once it is over."""

    events: int = 0
    newest: Point = Point(sequence=0, chain_hash="")

    def discrepancies(self, *, most: int | None = None) -> Iterator[Discrepancy]:
        """Yield the discrepancies, oldest first. The memory does not grow with the trail.

        most: verify only this number of the newest events
        """
        with _snapshot():
            head = AuditHead.objects.first() or _HEAD_OF_NO_EVENTS
            before = Point(sequence=head.purged_sequence, chain_hash=head.purged_hash)
            links = AuditLink.objects.order_by("sequence")
            if most is not None and head.sequence - most > head.purged_sequence:
                links = links.filter(sequence__gt=head.sequence - most)
                start = AuditLink.objects.filter(sequence=head.sequence - most).first()
                before = Point(sequence=head.sequence - most, chain_hash=start.chain_hash if start else "")
            self.newest = before
            while some := list(links[:_AT_ONCE]):
                events = AuditEvent.objects.in_bulk([link.event_id for link in some])
                for link in some:
                    yield from self._discrepancies_of(link, events.get(link.event_id))
                links = links.filter(sequence__gt=some[-1].sequence)
            if self.newest != Point(sequence=head.sequence, chain_hash=head.chain_hash):
                text = "The newest entries were removed or replaced."
                yield Discrepancy(sequence=head.sequence, event_id="", text=text)
            if most is None:
                yield from _events_without_link()

    def _discrepancies_of(self, link: AuditLink, event: AuditEvent | None) -> Iterator[Discrepancy]:
        """Yield the discrepancies of one link and its event. The next link continues from the stored hash."""

        def discrepancy(text: str) -> Discrepancy:
            return Discrepancy(sequence=link.sequence, event_id=str(link.event_id), text=text)

        missing = link.sequence - self.newest.sequence - 1
        if missing > 0:
            yield discrepancy(f"Entries before this one were removed: {missing}.")
        if event is None:
            yield discrepancy("The entry was removed.")
        elif not signatures.is_valid(event, event.signature):
            yield discrepancy("The entry was changed, or was added without the secret key.")
        elif missing == 0 and link.chain_hash != _following(self.newest.chain_hash, event.signature):
            yield discrepancy("The order of the chain was changed at this entry.")
        elif missing < 0:
            yield discrepancy("The entry was added before the start of the chain.")
        self.events += 1
        self.newest = Point(sequence=link.sequence, chain_hash=link.chain_hash)


def contains(point: Point) -> bool:
    """Return whether the chain has this point, or has passed it by clean-up."""
    purged = AuditHead.objects.filter(purged_sequence__gt=point.sequence)
    known = AuditHead.objects.filter(purged_sequence=point.sequence, purged_hash=point.chain_hash)
    link = AuditLink.objects.filter(sequence=point.sequence, chain_hash=point.chain_hash)
    return purged.exists() or known.exists() or link.exists()


@contextmanager
def _snapshot() -> Iterator[None]:
    """Read one state of all tables, so that a clean-up at the same time does not look like a change.

    SQLite has no such transaction without stopping its writers. There, do not verify during the nightly clean-up.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        if not connection.savepoint_ids:  # the outermost transaction of this connection
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _following(chain_hash: str, signature: str) -> str:
    return sha256(f"{chain_hash}{signature}".encode()).hexdigest()


def _events_without_link() -> Iterator[Discrepancy]:
    is_linked = Exists(AuditLink.objects.filter(event_id=OuterRef("pk")))
    for event_id in AuditEvent.objects.filter(~is_linked).order_by("at").values_list("pk", flat=True):
        yield Discrepancy(sequence=None, event_id=str(event_id), text="The entry was added and is not in the chain.")
