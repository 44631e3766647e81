"""Rows to store, gathered first and written in bulk: a document of hundreds of services takes seconds, not minutes."""

from dataclasses import dataclass, field

from django.db import models

from config.console import changes
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


@dataclass(slots=True)
class Change:
    """What a document does to one row. before: the row's values as the audit keeps them, None for a new row."""

    service: Service
    row: models.Model
    before: dict[str, object] | None = None
    columns: set[str] = field(default_factory=set)


class Changes:
    """What one document changes. Nothing is written before `save`."""

    def __init__(self) -> None:
        self.added: list[Change] = []
        self.removed: list[Change] = []
        self._changed: dict[tuple[type[models.Model], object], Change] = {}

    @property
    def changed(self) -> list[Change]:
        return list(self._changed.values())

    def add(self, service: Service, row: models.Model) -> None:
        self.added.append(Change(service, row))

    def change(self, service: Service, row: models.Model, **values: object) -> None:
        """Set what differs. A row that is only about to be added simply takes the values."""
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        if not differing:
            return
        if not row._state.adding:
            known = self._changed.get((type(row), row.pk)) or Change(service, row, changes.snapshot(row))
            known.columns.update(differing)
            self._changed[type(row), row.pk] = known
        for name, value in differing.items():
            setattr(row, name, value)

    def remove(self, service: Service, row: models.Model) -> None:
        self.removed.append(Change(service, row, changes.snapshot(row)))

    def save(self) -> None:
        """Write everything, parents first. To be called inside a transaction."""
        for model in _PARENTS_FIRST:
            manager = model._default_manager
            if removed := _rows_of(model, self.removed):
                manager.filter(pk__in=[row.pk for row in removed]).delete()
            for one_default in (False, True):  # the old default steps down before the new one steps up
                some = [
                    one
                    for one in self.changed
                    if type(one.row) is model and getattr(one.row, "is_default", False) is one_default
                ]
                if some:
                    columns = sorted(set().union(*(one.columns for one in some)))
                    manager.bulk_update([one.row for one in some], columns)
            manager.bulk_create(_rows_of(model, self.added))


def _rows_of(model: type[models.Model], found: list[Change]) -> list[models.Model]:
    return [one.row for one in found if type(one.row) is model]
