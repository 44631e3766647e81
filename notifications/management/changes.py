"""Rows to store, gathered first and written in bulk: a document of hundreds of services takes seconds, not minutes."""

from collections import defaultdict
from uuid import UUID

from django.db import models

from notifications.models import (
    ApiKey,
    CallbackEndpoint,
    GuestListEntry,
    ReplyToAddress,
    Service,
    SmsSender,
    TeamMember,
    Template,
    TemplateVersion,
)

_PARENTS_FIRST: list[type[models.Model]] = [
    Service, TeamMember, GuestListEntry, SmsSender, ReplyToAddress, Template, TemplateVersion, ApiKey, CallbackEndpoint,
]  # fmt: skip


class Changes:
    """What one document changes. Nothing is written before `save`."""

    def __init__(self) -> None:
        self._added: dict[type[models.Model], list[models.Model]] = defaultdict(list)
        self._changed: dict[type[models.Model], dict[object, tuple[models.Model, set[str]]]] = defaultdict(dict)
        self._removed: dict[type[models.Model], list[models.Model]] = defaultdict(list)
        self.touched: dict[UUID, set[str]] = defaultdict(set)

    def add(self, service: Service, row: models.Model) -> None:
        self._added[type(row)].append(row)
        self._touch(service, row)

    def change(self, service: Service, row: models.Model, **values: object) -> None:
        """Set what differs. A row that is only about to be added simply takes the values."""
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        for name, value in differing.items():
            setattr(row, name, value)
        if differing and not row._state.adding:
            _, names = self._changed[type(row)].setdefault(row.pk, (row, set()))
            names.update(differing)
            self._touch(service, row)

    def remove(self, service: Service, row: models.Model) -> None:
        self._removed[type(row)].append(row)
        self._touch(service, row)

    def save(self) -> None:
        """Write everything, parents first. To be called inside a transaction."""
        for model in _PARENTS_FIRST:
            manager = model._default_manager
            if removed := self._removed[model]:
                manager.filter(pk__in=[row.pk for row in removed]).delete()
            for one_default in (False, True):  # the old default steps down before the new one steps up
                rows = [
                    (row, names)
                    for row, names in self._changed[model].values()
                    if getattr(row, "is_default", False) is one_default
                ]
                if rows:
                    manager.bulk_update([row for row, _ in rows], sorted(set().union(*(names for _, names in rows))))
            manager.bulk_create(self._added[model])

    def _touch(self, service: Service, row: models.Model) -> None:
        self.touched[service.id].add(type(row)._meta.model_name or "")
