"""Collect the changes that make the rows of a service match a document. `Changes.save` writes them."""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import models

from config.management.declarations import DeclaredRow
from notifications.management.provision.changes import Changes
from notifications.management.provision.stored import StoredServices
from notifications.models import Service

Rows = list[Any]  # of one model


@dataclass(frozen=True, slots=True)
class Sync:
    service: Service
    stored: StoredServices
    changes: Changes

    def sync(
        self,
        model: type[models.Model],
        rows: Iterable[DeclaredRow],
        key: Callable[[DeclaredRow, Rows], Any],
        *,
        check: Callable[[DeclaredRow, Any, Rows], None] = lambda entry, row, others: None,
        blamed: tuple[str, ...] = (),
        replaces: bool = False,
    ) -> list[tuple[DeclaredRow, Any]]:
        """Find or create a row for each entry and set its columns. Return the entries without errors with their rows.

        key: returns the stored row for an entry without an id, or None
        blamed: names of values that identify a row; an error is reported for the first one that is given
        check: adds errors to an entry; gets the entry, its row (None if new) and the other rows
        replaces: whether rows that are not listed are removed
        """
        known = self.stored.of(model, self.service)
        done: list[tuple[DeclaredRow, Any]] = []
        seen: set[object] = set()
        for entry in rows:
            errors_before = len(entry.errors.lines)
            identifier = entry.values.get("id")
            row = self.stored.by_id(model, identifier) if identifier else key(entry, known)
            if row is not None and row.service_id != self.service.pk:
                entry.refuse("id", "belongs to another service")
            elif row is not None and row.pk in seen:
                entry.refuse(next((name for name in ("id", *blamed) if name in entry.values), ""), "is given twice")
            else:
                check(entry, row, [other for other in known if other is not row])
            if len(entry.errors.lines) > errors_before:
                continue
            if row is None:
                row = model(pk=identifier or uuid.uuid4(), service=self.service, created_by=settings.PROVISION_AUTHOR)
                self.changes.add(row)
                self.stored.add(row)
            columns = {field.name for field in model._meta.concrete_fields} - {"id"}
            self.changes.change(row, **{name: entry.values[name] for name in columns & entry.values.keys()})
            seen.add(row.pk)
            done.append((entry, row))
        for former in known if replaces else []:
            if former.pk not in seen:
                self.changes.remove(former)
        return done


def by(*columns: str) -> Callable[[DeclaredRow, Rows], Any]:
    """Return a `key` for `Sync.sync` that identifies rows by these columns."""
    return lambda entry, known: next(
        (row for row in known if all(getattr(row, name) == entry.values[name] for name in columns)), None
    )
