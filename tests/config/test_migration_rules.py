"""Migrations after version 1.1.0 leave the previous release working. Source: docs/operations.md, Upgrade."""

import re
from collections.abc import Iterator

import pytest
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from config.databases import concurrently
from tests.servers import ROOT

OWN_APPS = {"accounts", "config", "operations", "datasets", "notifications"}
LARGE = {
    *("notification", "attachment", "downloadevent", "callbackdelivery", "textpart", "receivedtext", "apicallerror"),
    *("record", "auditevent"),
}
RELEASED = set(re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE))


def later_migrations() -> list[Migration]:
    found = MigrationLoader(None).disk_migrations
    return [migration for (label, _), migration in sorted(found.items()) if label in OWN_APPS and not migration.initial]


def on_database(migration: Migration) -> Iterator[Operation]:
    """Yield the operations that change the database."""
    for operation in migration.operations:
        if isinstance(operation, operations.SeparateDatabaseAndState):
            yield from operation.database_operations
        else:
            yield operation


def errors(migration: Migration) -> list[str]:
    """Return what would break the previous release, or would lock a large table for long."""
    found = []
    new_models = created_in(migration)
    for operation in on_database(migration):
        model = getattr(operation, "model_name_lower", "")
        is_large = model in LARGE and model not in new_models
        match operation:
            case operations.AddField(field=field):
                if model not in new_models and not field.null and not field.many_to_many and not field.has_db_default():
                    found.append(f"{model}.{operation.name} is NOT NULL without db_default")
                if is_large and (field.db_index or field.unique):
                    found.append(f"{model}.{operation.name} has an index: add it with `concurrently`")
            case operations.RemoveField() | operations.DeleteModel():
                if getattr(migration, "unused_since", "") not in RELEASED:
                    found.append(f"{operation.describe()}: `unused_since` must name the release that stopped using it")
            case operations.RenameField() | operations.RenameModel() | operations.AlterModelTable():
                found.append(f"{operation.describe()}: the previous release uses the former name")
            case operations.AddIndex() if is_large and not isinstance(operation, concurrently.AddIndex):
                found.append(f"{operation.describe()}: use concurrently.AddIndex")
            case operations.AddConstraint(constraint=models.UniqueConstraint()) if is_large:
                if not isinstance(operation, concurrently.AddUniqueIndex):
                    found.append(f"{operation.describe()}: use concurrently.AddUniqueIndex")
            case operations.RunPython() if migration.atomic and not getattr(migration, "few_rows", ""):
                found.append(
                    "RunPython: fill columns in a job or in short transactions, or state why there are `few_rows`"
                )
            case _:
                pass
    return found


def created_in(migration: Migration) -> set[str]:
    return {one.name_lower for one in on_database(migration) if isinstance(one, operations.CreateModel)}


def test_all_later_migrations_suit_the_previous_release() -> None:
    found = {f"{migration.app_label}.{migration.name}": errors(migration) for migration in later_migrations()}

    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def made(*steps: Operation, **attributes: object) -> Migration:
    named = type("Migration", (Migration,), {"operations": list(steps), **attributes})
    return named("9999_example", "notifications")


def number(**settings: object) -> models.IntegerField:
    return models.IntegerField(**settings)  # type: ignore[arg-type]


INDEX = models.Index(fields=["id"], name="example")
UNIQUE = models.UniqueConstraint(fields=["id"], name="example")
REFUSED = {
    "not null": made(operations.AddField("service", "extra", number(default=1))),
    "index of a new column": made(operations.AddField("notification", "extra", number(null=True, db_index=True))),
    "removed": made(operations.RemoveField("service", "name")),
    "removed too early": made(operations.RemoveField("service", "name"), unused_since="99.0.0"),
    "renamed": made(operations.RenameField("service", "name", "title")),
    "plain index": made(operations.AddIndex("notification", INDEX)),
    "unique": made(operations.AddConstraint("record", UNIQUE)),
    "backfill in one transaction": made(operations.RunPython(operations.RunPython.noop)),
}
ACCEPTED = {
    "database default": made(operations.AddField("service", "extra", number(db_default=1))),
    "null": made(operations.AddField("notification", "extra", number(null=True))),
    "removed one release later": made(operations.RemoveField("service", "name"), unused_since="1.0.0"),
    "removed from the state": made(
        operations.SeparateDatabaseAndState(state_operations=[operations.RemoveField("service", "name")])
    ),
    "online index": made(concurrently.AddIndex("notification", INDEX)),
    "index of a small table": made(operations.AddIndex("service", INDEX)),
    "backfill in short transactions": made(operations.RunPython(operations.RunPython.noop), atomic=False),
    "unique index": made(concurrently.AddUniqueIndex("record", UNIQUE)),
    "few rows": made(operations.RunPython(operations.RunPython.noop), few_rows="one row for each service"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_rules_find_what_breaks_the_previous_release(name: str) -> None:
    assert errors(REFUSED[name]) != []


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_rules_accept_what_the_previous_release_survives(name: str) -> None:
    assert errors(ACCEPTED[name]) == []
