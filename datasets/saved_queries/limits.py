"""The limits of saved queries, and where they may store their rows. Source: docs/reference/saved-queries.md."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from config.invalid import InvalidValue
from datasets.models import DataSet, SavedQuery

MAX_SAVED = 100  # queries of one data set


def check_number_of_queries(data_set: DataSet, *, wanted: int = 1, among: QuerySet[SavedQuery] | None = None) -> None:
    """Raise InvalidValue if the data set cannot have so many more saved queries.

    among: those that count, for people who read a part of it; None: those that read all of its records
    """
    found = data_set.saved_queries.all() if among is None else among.filter(data_set=data_set)
    if among is None and data_set.is_of_product:
        found = found.filter(services__isnull=True)
    if found.count() + wanted > MAX_SAVED:
        raise InvalidValue(f"{data_set} has {MAX_SAVED} saved queries. Delete one that nobody needs first.")


def check_target(saved_query: SavedQuery, sources: Collection[int], target: DataSet) -> None:
    """Raise InvalidValue if the rows would come back: through other queries, the target fills a data set they measure.

    Each run would then count its own results. sources: the ids of the data sets that the query measures
    """
    stored = SavedQuery.objects.filter(stored_in__isnull=False).exclude(pk=saved_query.pk)
    reached: set[int] = set()
    found = {target.pk}
    while found - reached:
        reached |= found
        found = set(
            stored.filter(Q(data_set__in=reached) | Q(other_sets__in=reached)).values_list("stored_in", flat=True)
        )
    if reached & set(sources):
        raise InvalidValue(f"Choose another data set. {target} fills a data set that this query measures.")
