"""Export the audit trail as JSON, one entry a line. Source: docs/reference/security.md §7."""

import json
from collections.abc import Iterator

from config.audit import signatures
from config.audit.models import AuditEvent, AuditLink

_AT_ONCE = 1000


def lines(*, after: int) -> Iterator[tuple[int, str]]:
    """Yield the number and the JSON of each entry, in the order of the chain.

    after: the number of the last entry that is not wanted; 0 for all
    """
    while links := list(AuditLink.objects.filter(sequence__gt=after).order_by("sequence")[:_AT_ONCE]):
        events = AuditEvent.objects.in_bulk([link.event_id for link in links])
        for link in links:
            after = link.sequence
            if event := events.get(link.event_id):
                yield link.sequence, _line(link, event)


def _line(link: AuditLink, event: AuditEvent) -> str:
    values = {"sequence": link.sequence} | {name: getattr(event, name) for name in signatures.SIGNED}
    values |= {"signature": event.signature, "chain_hash": link.chain_hash}
    return json.dumps(values, default=signatures.plain, ensure_ascii=False)
