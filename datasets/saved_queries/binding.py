"""Bind a saved query to the other data sets that its measures name by their paths.

A path alone is not enough: somebody else may make a data set at the path of a deleted one.
Source: docs/reference/saved-queries.md §1.
"""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from config.invalid import InvalidValue
from datasets.models import DataSet, SavedQuery
from datasets.saved_queries.question import Question


def at_paths(paths: Collection[str], allowed: QuerySet[DataSet]) -> dict[str, DataSet]:
    """Return those of the allowed data sets that are at these paths."""
    wanted = Q(pk__in=[])
    for path in paths:
        group, _, type = path.partition("/")
        wanted |= Q(group__name=group, type__name=type)
    return {str(one): one for one in allowed.select_related("group", "type").filter(wanted)} if paths else {}


def check_paths(paths: Collection[str], allowed: QuerySet[DataSet]) -> None:
    """Raise InvalidValue if a path is not that of an allowed data set."""
    missing = sorted(set(paths) - at_paths(paths, allowed).keys())
    if missing:
        raise InvalidValue(f"{missing[0]} does not exist, or you do not own it. Choose one of your own data sets.")


def sets_of(saved_query: SavedQuery, allowed: QuerySet[DataSet]) -> list[DataSet]:
    """Return the data set of each measure of a query that is not saved yet."""
    question = Question.of(saved_query.question)
    known = at_paths(question.paths, allowed) | {"": saved_query.data_set}
    return [known[measure.data_set] for measure in question.measures]


def bind(saved_query: SavedQuery, allowed: QuerySet[DataSet]) -> None:
    """Store which data sets the measures name, of those that the person who saves the query may use."""
    others = at_paths(Question.of(saved_query.question).paths - {str(saved_query.data_set)}, allowed)
    saved_query.other_sets.set(others.values())
