"""Record the audit events of a provision document: one for each changed row, with the verbs of the console."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models

from config import audit
from config.audit import changes
from config.audit.models import AuditEvent
from notifications.management.provision.changes import Change, Changes
from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    ReplyToAddress,
    Service,
    SmsSender,
    Template,
    TemplateVersion,
)

_Values = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deed:
    """A change with its own verb.

    verb: returns the verb for the new value of the first field, or "" if the change has no verb
    """

    models: tuple[type[models.Model], ...]
    fields: tuple[str, ...]
    verb: Callable[[object], str]


_DEEDS = (
    _Deed(models=(Service,), fields=("live",), verb=lambda live: "made_live" if live else "put_back_to_trial"),
    _Deed(models=(Service,), fields=("active", "archived_at"), verb=lambda on: "restored" if on else "archived"),
    _Deed(models=(Template,), fields=("archived_at",), verb=lambda at: "archived" if at else "restored"),
    _Deed(models=(SmsSender, ReplyToAddress), fields=("archived_at",), verb=lambda at: "removed" if at else "restored"),
    _Deed(models=(SmsSender, ReplyToAddress), fields=("is_default",), verb=lambda on: "made_default" if on else ""),
    _Deed(models=(ApiKey,), fields=("revoked_at", "revoked_by"), verb=lambda at: "revoked" if at else ""),
    _Deed(
        models=(CallbackEndpoint,),
        fields=("signing_secret", "old_signing_secret", "old_signing_secret_until"),
        verb=lambda secret: "rotated" if secret else "",
    ),
)
_OF_VERSIONS = {"name", "current_version", "updated_at"}  # columns of a template that follow its latest version


def record(done: Changes, versions_before: Mapping[Any, TemplateVersion]) -> None:
    """Store the events of saved changes. versions_before: the previous version by the id of the template"""
    audit.record_all(list(_events(audit.operator(), done, versions_before)))


def _events(actor: audit.Actor, done: Changes, versions_before: Mapping[Any, TemplateVersion]) -> Iterator[AuditEvent]:
    for one in done.added:
        if not isinstance(one.row, TemplateVersion):
            yield _event(actor, "created", one.row, None, changes.snapshot(one.row))
        elif before := versions_before.get(one.row.template_id):
            was, now = changes.difference(before.words(), one.row.words())
            yield _event(actor, "published", one.row.template, was, now)
    for one in done.changed:
        if isinstance(one.row, TemplateVersion):  # a draft that the new version replaces
            continue
        for verb, was, now in _deeds(one):
            yield _event(actor, verb, one.row, was, now)
    for tags in done.tags:
        yield _event(actor, "changed", tags.template, {"tags": list(tags.before)}, {"tags": list(tags.after)})
    for one in done.removed:
        yield _event(actor, "removed", one.row, one.before, None)


def _deeds(one: Change) -> Iterator[tuple[str, _Values, _Values]]:
    """Split the differences of a row into those with their own verb and the rest."""
    was, now = changes.difference(one.before or {}, changes.snapshot(one.row))
    if isinstance(one.row, Template):
        now = {name: value for name, value in now.items() if name not in _OF_VERSIONS}
    for deed in _DEEDS:
        first = deed.fields[0]
        verb = deed.verb(now[first]) if isinstance(one.row, deed.models) and first in now else ""
        if verb:
            named = [name for name in deed.fields if name in now]
            yield verb, {name: was[name] for name in named}, {name: now.pop(name) for name in named}
    if now:
        yield "changed", {name: was[name] for name in now}, now


def _event(actor: audit.Actor, verb: str, row: Any, before: _Values | None, after: _Values | None) -> AuditEvent:
    return audit.event(actor, verb, **audit.about(row), before=before, after=after)
