"""Long texts that people send come in parts, on any of our connections, in any order.

Each part is stored before its provider hears that we have it; the last one to come makes the text. One that misses a
part for ten minutes is kept as far as it came, when the next part of any text comes.
Source: docs/reference/sending-api.md §19.3.
"""

from typing import Any

from django.db import transaction

from notifications.delivery.messages import IncomingText, PartOf
from notifications.models import TextPart
from notifications.submission import receiving


def take(provider: str, text: IncomingText) -> None:
    """Take in a text, or a part of one."""
    if text.part_of is None:
        receiving.receive(text)
        return
    part, _ = TextPart.objects.update_or_create(
        **_key(provider, text, text.part_of), defaults={"content": text.content}
    )  # committed by itself: of two that come at once, the later one must see the other
    _join(part)
    for stray in TextPart.objects.overdue()[:100]:
        _join(stray, is_overdue=True)


def _join(part: TextPart, *, is_overdue: bool = False) -> None:
    with transaction.atomic():
        found = list(TextPart.objects.of_one_text(part).select_for_update())
        if not found or (len(found) < part.total and not is_overdue):
            return
        content = "".join(one.content for one in found)
        receiving.receive(IncomingText(sender=part.sender, recipient=part.recipient, content=content))
        TextPart.objects.filter(id__in=[one.id for one in found]).delete()


def _key(provider: str, text: IncomingText, part_of: PartOf) -> dict[str, Any]:  # Any: the columns' values
    return {
        "provider": provider,
        "sender": text.sender[:40],
        "recipient": text.recipient[:40],
        "joint": part_of.joint,
        "total": part_of.total,
        "number": part_of.number,
    }
