"""Make saved queries for tests."""

from datasets.models import DataSet, SavedQuery
from datasets.saved_queries import binding
from datasets.saved_queries.question import Question


def save(data_set, document=None, **fields) -> SavedQuery:
    """Save a query whose question is valid."""
    question = Question.of(document or {}).document()
    made = SavedQuery.objects.create(
        **{"data_set": data_set, "name": "Visits", "services": None, **fields}, question=question
    )
    binding.bind(made, DataSet.objects.all())
    return made
