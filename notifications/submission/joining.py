"""Join the parts of long received texts. Parts arrive on any connection, in any order.

Each part is stored before its provider gets the confirmation. The last part to arrive completes the text. A text that
misses a part after ten minutes is stored incomplete when the next part of any text arrives.
Source: docs/reference/sending-api.md §19.3.
"""

from typing import Any

from django.db import transaction

from notifications.delivery.messages import IncomingText, PartOf
from notifications.models import TextPart
from notifications.submission import receiving


def take(provider: str, text: IncomingText) -> None:
    """Store a received text, or a part of one."""
    if text.part_of is None:
        receiving.receive(text)
        return
    part, _ = TextPart.objects.update_or_create(
        **_key(provider, text, text.part_of), defaults={"content": text.content}
    )  # committed separately: of two parts that arrive at the same time, the later one must see the other
    _join(part)
    for stray in TextPart.objects.overdue()[:100]:
        _join(stray, is_overdue=True)


def _join(part: TextPart, *, is_overdue: bool = False) -> None:
    with transaction.atomic():
        found = list(TextPart.objects.of_one_text(part).select_for_update())
        if not found or (len(found) < part.total and not is_overdue):
            return
        content = "".join(row.content for row in found)
        receiving.receive(IncomingText(sender=part.sender, recipient=part.recipient, content=content))
        TextPart.objects.filter(id__in=[row.id for row in found]).delete()


def _key(provider: str, text: IncomingText, part_of: PartOf) -> dict[str, Any]:  # Any: the columns' values
    return {
        "provider": provider,
        "sender": text.sender[:40],
        "recipient": text.recipient[:40],
        "joint": part_of.joint,
        "total": part_of.total,
        "number": part_of.number,
    }
