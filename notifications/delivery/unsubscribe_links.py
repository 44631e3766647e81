"""The unsubscribe link of an email. It says on its own which email it belongs to, so it outlives the message.

What it says is encrypted and authenticated with keys made from SECRET_KEY and SECRET_KEY_FALLBACKS: nobody can read the
recipient's address in it, and nobody can make a link for another email. It has no end: people open old emails.
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

    recipient: as the caller gave it; created_at: when the service sent the email
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
    """Return the URL of our page where the recipient confirms. For one message it is always the same."""
    return f"{_start()}{_write(LinkedEmail.of(notification))}"


def _start() -> str:
    return f"{settings.BASE_URL}/unsubscribe/"


def token_of(url: str) -> str:
    """Return the end of a link to our page; empty for a URL that leads elsewhere."""
    ours = _start()
    return url.removeprefix(ours) if url.startswith(ours) else ""


def cut_tokens(text: str) -> str:
    """Return a text whose links to our page lead to no email any more."""
    return re.sub(rf"{re.escape(_start())}[\w:-]+", _start(), text, flags=re.ASCII)


def read(token: str) -> LinkedEmail | None:
    """Return the email that the end of a link stands for. None: the link was not made here or is damaged.

    A link of the release before this one holds a signed id, and works as long as its message is kept.
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
    if signing.b64_encode(encrypted).decode() != token:  # base64 has several spellings of some values
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
    """Return one cipher for each key, the newest first: it encrypts, and all of them decrypt."""
    return [_cipher(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


@lru_cache(maxsize=8)
def _cipher(secret: str) -> AESSIV:
    """Return the cipher of one secret. AES-SIV needs no random number, so a second try makes the same link."""
    return AESSIV(salted_hmac(_PURPOSE, b"", secret=secret, algorithm="sha512").digest())
