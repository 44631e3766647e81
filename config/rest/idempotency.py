"""The header `Idempotency-Key`: its form, the hash of a request, and the stored row of a key, for both APIs.

Each API stores a key at its own moment; `docs/decisions.md` states why.
Source: docs/reference/data-sets.md §8; docs/reference/sending-api.md §15.
"""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple, Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

_VISIBLE = re.compile(r"[!-~]{1,255}")
_PRINTABLE = re.compile(r"[ -~]{1,255}")


class IdempotencyKey(NamedTuple):
    """The key that a caller sent, and the hash of its request."""

    key: str
    fingerprint: str


def is_well_formed(key: str, *, with_spaces: bool = False) -> bool:
    """Return whether the key has 1 to 255 visible ASCII characters, or printable ones if spaces are allowed.

    >>> [is_well_formed(key) for key in ("k1", "~" * 255, "", "a b", "clé", "k" * 256)]
    [True, True, False, False, False, False]
    >>> is_well_formed("a b", with_spaces=True)
    True
    """
    return (_PRINTABLE if with_spaces else _VISIBLE).fullmatch(key) is not None


def fingerprint(body: bytes) -> str:
    """Return the SHA-256 of the decompressed body, so that gzip and plain bodies count as the same."""
    return hashlib.sha256(body).hexdigest()


def json_fingerprint(path: str, value: object) -> str:
    """Return the hash of a path and a JSON value. The order of names and white space do not count.

    >>> json_fingerprint("/sms", {"a": 1, "b": 2}) == json_fingerprint("/sms", {"b": 2, "a": 1})
    True
    """
    return fingerprint(json.dumps([path, value], sort_keys=True, separators=(",", ":")).encode())


class StoredKey(models.Model):
    """A key that a request used. A subclass adds the scope of the key (its owner) and how long it is kept."""

    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    kept_for: Callable[[], timedelta]

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"Idempotency key {self.pk}"

    @classmethod
    def to_forget(cls) -> models.QuerySet[Self]:
        """Return the keys whose retention time is over, oldest first."""
        return cls._default_manager.filter(created_at__lte=Now() - cls.kept_for()).order_by("created_at")

    @property
    def is_over(self) -> bool:
        """Return whether the key may be used again, for any request."""
        return self.created_at <= timezone.now() - self.kept_for()
