"""Apply the saved queries of a data set of a `manage.py provision` document."""

from typing import Any

from rest_framework import serializers

from config import audit
from config.audit import changes
from config.invalid import InvalidValue
from config.management.declarations import Declaration, DeclaredRow, Value, one_of, parse_filled
from datasets.alarms import measures
from datasets.dashboards import limits
from datasets.models import ChartKind, DataSet, SavedQuery
from datasets.models.saved_query import DECIMALS
from datasets.saved_queries import binding
from datasets.saved_queries.limits import check_number_of_queries
from datasets.saved_queries.question import Question


class QuestionValue(serializers.Field[Any, Any, Any, Any]):
    """The question of a saved query, as a JSON object."""

    default_error_messages = {"required": "is required", "null": "must be an object"}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        try:
            return Question.of(data).document()
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error


def _check_decimals(number: int) -> None:
    if number not in DECIMALS:
        raise InvalidValue(f"must be {DECIMALS[0]} to {DECIMALS[-1]}")


class SavedQueryDeclaration(Declaration):
    """A saved query. Its name finds it among those of the data set."""

    name = Value(str, parse_filled, required=True)
    description = Value(str)
    question = QuestionValue(required=False)
    chart = Value(str, one_of(ChartKind.values))
    unit = Value(str)
    decimals = Value(int, _check_decimals, allow_null=True)
    public = Value(bool)


def apply(data_set: DataSet, declared: list[DeclaredRow]) -> None:
    """Create or change the declared queries, and complete their entries with the id of their URLs."""
    names = [entry.values["name"] for entry in declared]
    for entry in declared:
        if names.count(entry.values["name"]) > 1:
            entry.refuse("name", "is declared twice")
            return
        known = SavedQuery.objects.filter(data_set=data_set, name=entry.values["name"]).first()
        if known is None:
            entry.require("question")
            entry.check("name", check_number_of_queries, data_set)
        entry.check_lengths(SavedQuery)
        if entry.errors.lines:
            continue
        saved_query = _apply_one(data_set, known, dict(entry.values))
        entry.completed |= {"id": saved_query.public_id}


def bind(data_set: DataSet, declared: list[DeclaredRow]) -> None:
    """Bind the declared queries to their other data sets, once all of the document exist."""
    for entry in declared:
        saved_query = SavedQuery.objects.get(data_set=data_set, name=entry.values["name"])
        paths = Question.of(saved_query.question).paths
        entry.check("question", binding.check_paths, paths, DataSet.objects.all())
        entry.check("question", measures.check_alarms_of, saved_query)
        entry.check("question", limits.check_tiles_of, saved_query)
        binding.bind(saved_query, DataSet.objects.all())


def _apply_one(data_set: DataSet, saved_query: SavedQuery | None, values: dict[str, Any]) -> SavedQuery:
    wanted = {("is_public" if name == "public" else name): value for name, value in values.items()}
    if saved_query is None:
        saved_query = SavedQuery.objects.create(data_set=data_set, services=None, **wanted)
        audit.record(audit.operator(), "created", saved_query, after=changes.snapshot(saved_query))
        return saved_query
    stored = changes.snapshot(saved_query)
    saved_query.services = saved_query.services or None  # a query of people about other data sets has none
    for name, value in wanted.items():
        setattr(saved_query, name, value)
    before, after = changes.difference(stored, changes.snapshot(saved_query))
    if after:
        saved_query.revision += 1
        saved_query.save()
        audit.record(audit.operator(), "changed", saved_query, before=before, after=after)
    return saved_query
