"""Mask recipients for users who must not see them: `07•••••123`, `m…@example.org`."""

from config.erased import ERASED

_SHOWN_AT_START = 2
_SHOWN_AT_END = 3
_MASK = "•••••"  # always the same number, so that the length stays secret


def mask(recipient: str) -> str:
    """Return a recipient that can be recognised but not read.

    >>> mask("mina@example.org")
    'm…@example.org'
    >>> mask("07700900123")
    '07•••••123'
    >>> mask("123")
    '•••••'
    >>> mask("[erased]")
    '[erased]'
    """
    if recipient == ERASED:
        return recipient
    name, at, domain = recipient.rpartition("@")
    if at:
        return f"{name[:1]}…@{domain}"
    if len(recipient) <= _SHOWN_AT_START + _SHOWN_AT_END:
        return _MASK
    return f"{recipient[:_SHOWN_AT_START]}{_MASK}{recipient[-_SHOWN_AT_END:]}"
