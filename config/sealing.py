"""Secrets at rest that must be read again: sealed under FIELD_KEYS, each bound to its row.

The plain text begins with table, column and row id, so a sealed value that is moved to another row does not open.
Source: Security and reliability §1.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class SealBroken(Exception):
    """The value was sealed under a key we do not have, for another row, or has been changed."""


def seal(value: str, *, table: str, column: str, row: str) -> bytes:
    """Return `value` encrypted under the first of FIELD_KEYS for this one cell."""
    return _keys(tuple(settings.FIELD_KEYS)).encrypt(_label(table, column, row) + value.encode())


def unseal(sealed: bytes, *, table: str, column: str, row: str) -> str:
    """Return what was sealed for this cell. Raises SealBroken."""
    label = _label(table, column, row)
    try:
        plain = _keys(tuple(settings.FIELD_KEYS)).decrypt(bytes(sealed))
    except InvalidToken as error:
        raise SealBroken(f"{table}.{column}") from error
    if not plain.startswith(label):
        raise SealBroken(f"{table}.{column}")
    return plain[len(label) :].decode()


def opens(sealed: bytes) -> bool:
    """Return whether one of FIELD_KEYS decrypts a value, of whatever cell."""
    try:
        _keys(tuple(settings.FIELD_KEYS)).decrypt(bytes(sealed))
    except InvalidToken:
        return False
    return True


def reseal(sealed: bytes) -> bytes:
    """Return the same value under the newest key. Raises SealBroken."""
    try:
        return _keys(tuple(settings.FIELD_KEYS)).rotate(bytes(sealed))
    except InvalidToken as error:
        raise SealBroken("rotation") from error


def _label(table: str, column: str, row: str) -> bytes:
    return f"{table}\0{column}\0{row}\0".encode()


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
