"""Store the rows of saved queries as records of other data sets. Source: docs/reference/saved-queries.md §4."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from datasets import errors, records, store
from datasets.errors import DataSetError
from datasets.models import SavedQuery, StoredEvery
from datasets.records import auto_ids, moments
from datasets.saved_queries import answering, small_numbers
from datasets.saved_queries.answer import QueryAnswer

_EVERY = {
    StoredEvery.HOUR: timedelta(hours=1),
    StoredEvery.DAY: timedelta(days=1),
    StoredEvery.WEEK: timedelta(weeks=1),
}

log = structlog.get_logger()


def store_due() -> None:
    """Store the rows of all queries that are due. One that fails does not stop the others."""
    now = timezone.now()
    for saved_query in due(now):
        rows = SavedQuery.objects.filter(pk=saved_query.pk, stored_at=saved_query.stored_at)
        if not rows.update(stored_at=now):  # another process has begun
            continue
        try:
            number = store_rows(saved_query, now=now)
        except (DataSetError, DatabaseError) as error:
            log.warning("saved_query.not_stored", saved_query=saved_query.public_id, error=str(error))
        else:
            log.info("saved_query.stored", saved_query=saved_query.public_id, records=number)


def due(now: datetime) -> QuerySet[SavedQuery]:
    """Return the queries that were not stored in their last hour, day or week."""
    is_due = Q(pk__in=[])
    for every, span in _EVERY.items():
        is_due |= Q(stored_every=every) & (Q(stored_at__isnull=True) | Q(stored_at__lte=now - span))
    found = SavedQuery.objects.filter(is_due, stored_in__isnull=False)
    return found.select_related("data_set__group", "data_set__type", "stored_in")


def store_rows(saved_query: SavedQuery, *, now: datetime) -> int:
    """Store the rows and return their number. Equal periods and groups have equal ids, so that a repeat overwrites.

    Raises RecordsRejected, and as `answering.compute` does.
    """
    target = saved_query.stored_in
    if target is None:
        raise errors.NoSuchDataSet
    if target.is_of_product:
        raise errors.FilledBySignalbox
    question, sets = answering.question_of(saved_query), answering.data_sets_of(saved_query)
    # Records of a personal data set must not leave it as small numbers that anybody may publish.
    below = None if target.personal else small_numbers.usual_limit(question, sets)
    answer = small_numbers.hide(answering.compute(saved_query, now=now), question, below)
    found = list(_records(saved_query, answer, now))
    if not found:
        return 0
    checked = records.check(found, auto_ids=())
    with transaction.atomic():
        return store.append(target.pk, checked, has_segments=target.columns_until is not None)


def _records(saved_query: SavedQuery, answer: QueryAnswer, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield a record for each row with a value, also if it is hidden: null then overwrites an earlier value.

    Rows without periods are at the end of the range, or at this hour.
    """
    question = answering.question_of(saved_query)
    hour = moments.write(moments.period_starts(now)["hour"])
    for row in answer.rows:
        if row.value is None and not row.hidden:
            continue
        place = {"query": saved_query.public_id, "at": row.start_at or answer.end_at or hour, "group": row.split}
        found: dict[str, Any] = {"_id": auto_ids.make(place, list(place)), "_timestamp": place["at"]}
        if row.start_at:
            found |= {"_start_at": row.start_at, "_end_at": row.end_at}
        if question.split:
            found[question.group_key("query", "value").lstrip("_")] = row.split
        yield {**found, "query": saved_query.name, "value": row.value}
