"""API keys that used a template, a sender or a reply-to address, found in the messages that are still kept.

No index leads from a template to its messages. So these functions read the newest messages of the service,
up to `MOST` for each key type, from one index. Source: docs/reference/console.md §2.4, §2.5.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet

from config import formats
from notifications.models import KeyType, Notification, Template

MOST = 10_000  # messages read for each key type


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysFound:
    """Names of keys by the row they used. is_whole: whether every kept message was read."""

    names: dict[UUID, list[str]]
    is_whole: bool

    def sentence(self, row: UUID) -> str:
        where = "the stored messages" if self.is_whole else f"the newest {formats.number(MOST)} messages"
        names = self.names.get(row, [])
        if not names:
            return f"No key used it in {where}."
        return f"In {where} it was used by the key{'' if len(names) == 1 else 's'} {', '.join(names)}."


def keys(
    service_id: UUID,
    field: str,
    rows: Collection[UUID],
    *,
    key_types: Collection[KeyType] = tuple(KeyType),
    since: datetime | None = None,
) -> KeysFound:
    """Return the keys that used these rows. field: the message column that refers to them, such as `template`."""
    found: defaultdict[UUID, set[str]] = defaultdict(set)
    for key_type in key_types:
        used = _looked_through(service_id, key_type).filter(**{f"{field}__in": rows}).exclude(api_key=None)
        used = used.filter(created_at__gte=since) if since else used
        for row, name in used.values_list(field, "api_key__name").distinct():
            found[row].add(name)
    return KeysFound(
        names={row: sorted(names) for row, names in found.items()}, is_whole=_is_whole(service_id, key_types)
    )


def messages_by_version(template: Template) -> tuple[Counter[int], bool]:
    """Return the number of messages of each version without tests, and whether every kept message was read."""
    sent: Counter[int] = Counter()
    real = (KeyType.LIVE, KeyType.TEAM)
    for key_type in real:
        mine = _looked_through(template.service_id, key_type).filter(template=template)
        sent.update(dict(mine.values_list("template_version").annotate(number=Count("pk"))))
    return sent, _is_whole(template.service_id, real)


def is_unsubscribed_by_callers(template: Template) -> bool:
    """Return whether recent messages of this template carry a caller's own one-click unsubscribe URL."""
    live = _looked_through(template.service_id, KeyType.LIVE, most=1_000)
    return live.filter(template=template).exclude(one_click_unsubscribe_url=None).exists()


def _looked_through(service_id: UUID, key_type: KeyType, *, most: int = MOST) -> QuerySet[Notification]:
    return Notification.objects.filter(pk__in=_newest(service_id, key_type).values("pk")[:most])


def _newest(service_id: UUID, key_type: KeyType) -> QuerySet[Notification, Any]:
    return Notification.objects.filter(service=service_id, key_type=key_type).order_by("-created_at", "-id")


def _is_whole(service_id: UUID, key_types: Iterable[KeyType]) -> bool:
    return not any(_newest(service_id, key_type).values("pk")[MOST : MOST + 1].exists() for key_type in key_types)
