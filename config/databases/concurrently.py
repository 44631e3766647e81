"""Operations of migrations that do not stop writers: on PostgreSQL they build an index of a large table concurrently.

The migration needs `atomic = False`. SQLite has no such mode and ends such a migration within its lock.
Source: docs/operations.md, Upgrade.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class AddIndex(AddIndexConcurrently):
    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndexConcurrently if _is_postgresql(schema_editor) else migrations.AddIndex
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndexConcurrently if _is_postgresql(schema_editor) else migrations.AddIndex
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)


class RemoveIndex(RemoveIndexConcurrently):
    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = RemoveIndexConcurrently if _is_postgresql(schema_editor) else migrations.RemoveIndex
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = RemoveIndexConcurrently if _is_postgresql(schema_editor) else migrations.RemoveIndex
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)


class AddUniqueIndex(migrations.AddConstraint):
    """Add a unique constraint with a condition, which is a unique index."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if not _is_postgresql(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif self.allow_migrate_model(schema_editor.connection.alias, model):
            statement = str(self.constraint.create_sql(model, schema_editor))
            schema_editor.execute(statement.replace("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1))


def _is_postgresql(schema_editor: Any) -> bool:  # Any: of either kind
    return str(schema_editor.connection.vendor) == "postgresql"
