"""Operations of migrations that do not stop writers: on PostgreSQL they build an index of a large table concurrently.

The migration needs `atomic = False`, and may run again after it was interrupted. SQLite has no such mode and ends such
a migration within its lock.
Source: docs/operations.md, Upgrade.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class AddIndex(AddIndexConcurrently):
    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if not _is_postgresql(schema_editor):
            migrations.AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        with _without_time_limit(schema_editor):
            _drop_remains(schema_editor, self.index.name)
            super().database_forwards(app_label, schema_editor, from_state, to_state)

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
            with _without_time_limit(schema_editor):
                _drop_remains(schema_editor, self.constraint.name)
                schema_editor.execute(statement.replace("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1))


@contextmanager
def _without_time_limit(schema_editor: Any) -> Iterator[None]:  # Any: the schema editor of either database
    """Lift the time limit of a statement in the block, because building an index reads the whole table."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        (limit,) = cursor.fetchone()
        cursor.execute("SELECT set_config('statement_timeout', '0', false)")
    usual, schema_editor.connection.connection.answer_seconds = schema_editor.connection.connection.answer_seconds, None
    try:
        yield
    finally:
        schema_editor.connection.connection.answer_seconds = usual
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [limit])


def _drop_remains(schema_editor: Any, name: str) -> None:  # Any: the schema editor of either database
    """Drop the invalid index that an interrupted build leaves, so that `migrate` may run again."""
    schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(name)}")


def _is_postgresql(schema_editor: Any) -> bool:  # Any: the schema editor of either database
    return str(schema_editor.connection.vendor) == "postgresql"
