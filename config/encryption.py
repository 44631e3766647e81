"""Encryption of stored secrets under FIELD_KEYS. Each encrypted value is bound to its row.

The plain text begins with table, column and row id, so a value that is moved to another row cannot be decrypted.
Source: docs/reference/security.md §1.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class DecryptionFailed(Exception):
    """The value was changed, or was encrypted for another row or under a key that FIELD_KEYS does not have."""


def encrypt(value: str, *, table: str, column: str, row: str) -> bytes:
    """Return `value` encrypted under the first of FIELD_KEYS for this one cell."""
    return _keys(tuple(settings.FIELD_KEYS)).encrypt(_label(table, column, row) + value.encode())


def decrypt(encrypted: bytes, *, table: str, column: str, row: str) -> str:
    """Return the plain text of this cell. Raises DecryptionFailed."""
    label = _label(table, column, row)
    try:
        plain = _keys(tuple(settings.FIELD_KEYS)).decrypt(bytes(encrypted))
    except InvalidToken as error:
        raise DecryptionFailed(f"{table}.{column}") from error
    if not plain.startswith(label):
        raise DecryptionFailed(f"{table}.{column}")
    return plain[len(label) :].decode()


def can_decrypt(encrypted: bytes) -> bool:
    """Return whether one of FIELD_KEYS decrypts the value of any cell."""
    try:
        _keys(tuple(settings.FIELD_KEYS)).decrypt(bytes(encrypted))
    except InvalidToken:
        return False
    return True


def rotate(encrypted: bytes) -> bytes:
    """Return the value encrypted under the newest key. Raises DecryptionFailed."""
    try:
        return _keys(tuple(settings.FIELD_KEYS)).rotate(bytes(encrypted))
    except InvalidToken as error:
        raise DecryptionFailed("rotation") from error


def _label(table: str, column: str, row: str) -> bytes:
    return f"{table}\0{column}\0{row}\0".encode()


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
