"""Find the next page of a list by the key of its last row. The cost does not depend on the length of the list.

A key is a moment and a second column that makes it unique. The first condition bounds the read of the index.
"""

from datetime import datetime

from django.db.models import Q


def below(moment: datetime, key: object, *, fields: tuple[str, str] = ("created_at", "pk")) -> Q:
    """Match the rows after this key in a list with the newest row first."""
    first, second = fields
    return Q((f"{first}__lte", moment)) & (Q((f"{first}__lt", moment)) | Q((f"{second}__lt", key)))


def above(moment: datetime, key: object, *, fields: tuple[str, str] = ("created_at", "pk")) -> Q:
    """Match the rows before this key in a list with the newest row first."""
    first, second = fields
    return Q((f"{first}__gte", moment)) & (Q((f"{first}__gt", moment)) | Q((f"{second}__gt", key)))
