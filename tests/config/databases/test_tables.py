"""Many models in one operation of a migration."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.state import ProjectState

from config.databases.tables import CreateModels

BOOK = migrations.CreateModel(
    "Book", [("id", models.AutoField(primary_key=True)), ("author", models.ForeignKey("shelf.Author", models.CASCADE))]
)
AUTHOR = migrations.CreateModel("Author", [("id", models.AutoField(primary_key=True))])
TABLES = {"shelf_author", "shelf_book"}


def tables() -> set[str]:
    return TABLES & set(connection.introspection.table_names())


@pytest.mark.django_db(transaction=True)
def test_models_that_refer_to_each_other_are_created_and_removed_again() -> None:
    operation, before, after = CreateModels([BOOK, AUTHOR]), ProjectState(), ProjectState()
    operation.state_forwards("shelf", after)

    with connection.schema_editor() as editor:
        operation.database_forwards("shelf", editor, before, after)
    created = tables()
    with connection.schema_editor() as editor:
        operation.database_backwards("shelf", editor, after, before)

    assert (created, tables()) == (TABLES, set())


def test_rendered_models_include_those_that_were_created_later() -> None:
    state = ProjectState()
    assert list(state.apps.get_models()) == []

    CreateModels([BOOK, AUTHOR]).state_forwards("shelf", state)

    assert {model.__name__ for model in state.apps.get_models()} == {"Author", "Book"}
