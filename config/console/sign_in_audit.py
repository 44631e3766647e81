"""What the audit keeps of signing in: who, from where, and how often it was refused; never what was typed.

Source: Staff console §2.18; Security and reliability §7.
"""

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from config.accounts import lookup
from config.console import audit
from config.console.audit import Actor
from config.console.models import ActorKind

SOMEBODY = "somebody"


def note(request: HttpRequest, user: User | AnonymousUser, verb: str, **after: object) -> None:
    """Write what an account's own person has done with it."""
    name = user.get_username()
    actor = Actor(kind=ActorKind.USER, id=str(user.pk), label=name, network_address=audit.network_address(request))
    told = {"username": name, **{key: value for key, value in after.items() if value is not None}}
    audit.record(actor, verb, object_kind="user", object_id=user.pk, after=told)


@receiver(user_login_failed)
def note_refusal(credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: object) -> None:
    """Write that a password or a code was refused; while the account waits, its tries are not written one by one."""
    if request is not None and not _is_waiting_already(request):
        note_stranger(request, str(credentials.get("username", "")), "refused_sign_in")


@receiver(user_locked_out)
def note_lock_out(request: HttpRequest, **kwargs: object) -> None:
    """Write the moment the tenth wrong password came."""
    if not _is_waiting_already(request):
        credentials = getattr(request, "axes_credentials", None) or {}
        note_stranger(request, str(credentials.get("username", "")), "locked_out")


def _is_waiting_already(request: HttpRequest) -> bool:
    # The library counts only where it has judged; the try that fills the measure is judged.
    return getattr(request, "axes_locked_out", False) and getattr(request, "axes_failures_since_start", None) is None


def note_stranger(request: HttpRequest, name: str, verb: str) -> None:
    """Write about the account, if it is one; what was typed for a name is not repeated, it may be a password."""
    user = lookup.find(name)
    actor = Actor(kind=ActorKind.USER, label=SOMEBODY, network_address=audit.network_address(request))
    after: dict[str, object] = {"username": user.get_username()} if user else {}
    audit.record(actor, verb, object_kind="user", object_id=user.pk if user else "", after=after or None)
