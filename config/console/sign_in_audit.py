"""Record sign-ins in the audit: the account and its network, but never the text that a person typed.

Source: docs/reference/console.md §2.18; docs/reference/security.md §7.
"""

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from config import audit
from config.accounts import lookup
from config.audit import Actor
from config.audit.models import ActorKind
from config.web.ip_addresses import client_ip

SOMEBODY = "somebody"


def note(request: HttpRequest, user: User | AnonymousUser, verb: str, **after: object) -> None:
    """Record an action of a person on their own account."""
    name = user.get_username()
    actor = Actor(kind=ActorKind.USER, id=str(user.pk), label=name, ip_address=client_ip(request))
    values = {"username": name, **{key: value for key, value in after.items() if value is not None}}
    audit.record(actor, verb, object_kind="user", object_id=user.pk, after=values)


@receiver(user_login_failed)
def note_wrong_password(credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: object) -> None:
    """Record a wrong password or code. While the account is locked, further tries are not recorded."""
    if request is not None and not _is_waiting_already(request):
        note_stranger(request, str(credentials.get("username", "")), "refused_sign_in")


@receiver(user_locked_out)
def note_lock_out(request: HttpRequest, **kwargs: object) -> None:
    """Record that the tenth wrong password locked the account."""
    if not _is_waiting_already(request):
        credentials = getattr(request, "axes_credentials", None) or {}
        note_stranger(request, str(credentials.get("username", "")), "locked_out")


def _is_waiting_already(request: HttpRequest) -> bool:
    # axes counts only the tries that it checked, and the try that reaches the limit is one of them.
    return getattr(request, "axes_locked_out", False) and getattr(request, "axes_failures_since_start", None) is None


def note_stranger(request: HttpRequest, name: str, verb: str) -> None:
    """Record an action of an unknown person. The typed name is not stored, because it may be a password."""
    _note_somebody(request, lookup.find(name), verb)


def note_refused_sign_on(request: HttpRequest, user: User | None, reason: str) -> None:
    """Record that the sign-in through the provider was refused. user: the account that the person wanted, if known."""
    _note_somebody(request, user, "refused_sign_on", reason=reason)


def _note_somebody(request: HttpRequest, user: User | None, verb: str, *, reason: str = "") -> None:
    actor = Actor(kind=ActorKind.USER, label=SOMEBODY, ip_address=client_ip(request))
    after: dict[str, object] = {"username": user.get_username()} if user else {}
    audit.record(actor, verb, object_kind="user", object_id=user.pk if user else "", after=after or None, reason=reason)
