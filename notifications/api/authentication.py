"""Which service and key a request comes from. The order of the checks is fixed: the first that fails answers.

Source: Notification Sending API §5; the sending contract §3; Security and reliability §2.
"""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db.models import Q
from django.utils import timezone
from rest_framework.request import Request
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.exceptions import TokenBackendError, TokenError

from config import figures
from config.rest.bearer import parse_bearer_token
from config.sealing import SealBroken
from notifications import errors
from notifications.api.identifiers import parse_uuid
from notifications.api.links import AUTHENTICATION, docs_url
from notifications.api.tokens import ALGORITHM, CallerToken, KeyBackend, SignedToken, TokenMalformed
from notifications.models import ApiKey, Service
from notifications.models.api_key import REVOKED_KEYS_ARE_NAMED_FOR
from notifications.submission import usage
from notifications.submission.recall import recalled

MAX_HEADER_CHARACTERS = 4096

log = structlog.get_logger()

_NOBODYS = KeyBackend(secrets.token_hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A service and the keys that may have signed for it: those in use first, then those revoked a short while ago.

    unreadable: the keys in use whose secret FIELD_KEYS do not decrypt
    """

    service: Service
    keys: Sequence[tuple[ApiKey, KeyBackend]]
    unreadable: Sequence[ApiKey] = ()


class ServiceKeyAuthentication(JWTAuthentication):
    """`Authorization: Bearer <JWT>`, signed with one of the keys of the service it names.

    `request.user` is the Service, `request.auth` the ApiKey; `request.signer` is the key also where it may not be used.
    Raises AuthError.
    """

    def authenticate(self, request: Request) -> tuple[Service, ApiKey]:  # type: ignore[override]  # callers are services
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header.strip():
            raise errors.TokenMissing
        text = parse_bearer_token(header) if len(header) <= MAX_HEADER_CHARACTERS else None
        if text is None:
            raise errors.BearerSchemeMissing

        example_url = docs_url(request, AUTHENTICATION)
        try:
            token = SignedToken.parse(text)
        except TokenMalformed as error:
            raise errors.TokenInvalid(example_url=example_url) from error
        caller = _named_by(token)
        if token.header.get("alg") != ALGORITHM:
            raise errors.AlgorithmNotAllowed
        key = _signer(token, caller, example_url, request)
        if not key.is_live(timezone.now()):
            raise errors.KeyRevoked

        structlog.contextvars.bind_contextvars(service_id=str(caller.service.id), key_id=str(key.id))
        usage.note_key(key, request.META.get("HTTP_USER_AGENT", ""))
        return caller.service, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _named_by(token: SignedToken) -> Caller:
    """Find the service the token says it comes from, before anything of it is believed."""
    if "iss" not in token.claims:
        raise errors.IssuerMissing
    service_id = parse_uuid(token.claims["iss"])
    if service_id is None:
        raise errors.IssuerNotUuid
    caller = _caller(service_id)
    if caller is None:
        with suppress(TokenBackendError):
            _NOBODYS.decode(token)  # the work of a wrong signature: the time must not tell whether a service is known
        raise errors.ServiceNotFound
    if not caller.keys and not caller.unreadable:
        raise errors.ServiceHasNoKeys
    if not caller.service.active:
        raise errors.ServiceArchived
    return caller


def _signer(token: SignedToken, caller: Caller, example_url: str, request: Request) -> ApiKey:
    """Find the key that signed. A bad clock is told only to a caller who has one."""
    for key, backend in caller.keys:
        try:
            CallerToken(token, backend, example_url=example_url)
        except TokenError:
            continue
        except errors.AuthError:
            request.signer = key  # type: ignore[attr-defined]  # for the list of the key's refusals
            raise
        request.signer = key  # type: ignore[attr-defined]
        return key
    if caller.unreadable:  # it may be one of those: to call it unknown would have people make new keys
        figures.UNREADABLE.add("apikey.sealed_secret")
        raise errors.ApiKeysUnreadable
    raise errors.KeyNotFound


@recalled
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
    except SealBroken:
        log.error("api_key.unreadable", key_id=str(key.id))  # sealed under a key we no longer have: others still work
        return None
