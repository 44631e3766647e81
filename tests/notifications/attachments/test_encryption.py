"""Blobs, keys and email addresses: only the link decrypts a file.

Source: docs/reference/files.md §6, §7.
"""

import hashlib
import hmac
import uuid

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from notifications.attachments import encryption, links
from notifications.attachments.encryption import BlobDamaged, FileKey

SERVICE = uuid.UUID("11111111-2222-4333-8444-555555555555")


def test_the_blob_has_the_format_of_the_contract():
    """A file can be decrypted with the contract alone, by other programs and later releases."""
    key = FileKey.new()
    blob = key.encrypt(b"the file", service_id=SERVICE)

    content_key = HKDF(SHA256(), 32, salt=key.file_id.bytes, info=b"files/v1/content").derive(key.secret)
    bound_to = b"FB\x00\x01" + b"c" + SERVICE.bytes + key.file_id.bytes
    assert blob[:4] == b"FB\x00\x01"
    assert len(blob) == len(b"the file") + 32
    assert AESGCM(content_key).decrypt(blob[4:16], blob[16:], bound_to) == b"the file"


def test_the_values_of_the_row_are_derived_as_in_the_contract():
    key = FileKey.new()

    def derived(purpose, length):
        return HKDF(SHA256(), length, salt=key.file_id.bytes, info=b"files/v1/" + purpose).derive(key.secret)

    assert key.check() == derived(b"check", 16)
    assert key.session() == derived(b"session", 16)
    tag = hmac.new(derived(b"email", 32), b"ana@example.org", hashlib.sha256).digest()
    assert key.email_tag("Ana@Example.org") == tag


def test_a_blob_is_decrypted_with_its_own_key_for_its_own_service_only():
    key, other = FileKey.new(), FileKey.new()
    blob = key.encrypt(b"x" * 1000, service_id=SERVICE)

    assert key.open(blob, service_id=SERVICE) == b"x" * 1000
    for wrong, service in (
        (other, SERVICE),
        (FileKey(file_id=key.file_id, secret=other.secret), SERVICE),
        (FileKey(file_id=other.file_id, secret=key.secret), SERVICE),
        (key, uuid.uuid4()),
    ):
        with pytest.raises(BlobDamaged):
            wrong.open(blob, service_id=service)


def test_no_bit_of_a_blob_can_be_changed_and_no_byte_be_missing():
    key = FileKey.new()
    blob = key.encrypt(b"content", service_id=SERVICE)

    damaged = [bytes([*blob[:at], blob[at] ^ 1, *blob[at + 1 :]]) for at in range(len(blob))]
    damaged += [blob[:length] for length in range(len(blob))] + [blob + b"\0"]
    for one in damaged:
        with pytest.raises(BlobDamaged):
            key.open(one, service_id=SERVICE)


@pytest.mark.fault("F7")
def test_equal_files_have_different_blobs():
    first, second = FileKey.new(), FileKey.new()

    assert (
        len({first.encrypt(b"x" * 64, service_id=SERVICE)[4:], second.encrypt(b"x" * 64, service_id=SERVICE)[4:]}) == 2
    )
    assert first.encrypt(b"x", service_id=SERVICE) != first.encrypt(b"x", service_id=SERVICE)


def test_a_key_is_not_shown_in_a_traceback():
    key = FileKey.new()

    assert key.secret.hex() not in repr(key)
    assert repr(key.secret) not in repr(key)


# Never change these values: recipients of files that were already sent would be locked out.
ADDRESSES = {
    "ana@example.org": "ana@example.org",
    " Ana@Example.ORG\n": "ana@example.org",
    "a n a@exam ple.org": "ana@example.org",
    "ana\u00a0@example.org\u2003": "ana@example.org",
    "STRASSE@example.org": "strasse@example.org",
    "straße@example.org": "strasse@example.org",
    "ana@Bücher.example": "ana@xn--bcher-kva.example",
    "ana@XN--BCHER-KVA.example": "ana@xn--bcher-kva.example",
    "ana+files@example.org": "ana+files@example.org",
    "İ@example.org": "i\u0307@example.org",
    "no address": "noaddress",
    "a@b@example.org": "a@b@example.org",
    "ana@" + "x" * 64 + ".org": "ana@" + "x" * 64 + ".org",
    "": "",
}


@pytest.mark.parametrize(("typed", "normalised"), ADDRESSES.items(), ids=[ascii(one)[:30] for one in ADDRESSES])
def test_an_email_address_is_normalised_for_its_check(typed, normalised):
    assert encryption.normalise(typed) == normalised


def test_only_the_normalised_email_address_matches():
    key = FileKey.new()
    tag = key.email_tag("ana@example.org")

    assert key.is_email_address("ANA @example.org", tag)
    for other in ("ana@example.com", "an@example.org", "ana+x@example.org", "", "ana@example.org."):
        assert not key.is_email_address(other, tag)
    assert not FileKey.new().is_email_address("ana@example.org", tag)


def test_a_link_has_one_valid_spelling(settings):
    settings.FILES_BASE_URL = "https://files.example.gov.uk"
    key = FileKey.new()
    link = links.with_key(key.file_id, key.secret)
    path, _, query = link.removeprefix("https://files.example.gov.uk").partition("?")
    written = query.removeprefix("key=")

    assert len(path + "?" + query) == 73
    assert links.read_id(path.removeprefix("/d/")) == key.file_id
    assert links.read_key(written) == key.secret
    assert links.without_key(key.file_id) == f"https://files.example.gov.uk{path}"
    last = written[-1]
    near = chr(ord(last) + 1) if last.isalnum() and (chr(ord(last) + 1)).isalnum() else "B"
    for wrong in (
        written[:-1],
        f"{written}A",
        f"{written}=",
        f" {written}",
        f"{written[:-1]}\u0430",
        f"{written[:-1]}{near}",
        written.replace("-", "+").replace("_", "/") + "+",
        "",
        None,
        5,
        ["x"] * 43,
    ):
        assert links.read_key(wrong) is None


def test_the_key_has_32_random_bytes_and_the_id_122_random_bits():
    keys = [FileKey.new() for _ in range(50)]

    assert {len(key.secret) for key in keys} == {32}
    assert len({key.secret for key in keys}) == len({key.file_id for key in keys}) == 50
    assert {key.file_id.version for key in keys} == {4}
