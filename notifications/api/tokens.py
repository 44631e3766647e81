"""The JSON Web Token of one request: its parts, its signature, and its claims.

The library checks the signature and little else: an hour-old `iat`, a boolean one and none at all would pass. So the
rest is ours, in the contract's order. Source: the sending contract §3; Security and reliability §2.
"""

import math
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Self

from jwt import InvalidTokenError
from jwt.algorithms import HMACAlgorithm
from jwt.utils import base64url_decode
from rest_framework_simplejwt.backends import TokenBackend
from rest_framework_simplejwt.exceptions import TokenBackendError
from rest_framework_simplejwt.tokens import Token

from config.rest import strict_json
from notifications import errors

ALGORITHM = "HS256"
_KEPT, _KEPT_CHARACTERS = 128, 512  # of tokens taken apart: what somebody has us keep stays below a few megabytes
LEEWAY_SECONDS = 30  # both ways, inclusive; Notification Sending API §5
_BASE64URL = re.compile(rb"\A[A-Za-z0-9_-]*+={0,2}\Z")
_NUMBER = re.compile(r"\A-?[0-9]{1,20}(?:\.[0-9]{1,20})?\Z")
_HS256 = HMACAlgorithm(HMACAlgorithm.SHA256)


class TokenMalformed(Exception):
    """Not three parts, not base64, or not JSON objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedToken:
    """A token taken apart, nothing of it believed yet. Not to be changed: equal tokens share one."""

    header: dict[str, Any]  # Any: JSON
    claims: dict[str, Any]
    signed: bytes
    signature: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises TokenMalformed. `kid`, `jku`, `jwk` and the like are never looked at.

        Clients sign one for each call, and `iat` has whole seconds: those of one second are the same text.
        """
        return cls._take_apart_once(text) if len(text) <= _KEPT_CHARACTERS else cls._take_apart(text)

    @classmethod
    @lru_cache(maxsize=_KEPT)
    def _take_apart_once(cls, text: str) -> Self:
        return cls._take_apart(text)

    @classmethod
    def _take_apart(cls, text: str) -> Self:
        parts = text.encode().split(b".")
        if len(parts) != 3:
            raise TokenMalformed
        header, claims, signature = parts
        return cls(
            header=_json_object(header),
            claims=_json_object(claims),
            signed=header + b"." + claims,
            signature=_decoded(signature),
        )


class KeyBackend(TokenBackend):
    """Judges whether one API key's secret has signed a token, and nothing else. One is kept for each key."""

    def __init__(self, secret: str) -> None:
        super().__init__(ALGORITHM, signing_key=secret)

    def decode(self, token: SignedToken, verify: bool = True) -> dict[str, Any]:  # type: ignore[override]  # taken apart
        """Return the claims. Raises TokenBackendError where the signature does not fit."""
        if verify and not _HS256.verify(token.signed, self.prepared_signing_key, token.signature):
            raise TokenBackendError("Signature does not fit")  # compared in constant time
        return token.claims


class CallerToken(Token):
    """A token whose signature fits a key. Raises TokenError where it does not, AuthError where its claims are wrong."""

    token_type = "caller"  # noqa: S105  a name the library wants, no secret
    lifetime = timedelta(seconds=LEEWAY_SECONDS)

    def __init__(self, token: SignedToken, backend: KeyBackend, *, example_url: str) -> None:
        self._backend = backend
        self._header = token.header
        self._example_url = example_url
        super().__init__(token)  # type: ignore[arg-type]  # handed to our own backend as it is

    def get_token_backend(self) -> KeyBackend:
        return self._backend

    def verify(self) -> None:
        """Check the claims of a token that one of the service's keys has signed: rows 10 to 12 of the contract."""
        if "iat" not in self.payload:
            raise errors.KeyNotFound
        now = int(time.time())
        issued_at = _seconds(self.payload["iat"])
        if issued_at is None or abs(now - issued_at) > LEEWAY_SECONDS:
            skewed = errors.ClockSkewed(fix=_clock_hint(issued_at, now))
            skewed.seconds_apart = None if issued_at is None else now - issued_at
            raise skewed
        not_before = _seconds(self.payload.get("nbf", now))
        if not_before is not None and not_before - now > LEEWAY_SECONDS:
            raise errors.ClockSkewed
        expires_at = _seconds(self.payload.get("exp", now))
        is_over = expires_at is None or now - expires_at > LEEWAY_SECONDS
        if is_over or not_before is None or "aud" in self.payload or "crit" in self._header:
            raise errors.TokenInvalid(example_url=self._example_url)


def _json_object(part: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(_decoded(part), skip_mark=False, storable=False)
    except strict_json.JSONRefused as error:
        raise TokenMalformed from error
    if not isinstance(value, dict):
        raise TokenMalformed
    return value


def _decoded(part: bytes) -> bytes:
    if not _BASE64URL.match(part):  # the decoder itself passes over foreign characters
        raise TokenMalformed
    try:
        return base64url_decode(part.rstrip(b"="))
    except (ValueError, InvalidTokenError) as error:
        raise TokenMalformed from error


def _seconds(value: object) -> int | None:
    """Return whole seconds of a number or a numeric text; None for anything else, booleans included."""
    if isinstance(value, str):
        return int(float(value)) if _NUMBER.match(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or math.isfinite(value) else None


def _clock_hint(issued_at: int | None, now: int) -> str:
    try:
        said = datetime.fromtimestamp(issued_at, UTC) if issued_at is not None else None
    except (ValueError, OverflowError, OSError):
        said = None
    if said is None or issued_at is None:
        return "Give `iat` in whole seconds since 1970 UTC."
    ours = datetime.fromtimestamp(now, UTC)
    form = "%H:%M:%S" if said.date() == ours.date() else "%Y-%m-%d %H:%M:%S"
    apart = f"{abs(now - issued_at)} s apart"
    return f"Your token says {said:{form}} UTC, we say {ours:{form}}: {apart}. Turn on time synchronisation."
