"""Authentication of the sending API: a JSON Web Token, signed with one of the service's API keys.

The order of the checks is part of the contract: the first check that fails decides the response. Simple JWT checks the
signature. It would accept an `iat` that is an hour old, a boolean, or missing, so this module checks the claims.
Source: docs/reference/sending-api.md §3; docs/reference/security.md §2.
"""

import math
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self
from uuid import UUID

import structlog
from django.db.models import Q
from django.utils import timezone
from jwt import InvalidTokenError
from jwt.algorithms import HMACAlgorithm
from jwt.utils import base64url_decode
from rest_framework.request import Request
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.backends import TokenBackend

from config.encryption import DecryptionFailed
from config.metrics import registry
from config.rest import strict_json
from config.rest.request import base_url, parse_bearer_token
from config.web.ip_addresses import client_ip, is_in
from notifications import errors
from notifications.api import clocks, whole_keys
from notifications.api.fields import parse_uuid
from notifications.api.whole_keys import WholeKey
from notifications.models import ApiKey, Service
from notifications.models.api_key import REVOKED_KEYS_ARE_NAMED_FOR
from notifications.submission import usage
from notifications.submission.ttl_cache import cached

ALGORITHM = "HS256"
LEEWAY_SECONDS = 30  # both ways, inclusive
MAX_HEADER_CHARACTERS = 4096
_CACHED_TOKENS, _MAX_CACHED_CHARACTERS = 128, 512  # these bounds keep the cache below a few megabytes
_BASE64URL = re.compile(rb"\A[A-Za-z0-9_-]*+={0,2}\Z")
_NUMBER = re.compile(r"\A-?[0-9]{1,20}(?:\.[0-9]{1,20})?\Z")
_LONGEST_CLIENT = ApiKey._meta.get_field("last_client").max_length
_HS256 = HMACAlgorithm(HMACAlgorithm.SHA256)

log = structlog.get_logger()


class TokenMalformed(Exception):
    """The token does not have three parts, or a part is not base64url or not a JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedToken:
    """A decoded token whose signature is not yet checked. Do not change it: requests with equal tokens share it."""

    header: dict[str, Any]  # Any: JSON
    claims: dict[str, Any]
    issuer: UUID | None
    signed: bytes
    signature: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Decode a token. Raises TokenMalformed. Ignores `kid`, `jku`, `jwk` and similar header parameters.

        A client signs a token for each call, and `iat` has whole seconds: all tokens of one second are equal.
        """
        return cls._decode_cached(text) if len(text) <= _MAX_CACHED_CHARACTERS else cls._decode(text)

    @classmethod
    @lru_cache(maxsize=_CACHED_TOKENS)
    def _decode_cached(cls, text: str) -> Self:
        return cls._decode(text)

    @classmethod
    def _decode(cls, text: str) -> Self:
        parts = text.encode().split(b".")
        if len(parts) != 3:
            raise TokenMalformed
        header, payload, signature = parts
        decoded_header, claims = _json_object(header), _json_object(payload)
        return cls(
            header=decoded_header,
            claims=claims,
            issuer=parse_uuid(claims.get("iss")),
            signed=header + b"." + payload,
            signature=_decoded(signature),
        )


class KeyBackend(TokenBackend):
    """Check signatures with the secret of one API key. Each cached key has its own backend."""

    def __init__(self, secret: str) -> None:
        super().__init__(ALGORITHM, signing_key=secret)

    def is_secret(self, text: str) -> bool:
        """Return whether a text is the secret, compared in constant time."""
        return secrets.compare_digest(str(self.signing_key).encode(), text.encode())

    def has_signed(self, token: SignedToken) -> bool:
        """Return whether the signature of a decoded token matches, compared in constant time."""
        return _HS256.verify(token.signed, self.prepared_signing_key, token.signature)


