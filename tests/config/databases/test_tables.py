"""A migration that creates many models at once."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

from config.databases.tables import TablesMigration


class Shelf(TablesMigration):
    operations = [
        migrations.CreateModel("Author", [("id", models.AutoField(primary_key=True))]),
        migrations.CreateModel(
            "Book",
            [
                ("id", models.AutoField(primary_key=True)),
                ("author", models.ForeignKey("shelf.Author", models.CASCADE)),
            ],
        ),
        migrations.AddField("Author", "name", models.TextField()),
    ]


SHELF = Shelf("0001", "shelf")
TABLES = {"shelf_author", "shelf_book"}


def tables() -> set[str]:
    return TABLES & set(connection.introspection.table_names())


@pytest.mark.django_db(transaction=True)
def test_models_that_refer_to_each_other_are_created_and_removed_again() -> None:
    state = ProjectState()
    assert list(state.apps.get_models()) == []  # rendered before

    with connection.schema_editor() as editor:
        after = SHELF.apply(state, editor)
    created = tables()
    with connection.schema_editor() as editor:
        SHELF.unapply(ProjectState(), editor)

    assert (created, tables()) == (TABLES, set())
    assert {model.__name__ for model in after.apps.get_models()} == {"Author", "Book"}
    assert after.apps.get_model("shelf", "Author")._meta.get_field("name")


@pytest.mark.django_db
@pytest.mark.parametrize("app", ["datasets", "notifications", "operations"])
def test_fake_initial_finds_the_tables(app: str) -> None:
    executor = MigrationExecutor(connection)
    migration = executor.loader.get_migration(app, "0001_version_1_1")

    assert isinstance(migration, TablesMigration)
    assert executor.detect_soft_applied(None, migration)[0]
