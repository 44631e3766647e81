"""The limits of saved queries. Source: docs/reference/saved-queries.md."""

from config.invalid import InvalidValue
from datasets.models import DataSet

MAX_SAVED = 100  # queries of one data set


def check_number_of_queries(data_set: DataSet, *, wanted: int = 1) -> None:
    """Raise InvalidValue if the data set cannot have so many more saved queries."""
    if data_set.saved_queries.count() + wanted > MAX_SAVED:
        raise InvalidValue(f"{data_set} has {MAX_SAVED} saved queries. Delete one that nobody needs first.")
