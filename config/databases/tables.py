"""A migration that creates many tables in a second."""

from copy import copy
from itertools import takewhile
from typing import Any

from django.db.migrations import CreateModel, Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class TablesMigration(Migration):
    """A migration whose first operations create models. It renders their classes only once.

    Between two operations, Django renders all models again that refer to the new one, which is most of the time that a
    first migration takes. `operations` stay ordinary ones, in which `migrate --fake-initial` looks for tables.
    """

    def apply(self, project_state: ProjectState, schema_editor: Any, collect_sql: bool = False) -> ProjectState:
        models = [*takewhile(lambda one: isinstance(one, CreateModel), self.operations)]
        joined = copy(self)
        joined.operations = [_CreateModels(models), *self.operations[len(models) :]]  # type: ignore[misc]  # as Django
        return super(TablesMigration, joined).apply(project_state, schema_editor, collect_sql)


class _CreateModels(Operation):
    def __init__(self, models: list[Operation]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        if "apps" in vars(state):
            del state.apps  # Django renders the models when they are asked for
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.models)} models"
