"""Collect changes to rows and write them in bulk, so that hundreds of services take seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import models

from config.audit import changes
from notifications.management.provision.stored import LISTS
from notifications.models import LimitChange, Service, Template, TemplateTag, TemplateVersion

_PARENTS_FIRST: tuple[type[models.Model], ...] = (Service, *LISTS, TemplateVersion, LimitChange)


@dataclass(slots=True)
class Change:
    """A change to one row. before: the values of the row for the audit, or None for a new row"""

    row: models.Model
    before: dict[str, object] | None = None
    columns: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagChange:
    """A change to the tags of a template."""

    template: Template
    before: Sequence[str]
    after: Sequence[str]


class Changes:
    """The changes of one document. Nothing is written before `save`."""

    def __init__(self) -> None:
        self.tags: list[TagChange] = []
        self.added: list[Change] = []
        self.removed: list[Change] = []
        self._changed: dict[tuple[type[models.Model], object], Change] = {}

    @property
    def changed(self) -> list[Change]:
        return list(self._changed.values())

    def add(self, row: models.Model) -> None:
        self.added.append(Change(row))

    def change(self, row: models.Model, **values: object) -> None:
        """Set the values that differ. Set all values of a new row."""
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        if differing and not row._state.adding:
            known = self._changed.setdefault((type(row), row.pk), Change(row, changes.snapshot(row)))
            known.columns.update(differing)
        for name, value in differing.items():
            setattr(row, name, value)

    def remove(self, row: models.Model) -> None:
        self.removed.append(Change(row, changes.snapshot(row)))

    def save(self) -> None:
        """Write all changes, parents first. Call it inside a transaction."""
        for model in _PARENTS_FIRST:
            manager = model._default_manager
            if removed := [one.row.pk for one in self.removed if type(one.row) is model]:
                manager.filter(pk__in=removed).delete()
            changed = [one for one in self.changed if type(one.row) is model]
            _free_names([one for one in changed if model is Service and "name" in one.columns])
            for is_default in (False, True):  # clears the old default before it sets the new one
                some = [one for one in changed if getattr(one.row, "is_default", False) is is_default]
                if some:
                    columns = sorted(set().union(*(one.columns for one in some)))
                    manager.bulk_update([one.row for one in some], columns)
            manager.bulk_create([one.row for one in self.added if type(one.row) is model])
        TemplateTag.objects.filter(template__in=[one.template for one in self.tags]).delete()
        TemplateTag.objects.bulk_create(
            [TemplateTag(template=one.template, name=name) for one in self.tags for name in one.after]
        )


def _free_names(renamed: Sequence[Change]) -> None:
    """Take the names of services out of the constraint, so that a document can pass a name on to another service.

    PostgreSQL checks a constraint row by row, also within one statement.
    """
    if renamed:
        Service.objects.filter(pk__in=[one.row.pk for one in renamed]).update(has_own_name=False)
    for one in renamed:
        one.columns.add("has_own_name")
