"""Store audit events inside the transaction of the change."""

import os
import pwd
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import AbstractBaseUser, AbstractUser, AnonymousUser
from django.db import models
from django.http import HttpRequest

from config.audit import titles
from config.audit.models import ActorKind, AuditEvent
from config.web.ip_addresses import client_ip

_LABEL_CHARACTERS = 255  # length of the column


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The actor of an event. `label` is a user's name, a key's name or a token's first 8 characters."""

    kind: ActorKind
    id: str = ""
    label: str = ""
    ip_address: str | None = None


CLOCK = Actor(kind=ActorKind.CLOCK, label="clock")
COMMAND = Actor(kind=ActorKind.COMMAND, label="command line")


def record(actor: Actor, verb: str, row: models.Model | None = None, **what: Any) -> AuditEvent:
    """Store one event and return it. row: what it is about; for `what`, see `event`."""
    made = event(actor, verb, **({} if row is None else about(row)), **what)
    made.save()
    return made


def record_all(events: Iterable[AuditEvent]) -> None:
    """Store many events with few SQL statements."""
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
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Return one event (not saved); `before` and `after` contain only changed fields, never a secret or a recipient.

    label: the name of the row; a recipient is masked
    """
    return AuditEvent(
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_label=actor.label,
        ip_address=actor.ip_address,
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


def about(row: models.Model) -> dict[str, Any]:
    """Return the arguments of `event` that describe a row."""
    kind = row._meta.model_name or ""
    return {"object_kind": kind, "object_id": row.pk, "label": titles.masked(row), **scope_of(row)}


def scope_of(row: models.Model) -> dict[str, Any]:
    """Return the `service_id` or `data_set_id` of a row's events. A model without such a column has `audit_scope`."""
    names = ("service_id", "data_set_id")
    own = {name: getattr(row, name) for name in names if getattr(row, name, None) is not None}
    return getattr(row, "audit_scope", own)


def operator() -> Actor:
    """Return the actor of a command: the system user that runs the process."""
    uid = os.getuid()
    try:
        login = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run as a user id without a name
        login = str(uid)
    return Actor(kind=ActorKind.COMMAND, id=login, label=f"{COMMAND.label} ({login})")


def person(request: HttpRequest) -> Actor:
    """Return the signed-in user of a console request."""
    user = request.user
    return Actor(kind=ActorKind.USER, id=str(user.pk), label=user.get_username(), ip_address=client_ip(request))


def author(request: HttpRequest) -> str:
    """Return the author that rows store: the email address or the user name of the signed-in user."""
    return author_of(request.user)


def author_of(user: AbstractBaseUser | AnonymousUser) -> str:
    """Return the author for an account."""
    return getattr(user, "email", "") or user.get_username()


def name_and_author_of(user: AbstractUser) -> str:
    """Return the title of an account: its name, if it has one, and what `author_of` returns."""
    name, author = user.get_full_name(), author_of(user)
    return f"{name} ({author})" if name and name != author else author
