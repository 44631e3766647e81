"""The calls of imports. Source: docs/reference/imports.md §1."""

from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from config.rest.api_errors import ApiError
from config.rest.content import StrictJSONParser
from config.web.ip_addresses import client_ip
from datasets import errors
from datasets.api import dry_runs, uploads
from datasets.api.authentication import AccessTokenAuthentication, token_of
from datasets.api.headers import NOT_STORED
from datasets.api.permissions import MayWrite
from datasets.api.views import DataSetArea
from datasets.imports import shown, starting
from datasets.imports.files import ImportFileDamaged
from datasets.imports.reading import settings as import_settings
from datasets.models import AccessToken, DataImport
from datasets.models.data_import import WORKING

PAGE = 20  # imports
_METHODS = {
    "imports": ["GET", "HEAD", "POST", "OPTIONS"],
    "import": ["GET", "HEAD", "PATCH", "DELETE", "OPTIONS"],
    "rejected": ["GET", "HEAD", "OPTIONS"],
}
_STATES = {"paused": starting.pause, "running": starting.resume}


class ImportChangeParser(StrictJSONParser):
    """The JSON parser of a change."""

    max_bytes = import_settings.MAX_BYTES + 1024


class ImportViewSet(DataSetArea, ViewSet):
    """The imports of one data set."""

    authentication_classes = [AccessTokenAuthentication]
    permission_classes = [MayWrite]
    is_public = False  # also those of a public data set need a token
    part = "imports"

    @property
    def allowed_methods(self) -> list[str]:
        return _METHODS[self.part]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse other methods first, so that the answer does not show whether the data set exists."""
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)

    def start(self, request: Request, group: str, type: str) -> Response:
        """POST: take a file."""
        token = token_of(request)
        is_dry_run = dry_runs.is_asked(request)
        saved = _parameter(request, "settings")
        with uploads.received(request) as found:
            base = starting.saved(token.data_set, saved) if saved is not None else {}
            given = starting.checked(token.data_set, _merged(base, found.given))
            run = starting.start(
                token.data_set,
                found.path,
                given,
                by=starting.actor_of_token(token, client_ip(request)),
                name=found.name,
                is_dry_run=is_dry_run,
                token=token,
            )
        location = f"{settings.DATA_BASE_URL}/data/{group}/{type}/imports/{run.pk}"
        return self._answer(run, status=202, Location=location)

    def page(self, request: Request, group: str, type: str) -> Response:
        """GET: the imports of the data set, newest first."""
        rows = _rows(token_of(request))
        cursor = _parameter(request, "cursor")
        if cursor is not None:
            last = _found(rows, cursor, errors.ImportCursorWrong)
            rows = rows.filter(Q(started_at__lt=last.started_at) | Q(started_at=last.started_at, pk__lt=last.pk))
        page = [*rows.order_by("-started_at", "-pk")[: PAGE + 1]]
        shown_page = [shown.as_json(run, f"{group}/{type}") for run in page[:PAGE]]
        next_cursor = str(page[PAGE - 1].pk) if len(page) > PAGE else None
        return Response({"data": shown_page, "next_cursor": next_cursor}, headers=NOT_STORED)

    def read(self, request: Request, group: str, type: str, id: str) -> Response:
        """GET: one import."""
        return self._answer(_import(request, id))

    def change(self, request: Request, group: str, type: str, id: str) -> Response:
        """PATCH: answer questions, pause or go on."""
        run = _import(request, id)
        value = _change_of(request)
        if "settings" in value:
            starting.change_settings(run, value["settings"])
        else:
            _STATES[str(value["state"])](run)
        return self._answer(run)

    def cancel(self, request: Request, group: str, type: str, id: str) -> Response:
        """DELETE: end the import. What is stored stays."""
        run = _import(request, id)
        starting.cancel(run)
        return self._answer(run)

    def rejected(self, request: Request, group: str, type: str, id: str) -> HttpResponseBase:
        """GET: the rejected rows."""
        form = _parameter(request, "format") or "csv"
        if form not in {"csv", "ndjson"}:
            raise errors.ImportFormatUnknown
        run = _import(request, id)
        content: Any = shown.rejected_ndjson(run) if form == "ndjson" else shown.rejected_csv(run)
        try:
            first = next(content, b"")
        except ImportFileDamaged as error:
            raise errors.NoSuchImport from error
        kind = "application/x-ndjson" if form == "ndjson" else "text/csv; charset=utf-8"
        disposition = f'attachment; filename="rejected-{run.pk}.{form}"'
        headers = {**NOT_STORED, "Content-Type": kind, "Content-Disposition": disposition}
        if request.method == "HEAD":
            return HttpResponse(headers=headers)
        return StreamingHttpResponse(_after(first, content), headers=headers)

    def describe(self, request: Request, group: str, type: str, id: str = "") -> HttpResponse:
        """OPTIONS: return the methods."""
        answer = HttpResponse(headers={**NOT_STORED, "Content-Length": "0"})
        del answer["Content-Type"]
        return answer

    def _answer(self, run: DataImport, *, status: int = 200, **headers: str) -> Response:
        path = f"{self.kwargs['group']}/{self.kwargs['type']}"
        if run.state in WORKING:
            headers["Retry-After"] = "1"
        return Response(shown.as_json(run, path), status=status, headers={**NOT_STORED, **headers})


def _rows(token: AccessToken) -> Any:  # Any: a QuerySet of imports
    return DataImport.objects.filter(data_set_id=token.data_set_id).select_related("data_set")


def _import(request: Request, id: str) -> DataImport:
    return _found(_rows(token_of(request)), id, errors.NoSuchImport)


def _found(rows: Any, id: str, missing: type[ApiError]) -> DataImport:
    try:
        found: DataImport | None = rows.filter(pk=UUID(id)).first()
    except ValueError as error:
        raise missing from error
    if found is None:
        raise missing
    return found


def _change_of(request: Request) -> dict[str, object]:
    """Return the body of a change. Raises WrongContentType, ImportChangeWrong, UnreadableBody, UnreadableJSON."""
    kind = str(request.META.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()
    if kind not in {"application/json", "application/merge-patch+json"}:
        raise errors.WrongContentType
    value = ImportChangeParser().read_json(request.META)
    if not isinstance(value, dict) or value.keys() not in ({"settings"}, {"state"}):
        raise errors.ImportChangeWrong
    if "state" in value and value["state"] not in _STATES:
        raise errors.ImportChangeWrong
    return value


def _merged(base: dict[str, Any], given: object) -> object:
    return import_settings.merged(base, given) if isinstance(given, dict) else given


def _parameter(request: Request, name: str) -> str | None:
    """Return the last value of a parameter, or None."""
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True, errors="replace")
    return next((value for key, value in reversed(pairs) if key == name), None)


def _after(first: Any, rest: Any) -> Any:  # Any: an iterator of texts or bytes
    if first:
        yield first
    yield from rest
