"""Write the audit trail: one call, inside the transaction of the change."""

import os
import pwd
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest

from config import network_addresses
from config.console.models import ActorKind, AuditEvent

_LABEL_CHARACTERS = 255  # what the column holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it. `label` is what a person reads: a user's name, a key's name, a token's first 8 characters."""

    kind: ActorKind
    id: str = ""
    label: str = ""
    network_address: str | None = None


CLOCK = Actor(kind=ActorKind.CLOCK, label="clock")
COMMAND = Actor(kind=ActorKind.COMMAND, label="command line")


def record(actor: Actor, verb: str, **what: Any) -> AuditEvent:
    """Store one event and return it. what: see `event`."""
    made = event(actor, verb, **what)
    made.save()
    return made


def record_all(events: Iterable[AuditEvent]) -> None:
    """Store many events with few statements."""
    AuditEvent.objects.bulk_create(events)


def event(
    actor: Actor,
    verb: str,
    *,
    object_kind: str,
    object_id: object,
    label: str = "",
    service_id: UUID | None = None,
    data_set_id: int | None = None,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Return one event (not saved); `before` and `after` hold only what changed, never a secret or a recipient.

    label: what people call the row; a recipient is masked
    """
    return AuditEvent(
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_label=actor.label,
        network_address=actor.network_address,
        verb=verb,
        object_kind=object_kind,
        object_id=str(object_id),
        object_label=label[:_LABEL_CHARACTERS],
        service_id=service_id,
        data_set_id=data_set_id,
        before=before,
        after=after,
        reason=reason,
        request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
    )


def operator() -> Actor:
    """Return the actor of a command: the account of this machine that runs the process."""
    uid = os.getuid()
    try:
        login = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run under a number that has no name
        login = str(uid)
    return Actor(kind=ActorKind.COMMAND, id=login, label=f"{COMMAND.label} ({login})")


def person(request: HttpRequest) -> Actor:
    """Return the signed-in person of a console request."""
    user = request.user
    return Actor(
        kind=ActorKind.USER, id=str(user.pk), label=user.get_username(), network_address=network_address(request)
    )


def author(request: HttpRequest) -> str:
    """Return what rows keep of who made them: the email address, else the user name."""
    return author_of(request.user)


def author_of(user: AbstractBaseUser | AnonymousUser) -> str:
    """Return the same of an account."""
    return getattr(user, "email", "") or user.get_username()


def network_address(request: HttpRequest) -> str | None:
    """Return where a request comes from: the peer, or with TRUSTED_PROXIES = n the n-th address from the right.

    What a caller writes into X-Forwarded-For stands further to the left and is not looked at.
    """
    peer = network_addresses.parse(request.META.get("REMOTE_ADDR", ""))
    hops = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    trusted: int = settings.TRUSTED_PROXIES
    told = network_addresses.parse(hops[-trusted]) if 1 <= trusted <= len(hops) else None
    address = told or peer
    return str(address) if address else None


def client_network(request: HttpRequest) -> str | None:
    """Return the network of the caller, as limits count it: an IPv6 household has 2**64 addresses."""
    return network_addresses.network_of(network_address(request)) or None
