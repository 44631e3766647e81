"""Derive the sender of a message as providers get it. Source: docs/reference/sending-api.md §8."""

import re
import unicodedata
from functools import lru_cache

from notifications.recipients import phone

_WHITE_SPACE = re.compile(r"\s+")
_NOT_LOCAL_PART = re.compile(r"[^a-z0-9.]+")
_DOTS = re.compile(r"\.{2,}")
_MAX_LOCAL_PART = 64  # octets, RFC 5321 §4.5.3.1.1
_NAMELESS = "no-reply"  # for a name without any Latin letter or digit


@lru_cache(maxsize=1024)
def from_number(sender: str) -> str:
    """Return a text message sender as responses and gateways show it: a number normalised, a name unchanged.

    >>> from_number("07700 900777"), from_number("PIGEON")
    ('447700900777', 'PIGEON')
    """
    try:
        return phone.parse(sender, international=True, landlines=True).normalised
    except phone.InvalidPhoneNumber:
        return sender


@lru_cache(maxsize=1024)
def from_email(service_name: str, domain: str) -> str:
    """Return the email address that emails of a service come from. It has no inbox.

    >>> from_email("Café  Crème & O'Neill", "example.org")
    'cafe.creme.oneill@example.org'
    >>> len(from_email("Harbour " * 12, "example.org").removesuffix("@example.org"))
    63
    """
    ascii_name = unicodedata.normalize("NFKD", service_name.strip()).encode("ascii", "ignore").decode().lower()
    local_part = _DOTS.sub(".", _NOT_LOCAL_PART.sub("", _WHITE_SPACE.sub(".", ascii_name))).strip(".")
    local_part = local_part[:_MAX_LOCAL_PART].rstrip(".")
    return f"{local_part or _NAMELESS}@{domain}"
