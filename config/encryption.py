"""Encrypt stored secrets with FIELD_KEYS. Each encrypted value belongs to one row.

The plain text begins with table, column and row id, so a value that is moved to another row cannot be decrypted.
Source: docs/reference/security.md §1.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class DecryptionFailed(Exception):
    """The value was changed, or was encrypted for another row or with a key that FIELD_KEYS does not have."""


def encrypt(value: str, *, table: str, column: str, row: str) -> bytes:
    """Return `value` encrypted for this cell with the first of FIELD_KEYS."""
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
    """Return whether one of FIELD_KEYS decrypts the value, whatever cell it belongs to."""
    try:
        _keys(tuple(settings.FIELD_KEYS)).decrypt(bytes(encrypted))
    except InvalidToken:
        return False
    return True


def rotate(encrypted: bytes) -> bytes:
    """Return the value encrypted with the first of FIELD_KEYS. Raises DecryptionFailed."""
    try:
        return _keys(tuple(settings.FIELD_KEYS)).rotate(bytes(encrypted))
    except InvalidToken as error:
        raise DecryptionFailed("rotation") from error


def _label(table: str, column: str, row: str) -> bytes:
    return f"{table}\0{column}\0{row}\0".encode()


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
