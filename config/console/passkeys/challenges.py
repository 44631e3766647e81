"""The challenges that passkeys sign: random, for one session and purpose, used once within 5 minutes.

Source: docs/reference/security.md §5; https://www.w3.org/TR/webauthn-3/#sctn-cryptographic-challenges.
"""

import secrets
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from config.console import shown_once
from config.console.shown_once import AlreadyShown

VALID_SECONDS = 5 * 60
_BYTES = 32
_KEY = "passkey_challenge"


class Purpose(StrEnum):
    """What the person proves. A signature for one purpose is worth nothing for another."""

    ADD = "add"
    SIGN_IN = "sign in"
    SECOND_STEP = "second step"
    CONFIRM = "confirm"


class ChallengeOver(Exception):
    """The session has no challenge for this purpose, or it is used or too old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """user_handle: of the passkey that is being added, else empty"""

    value: bytes
    user_handle: bytes = b""


def begin(request: HttpRequest, purpose: Purpose, *, user_handle: bytes = b"") -> Challenge:
    """Store a new challenge in the session. It replaces an earlier one."""
    challenge = Challenge(value=secrets.token_bytes(_BYTES), user_handle=user_handle)
    request.session[_KEY] = {
        "purpose": purpose,
        "value": challenge.value.hex(),
        "user_handle": user_handle.hex(),
        "at": timezone.now().timestamp(),
    }
    return challenge


def take(request: HttpRequest, purpose: Purpose) -> Challenge:
    """Remove the challenge from the session and return it. Raises ChallengeOver."""
    stored = request.session.pop(_KEY, None)
    if stored is None or stored["purpose"] != purpose:
        raise ChallengeOver
    if timezone.now().timestamp() - stored["at"] >= VALID_SECONDS:
        raise ChallengeOver
    value = bytes.fromhex(stored["value"])
    try:  # two concurrent requests both find the challenge in the session
        shown_once.spend_nonce(UUID(bytes=value[:16]))
    except AlreadyShown as error:
        raise ChallengeOver from error
    return Challenge(value=value, user_handle=bytes.fromhex(stored["user_handle"]))
