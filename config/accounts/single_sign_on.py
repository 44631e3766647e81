"""Sign in through an OpenID Connect provider: find or create the account, and give it the roles of its groups.

Authlib implements the protocol: discovery, PKCE, state, nonce, and the signature and claims of the ID token.
Source: docs/reference/security.md §5.
"""

from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.module_loading import import_string
from requests import RequestException

from config import areas, audit
from config.accounts import account_name, identities, lookup, sessions
from config.accounts.claims import NotAllowed, VerifiedClaims

TIMEOUT_SECONDS = 10  # of each call to the provider
OPERATOR = "operator"
_MAX_USER_NAME = 150  # characters of the column

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAccess:
    """What one area grants by groups: apply(user, all grants that OIDC_ROLES knows, those of this person)."""

    apply: Callable[[User, Set[str], Set[str]], None]


def is_on() -> bool:
    return bool(settings.OIDC_ISSUER)


def client() -> Any:  # Any: Authlib has no types
    """Return the provider's client. It reads the provider's configuration at the first use."""
    return _client(settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)


@lru_cache(maxsize=1)
def _client(issuer: str, client_id: str, client_secret: str) -> Any:
    # Imported at the first use: Authlib takes 2.3 MiB in every process.
    oauth = import_string("authlib.integrations.django_client.OAuth")()
    oauth.register(
        "provider",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_SECONDS,
        },
    )
    return oauth.provider


def claims_of(token: dict[str, Any]) -> dict[str, Any]:
    """Return the claims of the verified ID token, and those that only the provider's userinfo endpoint gives."""
    claims = _as_claims(token["userinfo"])
    if client().load_server_metadata().get("userinfo_endpoint"):
        more = _as_claims(client().userinfo(token=token))
        if more.get("sub") != claims["sub"]:  # OpenID Connect Core §5.3.2
            raise ValueError("the userinfo endpoint describes another person")
        claims = more | claims
    return claims


def _as_claims(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("the claims are no JSON object")
    return dict(value)


def end_url(request: HttpRequest) -> str:
    """Return the URL that ends the person's session at the provider, or "" if they did not sign in there."""
    id_token = request.session.get(sessions.THROUGH_PROVIDER)
    if not id_token or not is_on():
        return ""
    try:
        endpoint = client().load_server_metadata().get("end_session_endpoint")
    except (RequestException, ValueError):
        return ""
    back = f"{settings.BASE_URL}{reverse('admin:login')}"
    query = {"id_token_hint": id_token, "post_logout_redirect_uri": back, "client_id": settings.OIDC_CLIENT_ID}
    return f"{endpoint}?{urlencode(query)}" if endpoint else ""


def account_for(person: VerifiedClaims) -> User:
    """Return the person's account with the roles of their groups. Raises NotAllowed.

    A concurrent sign-in may create the account or the identity first. Then the constraints refuse this one, and the
    second try finds what the other stored.
    """
    for _ in range(2):
        with suppress(IntegrityError), transaction.atomic():
            return _account_for(person)
    raise NotAllowed("No account could be created for you. Ask an operator of this installation to create one.")


def _account_for(person: VerifiedClaims) -> User:
    identity = identities.find(settings.OIDC_ISSUER, person.subject)
    user = identity.user if identity else _unbound(person)
    if not user.is_active or not user.is_staff:
        raise NotAllowed("Your account is not active. Ask an operator of this installation to activate it.", user)
    if identity is None:
        identities.bind(user, settings.OIDC_ISSUER, person.subject)
        audit.record(audit.CLOCK, "linked_sign_on", **audit.about(user), after={"username": user.username})
    if settings.OIDC_ROLES:
        _apply_groups(user, person)
    return user


def _unbound(person: VerifiedClaims) -> User:
    """Return the account with the person's email address, or a new one if accounts are created.

    An account that has an identity of this provider is found by its subject only: an email address may be given to
    another person later, a subject may not (OpenID Connect Core §5.7).
    """
    if not person.email:
        raise NotAllowed("Your sign-in provider has not verified your email address. Ask its administrator.")
    # Before the accounts are read: a concurrent sign-in of this person may create one in between.
    is_taken = lookup.is_taken(person.email)
    found = lookup.with_mailbox(person.email)
    if len(found) > 1:
        raise NotAllowed("Several accounts have your email address. Ask an operator of this installation.")
    if found and identities.is_of_another(found[0], settings.OIDC_ISSUER, person.subject):
        raise NotAllowed(
            "The account with your email address belongs to another identity at your sign-in provider. "
            "Ask an operator of this installation.",
            found[0],
        )
    if found:
        return found[0]
    if settings.OIDC_ACCOUNTS != "created":
        raise NotAllowed("You have no account here yet. Ask an operator of this installation to create one.")
    if is_taken:
        raise NotAllowed("Another account has your email address as its name. Ask an operator of this installation.")
    return _created(person)


def _created(person: VerifiedClaims) -> User:
    first, _, last = person.name.partition(" ")
    user = User.objects.create_user(
        username=person.email[:_MAX_USER_NAME], email=person.email, first_name=first, last_name=last, is_staff=True
    )
    account_name.claim(user)
    audit.record(audit.CLOCK, "created", **audit.about(user), reason="first sign-in through the sign-in provider")
    return user


def _apply_groups(user: User, person: VerifiedClaims) -> None:
    """Give and take what OIDC_ROLES names. Everything else that the account may do stays."""
    known = frozenset(grant for grants in settings.OIDC_ROLES.values() for grant in grants)
    own = frozenset(grant for group in person.groups for grant in settings.OIDC_ROLES.get(group, ()))
    if OPERATOR in known and user.is_superuser != (OPERATOR in own):
        _set_operator(user, is_operator=OPERATOR in own)
    for access in areas.parts(GroupAccess):
        access.apply(user, known, own)


def _set_operator(user: User, *, is_operator: bool) -> None:
    others = User.objects.select_for_update().filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if not is_operator and not others.exists():
        log.warning("sign_on.last_operator_kept", user_id=user.pk)
        return
    user.is_superuser = is_operator
    user.save(update_fields=["is_superuser"])
    note_change(user, before={"is_superuser": not is_operator}, after={"is_superuser": is_operator})


def note_change(row: Model, **what: Any) -> None:
    """Record in the audit that the groups of a person changed a row."""
    audit.record(audit.CLOCK, "changed", **audit.about(row), **what, reason="groups of the sign-in provider")
