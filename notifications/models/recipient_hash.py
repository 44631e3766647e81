"""Keyed hashes of recipients whose data was erased: they can be recognised, but not read.

Source: docs/reference/erasing.md §4.
"""

import hmac
import secrets
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from django.db import models

from config import encryption, mailboxes

PREFIX = "hmac:"  # no email address or phone number starts with it


class RecipientHashKey(models.Model):
    """The key of the hashes: one random value, stored encrypted, so that `rotate_keys` changes no hash."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    encrypted_key = models.BinaryField(editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="recipient_hash_key_is_one")]

    def __str__(self) -> str:
        return "Key of recipient hashes"


def hash_of(normalised: str) -> str:
    """Return the hash of a normalised recipient, with PREFIX. The first call of an installation creates the key."""
    return _hash(_key(_encrypted_key()), normalised)


def hashes_of(recipients: Iterable[str]) -> dict[str, str]:
    """Return each recipient by its hash. Empty if nothing has been erased."""
    stored = RecipientHashKey.objects.values_list("encrypted_key", flat=True).first()
    if stored is None:
        return {}
    key = _key(bytes(stored))
    return {_hash(key, form): recipient for recipient in recipients for form in mailboxes.keys_of(recipient)}


def forms_of(normalised: str) -> list[str]:
    """Return the recipient as rows have it: under its key, an earlier key, and as a hash if one was erased."""
    return [*mailboxes.keys_of(normalised), *hashes_of([normalised])]


def _encrypted_key() -> bytes:
    new = encryption.encrypt(secrets.token_hex(32), table="recipient_hash_key", column="key", row="1")
    row, _ = RecipientHashKey.objects.get_or_create(id=1, defaults={"encrypted_key": new})
    return bytes(row.encrypted_key)


@lru_cache(maxsize=4)
def _key(encrypted: bytes) -> bytes:
    return bytes.fromhex(encryption.decrypt(encrypted, table="recipient_hash_key", column="key", row="1"))


def _hash(key: bytes, normalised: str) -> str:
    return PREFIX + hmac.new(key, normalised.encode(), sha256).hexdigest()
