"""The files of imports in the file store, encrypted in blocks with a key of their own.

A block is one AES-GCM message. Its additional data names the import, the kind of file, the number of the block and
whether it is the last one, so that no block can be moved, left out or cut off. Source: docs/reference/imports.md §7.
"""

import base64
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from config import encryption
from datasets.models import DataImport

FILE, REJECTED = "file", "rejected"
KINDS = (FILE, REJECTED)
_TABLE, _COLUMN = "datasets_dataimport", "encrypted_key"
_MAGIC = b"SI\x00\x01"
_BLOCK_BYTES = 1024 * 1024
_TAG_BYTES, _NONCE_BYTES, _KEY_BYTES = 16, 8, 32


class ImportFileDamaged(Exception):
    """The file store has no such file, or it was changed or cut."""


def file_store() -> Storage:
    return storages["imports"]


def work_folder(import_id: UUID) -> Path:
    """Return the folder of this machine for the decrypted copies of an import. It is deleted at the end."""
    folder = Path(settings.IMPORT_WORK_DIR) / str(import_id)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def new_key(import_id: UUID) -> bytes:
    """Return a new key, encrypted for its row."""
    text = base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()
    return encryption.encrypt(text, table=_TABLE, column=_COLUMN, row=str(import_id))


def save(import_id: UUID, encrypted_key: bytes, kind: str, path: Path) -> None:
    """Encrypt a file and store it."""
    cipher, nonce = _cipher(import_id, encrypted_key), secrets.token_bytes(_NONCE_BYTES)
    encrypted = path.with_name(f"{path.name}.encrypted")
    try:
        with path.open("rb") as plain, encrypted.open("wb") as target:
            target.write(_MAGIC + nonce)
            block, number = plain.read(_BLOCK_BYTES), 0
            while True:
                following = plain.read(_BLOCK_BYTES)
                bound = _bound(import_id, kind, is_last=not following)
                target.write(cipher.encrypt(_nonce(nonce, number), block, bound))
                if not following:
                    break
                block, number = following, number + 1
        with encrypted.open("rb") as content:
            file_store().save(_name(import_id, kind), File(content))
    finally:
        encrypted.unlink(missing_ok=True)


def blocks(run: DataImport, kind: str) -> Iterator[bytes]:
    """Yield the decrypted file. Raises ImportFileDamaged, and OSError if the file store is away."""
    cipher = _cipher(run.pk, bytes(run.encrypted_key))
    try:
        with file_store().open(_name(run.pk, kind)) as content:
            nonce = content.read(len(_MAGIC) + _NONCE_BYTES)[len(_MAGIC) :]
            block, number = content.read(_BLOCK_BYTES + _TAG_BYTES), 0
            while block:
                following = content.read(_BLOCK_BYTES + _TAG_BYTES)
                yield cipher.decrypt(_nonce(nonce, number), block, _bound(run.pk, kind, is_last=not following))
                if not following:
                    return
                block, number = following, number + 1
    except (FileNotFoundError, InvalidTag, ValueError) as error:
        raise ImportFileDamaged(kind) from error
    raise ImportFileDamaged(kind)  # without a last block


def fetch(run: DataImport, path: Path) -> None:
    """Write the decrypted file of an import to a path. Raises as `blocks` does."""
    temporary = path.with_name(f"{path.name}.new")
    with temporary.open("wb") as target:
        for block in blocks(run, FILE):
            target.write(block)
    os.replace(temporary, path)


def delete(import_id: UUID) -> None:
    for kind in KINDS:
        file_store().delete(_name(import_id, kind))


def named() -> Iterator[tuple[UUID, str]]:
    """Yield the import and the name of each file in the store."""
    try:
        _, names = file_store().listdir("")
    except FileNotFoundError:  # no file was ever stored
        return
    for name in names:
        try:
            yield UUID(name.partition(".")[0]), name
        except ValueError:
            continue


def lines_of(content: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines of blocks."""
    rest = b""
    for block in content:
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from lines
    if rest:
        yield rest


def _name(import_id: UUID, kind: str) -> str:
    return f"{import_id}.{kind}"


def _cipher(import_id: UUID, encrypted_key: bytes) -> AESGCM:
    text = encryption.decrypt(encrypted_key, table=_TABLE, column=_COLUMN, row=str(import_id))
    return AESGCM(base64.b64decode(text))


def _nonce(nonce: bytes, number: int) -> bytes:
    return nonce + number.to_bytes(4, "big")


def _bound(import_id: UUID, kind: str, *, is_last: bool) -> bytes:
    return _MAGIC + import_id.bytes + kind.encode() + (b"\x01" if is_last else b"\x00")


def copy_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield an open file in blocks."""
    return iter(lambda: stream.read(_BLOCK_BYTES), b"")
