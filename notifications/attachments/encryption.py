"""Encryption of files with the key in their link, and checks of the key and the recipient's email address.

A file is one AES-GCM message with its own key, so its content is authenticated before any byte of it is sent.
Source: docs/reference/files.md §6.
"""

import hashlib
import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self
from uuid import UUID, uuid4

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from config import mailboxes

SECRET_BYTES = 32
_MAGIC = b"FB\x00\x01"
_NONCE_BYTES = 12


class BlobDamaged(Exception):
    """The blob is cut, swapped or changed, or belongs to another file or service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKey:
    """The id and secret in the link of one file. All keys of the file are derived from the secret."""

    file_id: UUID
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Self:
        return cls(file_id=uuid4(), secret=secrets.token_bytes(SECRET_BYTES))

    def derive(self, purpose: bytes, length: int) -> bytes:
        hkdf = HKDF(algorithm=SHA256(), length=length, salt=self.file_id.bytes, info=b"files/v1/" + purpose)
        return hkdf.derive(self.secret)

    def check(self) -> bytes:
        """Return 16 bytes that verify and commit to this key without access to the store."""
        return self.derive(b"check", 16)

    def session(self) -> bytes:
        """Return 16 bytes that bind a cookie to this link."""
        return self.derive(b"session", 16)

    def email_tag(self, address: str) -> bytes:
        """Return 32 bytes that verify an email address together with the link and reveal nothing without it."""
        return self._tag(normalise(address))

    def fits(self, key_check: bytes) -> bool:
        return hmac.compare_digest(self.check(), bytes(key_check))

    def is_email_address(self, address: str, email_tag: bytes) -> bool:
        forms = {normalise(address), _as_earlier(address)}
        return any(hmac.compare_digest(self._tag(form), bytes(email_tag)) for form in forms)

    def _tag(self, normalised: str) -> bytes:
        return hmac.digest(self.derive(b"email", 32), normalised.encode(), hashlib.sha256)

    def encrypt(self, data: bytes, *, service_id: UUID) -> bytes:
        """Return the encrypted file, which is 32 bytes longer."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _MAGIC + nonce + self._cipher().encrypt(nonce, data, self._bound_to(service_id))

    def open(self, blob: bytes, *, service_id: UUID) -> bytes:
        """Return the file. Raises BlobDamaged."""
        if not blob.startswith(_MAGIC):
            raise BlobDamaged
        nonce = blob[len(_MAGIC) : len(_MAGIC) + _NONCE_BYTES]
        try:
            return self._cipher().decrypt(nonce, blob[len(_MAGIC) + _NONCE_BYTES :], self._bound_to(service_id))
        except (InvalidTag, ValueError) as error:  # ValueError: cut within the nonce
            raise BlobDamaged from error

    def _cipher(self) -> AESGCM:
        return AESGCM(self.derive(b"content", 32))

    def _bound_to(self, service_id: UUID) -> bytes:
        """Return the additional authenticated data, which binds a blob to one file of one service."""
        return _MAGIC + b"c" + service_id.bytes + self.file_id.bytes


def normalise(address: str) -> str:
    """Return the key of an email address, typed with or without spaces. A change to it would lock recipients out.

    >>> normalise(" Fern@ BÜCHER.example"), normalise("fern@xn--bcher-kva.example")
    ('fern@xn--bcher-kva.example', 'fern@xn--bcher-kva.example')
    """
    local, at, domain = "".join(address.split()).rpartition("@")
    return mailboxes.key_of(f"{local.casefold()}{at}{domain}")


def _as_earlier(address: str) -> str:
    """Return the form of which files of earlier releases store the tag, for at most 78 weeks: with IDNA 2003."""
    local, at, domain = "".join(address.split()).casefold().rpartition("@")
    with suppress(UnicodeError):  # an invalid host name is compared unchanged
        domain = domain.encode("idna").decode("ascii")
    return f"{local}{at}{domain}"
