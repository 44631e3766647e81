"""One record: GET reads it, PUT replaces it, DELETE deletes it. Source: docs/reference/data-sets.md §20."""

from collections.abc import Callable
from typing import ClassVar

from django.http import HttpResponse
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from datasets import errors, store
from datasets.api import bodies, caching, callers, dry_runs
from datasets.api.authentication import token_of
from datasets.api.headers import NOT_STORED
from datasets.api.reasons import reason_of
from datasets.api.serializers import StoredSerializer
from datasets.api.views import DataSetViewSet
from datasets.models import AccessToken
from datasets.queries import selected, written
from datasets.queries.selected import Row
from datasets.records import rejections
from datasets.store import one_record

_STORED = StoredSerializer({"status": "ok"}).data


class RecordViewSet(DataSetViewSet):
    """The methods of one record. Authentication and permissions are those of its data set."""

    methods: ClassVar[list[str]] = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]

    def retrieve(self, request: Request, group: str, type: str, record_id: str) -> HttpResponse:
        """GET and HEAD: return the record as one JSON object."""
        data_set = self.addressed
        if data_set is None:
            raise errors.NoSuchDataSet
        # of the primary: its tag is for a change
        record = selected.one(data_set, _checked(record_id), callers.reader_of(request))
        tag = one_record.tag_of(record)
        headers = {
            "ETag": tag,
            "Cache-Control": caching.cache_control(data_set, is_public=data_set.public),
            "Vary": "Accept-Encoding",
        }
        if caching.is_current(request, tag):
            unchanged = HttpResponse(status=304, headers=headers)
            del unchanged.headers["Content-Type"]
            return unchanged
        return HttpResponse(written.record(Row.of(record)), content_type="application/json", headers=headers)

    def change(self, request: Request, group: str, type: str, record_id: str) -> Response:
        """PUT: replace the whole record."""
        token = token_of(request)
        fits = store.schemas.fit_of(token.data_set)
        if dry_runs.is_asked(request):
            sent = bodies.read(request, with_key=False)
            edit = _edit(request, token)
            new = sent.record(token.data_set, record_id, fits)
            one_record.check_change(token.data_set, _checked(record_id), new, edit)
            return dry_runs.change()
        with callers.logging_write_errors(token, fits):
            sent = bodies.read(request, with_key=False)
            edit = _edit(request, token)
            with sent.one_at_a_time():
                new = sent.record(token.data_set, record_id, fits)
                record = one_record.change(token.data_set, _checked(record_id), new, edit)
        headers = {**NOT_STORED, "ETag": one_record.tag_of(record), **callers.schema_warnings(token, fits)}
        return Response(_STORED, headers=headers)

    def destroy(self, request: Request, group: str, type: str, record_id: str) -> Response:
        """DELETE: delete the record."""
        token = token_of(request)
        if dry_runs.is_asked(request):
            one_record.check_change(token.data_set, _checked(record_id), None, _edit(request, token))
            return dry_runs.delete(1)
        with callers.logging_write_errors(token):
            edit = _edit(request, token)
            one_record.delete(token.data_set, _checked(record_id), edit)
        return Response(_STORED, headers=NOT_STORED)

    def describe(self, request: Request, group: str, type: str, record_id: str = "") -> HttpResponse:
        return super().describe(request, group, type)


def _checked(record_id: str) -> str:
    """Return the `_id` of the path. Raises NoSuchRecord for a text that no record can have as its `_id`."""
    if rejections.is_bad_id(record_id):
        raise errors.NoSuchRecord
    return record_id


def _edit(request: Request, token: AccessToken) -> one_record.RecordEdit:
    return one_record.RecordEdit(
        by=callers.actor(request, token),
        reason=reason_of(request),
        token_id=token.pk,
        request_id=callers.request_id(),
        may_change=_condition(request.META.get("HTTP_IF_MATCH")),
    )


def _condition(sent: str | None) -> Callable[[str], bool]:
    """Return the test of `If-Match`. It compares strongly, as RFC 9110 §13.1.1 requires."""
    if sent is None:
        return lambda tag: True
    known = parse_etags(sent)
    return lambda tag: "*" in known or tag in known
