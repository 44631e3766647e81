"""The unsubscribe link of an email. It contains all data of its email, so it works after the message is deleted.

The data is encrypted with keys derived from SECRET_KEY and SECRET_KEY_FALLBACKS. Nobody else can read the email address
or make a link for another email. A link never expires, because people open old emails.
"""

import re
import struct
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Self
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings
from django.core import signing
from django.utils.crypto import salted_hmac

from notifications.models import Notification

_PURPOSE = "notifications.unsubscribe_link"
_IDS_AND_MOMENT = struct.Struct(">16s16s16sQ")  # message, service and template, then milliseconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedEmail:
    """The email that a link belongs to. Its message may be deleted.

    recipient: in the caller's spelling; created_at: when the service sent the email
    """

    notification_id: UUID
    service_id: UUID
    template_id: UUID
    recipient: str
    created_at: datetime

    @classmethod
    def of(cls, notification: Notification) -> Self:
        return cls(
            notification_id=notification.id,
            service_id=notification.service_id,
            template_id=notification.template_id,
            recipient=notification.recipient,
            created_at=notification.created_at,
        )


def url(notification: Notification) -> str:
    """Return the URL of the page where the recipient confirms. It is the same for every attempt."""
    return f"{_start()}{_write(LinkedEmail.of(notification))}"


def _start() -> str:
    return f"{settings.BASE_URL}/unsubscribe/"


def token_of(url: str) -> str:
    """Return the token in an unsubscribe link, or an empty string for any other URL."""
    start = _start()
    return url.removeprefix(start) if url.startswith(start) else ""


def cut_tokens(text: str) -> str:
    """Return the text without the tokens of its unsubscribe links."""
    return re.sub(rf"{re.escape(_start())}[\w:-]+", _start(), text, flags=re.ASCII)


def read(token: str) -> LinkedEmail | None:
    """Return the email of a token, or None if the token is forged or damaged.

    Tokens of earlier releases are signed ids. They work until their message is deleted.
    """
    return _read_earlier(token) if ":" in token else _read(token)


def _write(email: LinkedEmail) -> str:
    milliseconds = round(email.created_at.timestamp() * 1000)
    ids = (email.notification_id.bytes, email.service_id.bytes, email.template_id.bytes)
    plain = _IDS_AND_MOMENT.pack(*ids, milliseconds) + email.recipient.encode()
    return signing.b64_encode(_ciphers()[0].encrypt(plain, None)).decode()


def _read(token: str) -> LinkedEmail | None:
    plain = _decrypt(token)
    if plain is None:
        return None
    message, service, template, milliseconds = _IDS_AND_MOMENT.unpack_from(plain)
    return LinkedEmail(
        notification_id=UUID(bytes=message),
        service_id=UUID(bytes=service),
        template_id=UUID(bytes=template),
        recipient=plain[_IDS_AND_MOMENT.size :].decode(),
        created_at=datetime.fromtimestamp(milliseconds / 1000, UTC),
    )


def _decrypt(token: str) -> bytes | None:
    try:
        encrypted = signing.b64_decode(token.encode("ascii"))
    except ValueError:
        return None
    if signing.b64_encode(encrypted).decode() != token:  # reject other base64 spellings of the same value
        return None
    for cipher in _ciphers():
        try:
            return cipher.decrypt(encrypted, None)
        except InvalidTag:
            continue
    return None


def _read_earlier(token: str) -> LinkedEmail | None:
    try:
        identifier = UUID(signing.Signer(salt="unsubscribe").unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    notification = Notification.objects.filter(id=identifier).first()
    return LinkedEmail.of(notification) if notification else None


def _ciphers() -> list[AESSIV]:
    """Return a cipher for each key, newest first. The first encrypts; all decrypt."""
    return [_cipher(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


@lru_cache(maxsize=8)
def _cipher(secret: str) -> AESSIV:
    """Return the cipher of one secret. AES-SIV needs no random number, so every attempt has the same link."""
    return AESSIV(salted_hmac(_PURPOSE, b"", secret=secret, algorithm="sha512").digest())