_UNKNOWN_KEY = KeyBackend(secrets.token_hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A service and the keys that may have signed for it: active keys first, then recently revoked ones.

    unreadable: the active keys whose secret FIELD_KEYS cannot decrypt
    """

    service: Service
    keys: Sequence[tuple[ApiKey, KeyBackend]]
    unreadable: Sequence[ApiKey] = ()


class ServiceKeyAuthentication(JWTAuthentication):
    """Authenticate `Authorization: Bearer <JWT>` by the API keys of the service that the token names.

    `request.user` is the Service and `request.auth` the ApiKey. `request.signer` is the key that signed the token;
    it is set even if the key is revoked or a claim is wrong. Raises AuthError.
    """

    def authenticate(self, request: Request) -> tuple[Service, ApiKey]:  # type: ignore[override]  # no users
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header.strip():
            raise errors.TokenMissing
        is_readable = len(header) <= MAX_HEADER_CHARACTERS
        text = parse_bearer_token(header) if is_readable else None
        if text is None:
            whole_key = whole_keys.find(header) if is_readable else None
            if whole_key is None:
                raise errors.BearerSchemeMissing
            key, caller = _owner(WholeKey.parse(whole_key))
            return self._authenticated(request, caller.service, key)

        try:
            token = SignedToken.parse(text)
        except TokenMalformed as error:
            raise _token_invalid(request) from error
        caller = _named_caller(token)
        if token.header.get("alg") != ALGORITHM:
            raise errors.AlgorithmNotAllowed
        key = _signer(token, caller)
        request.signer = key  # type: ignore[attr-defined]  # the usage page of the key also lists calls with errors
        _check_claims(token, request)
        return self._authenticated(request, caller.service, key)

    def _authenticated(self, request: Request, service: Service, key: ApiKey) -> tuple[Service, ApiKey]:
        request.signer = key  # type: ignore[attr-defined]  # for the usage page, too
        if (key.revoked_at or key.expires_at) and not key.is_live(timezone.now()):
            raise errors.KeyRevoked
        if key.allowed_networks:
            ip_address = client_ip(request._request)
            if not is_in(ip_address, key.allowed_networks):
                raise errors.KeyNetworkNotAllowed(ip_address=ip_address or "an unknown address")
        structlog.contextvars.bind_contextvars(service_id=str(service.id), key_id=str(key.id))
        usage.note_use(key, last_client=request.META.get("HTTP_USER_AGENT", "")[:_LONGEST_CLIENT])
        return service, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _named_caller(token: SignedToken) -> Caller:
    """Return the service that the claim `iss` names. The signature is not yet checked."""
    if "iss" not in token.claims:
        raise errors.IssuerMissing
    if token.issuer is None:
        raise errors.IssuerNotUuid
    caller = _caller(token.issuer)
    if caller is None:
        # As much work as for a wrong signature: the response time must not reveal which services exist.
        _UNKNOWN_KEY.has_signed(token)
        raise errors.ServiceNotFound
    if not caller.keys and not caller.unreadable:
        raise errors.ServiceHasNoKeys
    if not caller.service.active:
        raise errors.ServiceArchived
    return caller


def _owner(whole_key: WholeKey) -> tuple[ApiKey, Caller]:
    """Return the key that the caller sent. Raises AuthError, ApiKeysUnreadable."""
    caller = _caller(whole_key.service_id)
    if caller is None:
        raise errors.KeyNotFound
    if not caller.service.accepts_whole_keys:
        raise errors.BearerSchemeMissing
    key = next((key for key, backend in caller.keys if backend.is_secret(whole_key.secret)), None)
    if key is None:
        raise _key_not_found(caller)
    if not caller.service.active:
        raise errors.ServiceArchived
    return key, caller


def _signer(token: SignedToken, caller: Caller) -> ApiKey:
    """Return the key that signed the token. Raises KeyNotFound, ApiKeysUnreadable."""
    for key, backend in caller.keys:
        if backend.has_signed(token):
            return key
    raise _key_not_found(caller)


def _key_not_found(caller: Caller) -> errors.KeyNotFound | errors.ApiKeysUnreadable:
    if not caller.unreadable:
        return errors.KeyNotFound()
    registry.UNREADABLE.add("apikey.encrypted_secret")  # KeyNotFound would make people replace these keys
    return errors.ApiKeysUnreadable()


def _check_claims(token: SignedToken, request: Request) -> None:
    """Raise AuthError if a claim of a token with a valid signature is missing, out of date or not supported."""
    claims, now = token.claims, int(time.time())
    if "iat" not in claims:
        raise errors.KeyNotFound
    issued_at = _seconds(claims["iat"])
    if issued_at is None or abs(now - issued_at) > LEEWAY_SECONDS:
        skewed = errors.ClockSkewed(fix=clocks.fix(issued_at, now))
        skewed.seconds_apart = None if issued_at is None else now - issued_at
        raise skewed
    not_before = _seconds(claims["nbf"]) if "nbf" in claims else now
    if not_before is not None and not_before - now > LEEWAY_SECONDS:
        raise errors.ClockSkewed
    expires_at = _seconds(claims["exp"]) if "exp" in claims else now
    is_over = expires_at is None or now - expires_at > LEEWAY_SECONDS
    if is_over or not_before is None or "aud" in claims or "crit" in token.header:
        raise _token_invalid(request)


def _token_invalid(request: Request) -> errors.TokenInvalid:
    return errors.TokenInvalid(example_url=f"{base_url(request)}/docs/#authentication")


@cached
def _caller(service_id: UUID) -> Caller | None:
    service = Service.objects.filter(id=service_id).first()
    if service is None:
        return None
    named = Q(revoked_at=None) | Q(revoked_at__gt=timezone.now() - REVOKED_KEYS_ARE_NAMED_FOR)
    keys = sorted(service.api_keys.filter(named), key=lambda key: key.revoked_at is not None)
    backends = [(key, _backend(key)) for key in keys]
    return Caller(
        service=service,
        keys=[(key, backend) for key, backend in backends if backend],
        unreadable=[key for key, backend in backends if backend is None and key.revoked_at is None],
    )


def _backend(key: ApiKey) -> KeyBackend | None:
    try:
        return KeyBackend(key.secret)
    except DecryptionFailed:  # encrypted with a key that FIELD_KEYS no longer has; the service's other keys still work
        log.error("api_key.unreadable", key_id=str(key.id))
        return None


def _json_object(part: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(_decoded(part), skip_mark=False, storable=False)
    except strict_json.UnreadableJSON as error:
        raise TokenMalformed from error
    if not isinstance(value, dict):
        raise TokenMalformed
    return value


def _decoded(part: bytes) -> bytes:
    if not _BASE64URL.match(part):  # the decoder ignores characters outside the alphabet
        raise TokenMalformed
    try:
        return base64url_decode(part.rstrip(b"="))
    except (ValueError, InvalidTokenError) as error:
        raise TokenMalformed from error


def _seconds(value: object) -> int | None:
    """Return the whole seconds of a number or a numeric string, or None for any other value, booleans included."""
    if isinstance(value, str):
        return int(float(value)) if _NUMBER.match(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if isinstance(value, int) or math.isfinite(value) else None
