"""Delete the records that match a condition: DELETE /data/{group}/{type}/records?where=….

Source: docs/reference/data-sets.md §20.
"""

from functools import partial
from typing import ClassVar
from urllib.parse import parse_qsl, urlencode

from rest_framework.request import Request
from rest_framework.response import Response

from datasets import errors
from datasets.api import callers, dry_runs
from datasets.api.authentication import token_of
from datasets.api.headers import NOT_STORED
from datasets.api.reasons import reason_of
from datasets.api.serializers import RecordsDeletedSerializer
from datasets.api.views import DataSetViewSet
from datasets.errors import MAX_DELETED
from datasets.queries import filters, parameters, time_limit
from datasets.queries.query import Query
from datasets.queries.readers import ALL
from datasets.store import matching

_BOUNDS = parameters.Bounds(default_limit=1, max_limit=1)  # a condition has no limit
_ALLOWED = ("where", "dry_run")


class MatchingRecordsViewSet(DataSetViewSet):
    """The records of a data set that match a condition."""

    methods: ClassVar[list[str]] = ["DELETE", "OPTIONS"]

    def destroy(self, request: Request, group: str, type: str) -> Response:
        """DELETE: delete the records that match, or state how many there are."""
        token = token_of(request)
        is_dry_run = dry_runs.is_asked(request)
        query = _query(request, token.data_set_id)
        matches = partial(filters.passing, query=query)
        with callers.logging_write_errors(token):
            reason = reason_of(request)
            with time_limit.limited():
                ids = matching.ids_of(token.data_set, matches, MAX_DELETED + 1)
            if len(ids) > MAX_DELETED:
                raise errors.TooManyToDelete
            if is_dry_run:
                return dry_runs.delete(len(ids))
            removed = 0
            try:
                for number in matching.delete(token.data_set_id, matches, ids):
                    removed += number
            finally:  # the database may fail after some batches
                if removed:
                    matching.note_deletion(token.data_set, removed, by=callers.actor(request, token), reason=reason)
        shown = RecordsDeletedSerializer({"status": "ok", "removed": removed}).data
        return Response(shown, headers=NOT_STORED)


def _query(request: Request, data_set_id: int) -> Query:
    """Return the query with the condition. Other parameters are refused: ignoring one would delete more.

    Raises InvalidQuery, WhereMissing.
    """
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True, errors="replace")
    for name, _ in pairs:
        if name not in _ALLOWED:
            raise errors.UnknownParameter(name=name[:50])
    where = [(name, value) for name, value in pairs if name == "where"]
    if not where:
        raise errors.WhereMissing
    return parameters.parse(urlencode(where), data_set_id=data_set_id, bounds=_BOUNDS, reader=ALL)
