"""A security key in software, with real key pairs and signatures, and a browser around it.

`changes` replace what the browser or the key reports, so that a test can send each wrong answer.
"""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

ORIGIN = "http://localhost"
HOST = {"SERVER_NAME": "localhost"}  # passkeys do not work at the IP address of BASE_URL
SCRIPT = {"X-Requested-With": "fetch"}
ADD = "/admin/account/passkeys/add/"
ALONE = "/admin/login/passkey/"
SECOND_STEP = "/admin/login/code/passkey/"
CONFIRM = "/admin/confirm/passkey/"
_PRESENT, _VERIFIED, _WITH_KEY = 0x01, 0x04, 0x40


@dataclass
class SecurityKey:
    """One credential. `counts`: whether the key has a counter, which most passkeys do not have."""

    counts: bool = True
    sign_count: int = 0
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    user_handle: bytes = b""

    def __post_init__(self) -> None:
        self._private = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: dict[str, Any], **changes: Any) -> str:
        """Return the browser's answer to the options for a new passkey."""
        self.user_handle = _bytes(options["user"]["id"])
        numbers = self._private.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        known = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id + cbor2.dumps(public)
        rp_id = changes.get("rp_id", options["rp"]["id"])
        data = self._data(rp_id, _PRESENT | _VERIFIED | _WITH_KEY) + known
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = _client_data("webauthn.create", options["challenge"], changes)
        response = {"clientDataJSON": _text(client), "attestationObject": _text(attestation), "transports": ["usb"]}
        return self._answer(response)

    def get(self, options: dict[str, Any], *, is_verified: bool = True, **changes: Any) -> str:
        """Return the browser's answer to the options for a sign-in."""
        self.sign_count += self.counts
        flags = _PRESENT | (_VERIFIED if is_verified else 0)
        data = self._data(changes.get("rp_id", options["rpId"]), flags, changes.get("sign_count"))
        client = _client_data("webauthn.get", options["challenge"], changes)
        signature = self._private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        handle = changes.get("user_handle", self.user_handle)
        response = {"clientDataJSON": _text(client), "authenticatorData": _text(data), "signature": _text(signature)}
        return self._answer(response | {"userHandle": _text(handle) if handle else None})

    def _data(self, rp_id: str, flags: int, sign_count: int | None = None) -> bytes:
        count = self.sign_count if sign_count is None else sign_count
        return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + count.to_bytes(4)

    def _answer(self, response: dict[str, Any]) -> str:
        identifier = _text(self.credential_id)
        return json.dumps({"id": identifier, "rawId": identifier, "type": "public-key", "response": response})


def browser() -> Client:
    """Return a browser that opens the console at localhost."""
    return Client(**HOST)


def signed_in(user: Any) -> Client:
    """Return such a browser in which this person has just signed in."""
    client = browser()
    client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def options_of(client: Client, path: str, **form: str) -> dict[str, Any]:
    answer = client.post(path, form, headers=SCRIPT)
    assert answer.headers["Content-Type"] == "application/json", answer.status_code
    options: dict[str, Any] = answer.json()
    return options


def add(client: Client, key: SecurityKey, name: str = "Work laptop", **changes: Any) -> HttpResponse:
    """Add a passkey as the page and its script do."""
    page = client.get(ADD).content.decode()
    nonce = page.partition('name="nonce" value="')[2].partition('"')[0]
    options = options_of(client, ADD, name=name)
    return client.post(ADD, {"name": name, "nonce": nonce, "credential": key.create(options, **changes)})


def added(user: Any, **options: Any) -> SecurityKey:
    """Give an account a passkey and return its key."""
    key = SecurityKey(**options)
    answer = add(signed_in(user), key)
    assert answer.status_code in {200, 302}
    assert user.passkey_set.filter(credential_id=key.credential_id).exists()
    return key


def use(client: Client, path: str, key: SecurityKey, **changes: Any) -> HttpResponse:
    """Use a passkey as the button's script does."""
    options = options_of(client, path)
    return client.post(path, {"credential": key.get(options, **changes)})


def _client_data(kind: str, challenge: str, changes: dict[str, Any]) -> bytes:
    values = {"type": kind, "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}
    return json.dumps(values | {name: changes[name] for name in values if name in changes}).encode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "==")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
