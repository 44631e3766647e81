"""Sign audit events, so that an event that is changed or added in the database itself is found.

The signature is an HMAC with SECRET_KEY. Programs that can write to the database but do not know the key cannot sign.
Source: docs/reference/security.md §7.
"""

import hmac
import json
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from ipaddress import ip_address

from django.conf import settings
from django.db.models import Model

# Every column of the event except the signature. The text of stored events must stay the same, so a new column may be
# included only where it has a value.
SIGNED = (
    "id",
    "at",
    "actor_kind",
    "actor_id",
    "actor_label",
    "service_id",
    "data_set_id",
    "object_kind",
    "object_id",
    "object_label",
    "verb",
    "before",
    "after",
    "reason",
    "request_id",
    "ip_address",
)


def sign(event: Model) -> str:
    """Return the signature of an event, as 64 hexadecimal digits."""
    return _hmac(settings.SECRET_KEY, _text(event))


def is_valid(event: Model, signature: str) -> bool:
    """Return whether SECRET_KEY or one of SECRET_KEY_FALLBACKS made the signature for the event's present values."""
    text = _text(event)
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(hmac.compare_digest(_hmac(key, text), signature) for key in keys)


def _text(event: Model) -> bytes:
    values = {name: getattr(event, name) for name in SIGNED}
    if values["ip_address"]:  # PostgreSQL returns the short form of an IPv6 address
        values["ip_address"] = ip_address(values["ip_address"])
    return json.dumps(values, default=plain, sort_keys=True, separators=(",", ":")).encode()


def plain(value: object) -> str:
    """Return a value that JSON has no form for as text: ids, IP addresses, and times in UTC."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)


def _hmac(key: str, text: bytes) -> str:
    return hmac.new(_derived(key), text, sha256).hexdigest()


@lru_cache(maxsize=8)
def _derived(key: str) -> bytes:
    """Return a key for this purpose only."""
    return sha256(f"signalbox.audit\0{key}".encode()).digest()
