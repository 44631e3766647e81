"""Indexes are built beside writers. Source: docs/operations.md, Upgrade."""

import pytest
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader

from config.databases import concurrently


@pytest.mark.django_db(transaction=True)
def test_an_index_is_added_beside_writers_also_after_an_interrupted_build() -> None:
    index = models.Index(fields=["value"], name="metric_value_online")
    operation = concurrently.AddIndex("metricvalue", index)
    before = MigrationLoader(connection).project_state()
    after = before.clone()
    operation.state_forwards("config", after)

    def names() -> set[str]:
        with connection.cursor() as cursor:
            return set(connection.introspection.get_constraints(cursor, "metric_value"))

    def add() -> None:
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("config", editor, before, after)

    add()
    if connection.vendor == "postgresql":
        add()
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('statement_timeout')")
            assert cursor.fetchone() == ("5s",)
    assert index.name in names()
    with connection.schema_editor(atomic=False) as editor:
        operation.database_backwards("config", editor, after, before)
    assert index.name not in names()
