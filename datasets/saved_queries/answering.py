"""Answer a saved query, once for all readers until one of its data sets changes.

Source: docs/reference/saved-queries.md.
"""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError
from django.db.models import Q
from django.utils import timezone

from config.databases import replica
from datasets import errors
from datasets.models import DataSet, SavedQuery, StoredAnswer
from datasets.queries import engines, readers, time_limit
from datasets.records import moments
from datasets.saved_queries import small_numbers
from datasets.saved_queries.answer import QueryAnswer, combined, measured, rest_of
from datasets.saved_queries.question import AskedRange, Question

MAX_STORED = 50  # answers of one query, for the ranges and filters of readers
_COMPUTING = timedelta(seconds=20)
_WAIT_SECONDS = 10
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a reader of a dashboard chose for all tiles: another range, and a condition."""

    range: AskedRange | None = None
    where: str = ""

    def applied(self, question: Question) -> Question:
        if self.range is not None and question.range.kind != "all":
            question = replace(question, range=self.range)
        if self.where:
            where = f"({question.where}) and ({self.where})" if question.where.strip() else self.where
            question = replace(question, where=where)
        return question

    @property
    def hash(self) -> str:
        return _hash([None if self.range is None else str(self.range), self.where])


AS_SAVED = View()


def question_of(saved_query: SavedQuery) -> Question:
    """Return the stored question. Raises SavedQueryInvalid."""
    return Question.stored(saved_query.question)


def data_sets_of(saved_query: SavedQuery) -> list[DataSet]:
    """Return the data set of each measure. Raises NoSuchDataSet, SavedQueryInvalid."""
    question = question_of(saved_query)
    known = {"": saved_query.data_set, str(saved_query.data_set): saved_query.data_set}
    if question.paths - known.keys():
        known |= {str(one): one for one in saved_query.other_sets.select_related("group", "type")}
    if question.paths - known.keys():
        raise errors.NoSuchDataSet
    return [known[measure.data_set] for measure in question.measures]


def state_of(saved_query: SavedQuery, view: View = AS_SAVED, *, now: datetime | None = None) -> str:
    """Return what changes whenever the answer may change, for entity tags. Raises as `compute` does."""
    now = now or timezone.now()
    sets = data_sets_of(saved_query)
    question = view.applied(question_of(saved_query))
    pairs = [question.pairs(measure, now=now) for measure in question.measures]
    late = [one.late_since is not None for one in sets]
    return _hash(
        [
            saved_query.pk,
            saved_query.revision,
            saved_query.services,
            [(one.pk, one.revision) for one in sets],
            pairs,
            late,
        ]
    )


def answer(saved_query: SavedQuery, view: View = AS_SAVED, *, now: datetime | None = None) -> QueryAnswer:
    """Return the answer. One process computes it; others that need the same wait for it. Raises as `compute` does."""
    now = now or timezone.now()
    state = state_of(saved_query, view, now=now)
    asked = view.hash
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        found = _stored(saved_query, asked, state)
        if found is not None:
            return found
        if _claim(saved_query, asked):
            # Another process may have computed it between the two statements.
            return _stored(saved_query, asked, state, release=True) or _computed(saved_query, view, state, now)
        if time.monotonic() > until:
            raise errors.Busy
        time.sleep(_POLL_SECONDS)


def published(saved_query: SavedQuery) -> QueryAnswer:
    """Return the answer as the address of the query shows it: a public one hides small numbers of people."""
    found = answer(saved_query)
    return small_numbers.hide(found, question_of(saved_query), published_limit(saved_query))


def published_limit(saved_query: SavedQuery) -> int | None:
    """Return the number below which the address of the query hides values, or None."""
    if not saved_query.is_public:
        return None
    return small_numbers.usual_limit(question_of(saved_query), data_sets_of(saved_query))


def compute(
    saved_query: SavedQuery, view: View = AS_SAVED, *, now: datetime, sets: list[DataSet] | None = None
) -> QueryAnswer:
    """Return the answer as the data sets are now, without storing it.

    sets: the data set of each measure, for a query that is not saved yet
    Raises InvalidQuery, Busy, NoSuchDataSet, SavedQueryInvalid, NoServiceToRead.
    """
    question = view.applied(question_of(saved_query))
    sets = data_sets_of(saved_query) if sets is None else sets
    found = []
    with _reads(sets), time_limit.limited():
        for measure, data_set in zip(question.measures, sets, strict=True):
            reader = readers.of(saved_query.services, is_of_product=data_set.is_of_product)
            query = question.query(measure, now=now, reader=reader)
            rows = engines.grouped(data_set, query, now=now, max_rows=settings.DATASETS_MAX_ROWS)
            found.append(measured(rows, query, measure))
    written = [one.last_write_at for one in sets if one.last_write_at is not None]
    shown, left_out = combined(question, found[0], found[1] if len(found) > 1 else None)
    span = dict(question.pairs(question.measure, now=now))
    return QueryAnswer(
        rows=shown,
        rest=rest_of(left_out),
        start_at=span.get("start_at", ""),
        end_at=span.get("end_at", ""),
        updated_at=moments.write(max(written)) if written else "",
        is_late=any(one.late_since is not None for one in sets),
    )


@contextmanager
def _reads(sets: list[DataSet]) -> Iterator[None]:
    """Let the block read from the replica, or from the primary if the replica does not have the last writes.

    The answer is kept until the next write, so it must have all writes that its state names.
    """
    with replica.reads():
        is_primary = replica.connection().alias == DEFAULT_DB_ALIAS
        rows = DataSet.objects.filter(pk__in=[one.pk for one in sets]).order_by()
        found = {} if is_primary else dict(rows.values_list("pk", "revision"))
        if is_primary or all(found.get(one.pk, -1) >= one.revision for one in sets):
            yield
            return
    yield


def _stored(saved_query: SavedQuery, asked: str, state: str, *, release: bool = False) -> QueryAnswer | None:
    """Return the stored answer if it is of this state. release: end the claim if it is"""
    rows = StoredAnswer.objects.filter(saved_query=saved_query, asked=asked, state=state)
    found = rows.values_list("answer", flat=True).first()
    if found is None:
        return None
    if release:
        rows.update(computing_until=None)
    return QueryAnswer.of(found)


def _computed(saved_query: SavedQuery, view: View, state: str, now: datetime) -> QueryAnswer:
    rows = StoredAnswer.objects.filter(saved_query=saved_query, asked=view.hash)
    try:
        found = compute(saved_query, view, now=now)
    except BaseException:
        rows.update(computing_until=None)
        raise
    rows.update(state=state, answer=found.document(), computed_at=timezone.now(), computing_until=None)
    return found


def _claim(saved_query: SavedQuery, asked: str) -> bool:
    """Return whether this process computes the answer. Raises SavedQueryInvalid if the query was just deleted."""
    now = timezone.now()
    rows = StoredAnswer.objects.filter(saved_query=saved_query, asked=asked)
    if not rows.exists():
        others = StoredAnswer.objects.filter(saved_query=saved_query).order_by("-computed_at", "-pk")
        StoredAnswer.objects.filter(pk__in=list(others.values_list("pk", flat=True)[MAX_STORED - 1 :])).delete()
        row = StoredAnswer(saved_query=saved_query, asked=asked)
        try:
            StoredAnswer.objects.bulk_create([row], ignore_conflicts=True)
        except IntegrityError as error:  # the query was deleted after this request had read it
            raise errors.SavedQueryInvalid(reason="It was deleted.") from error
    free = Q(computing_until__isnull=True) | Q(computing_until__lt=now)
    return bool(rows.filter(free).update(computing_until=now + _COMPUTING))


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:32]
