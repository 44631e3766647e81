"""One endpoint for each data set: POST appends, PUT empties, GET reads. Source: docs/reference/data-sets.md §2."""

from functools import cached_property
from typing import Any, ClassVar

import structlog
from django.http import HttpResponse, HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from config import formats
from config.metrics import registry
from config.rest import handler
from config.rest.content import AlwaysJSON, QuickJSONRenderer
from datasets import errors, store
from datasets.api import bodies, callers, dry_runs, keeping, reading
from datasets.api.authentication import READING, AccessTokenAuthentication, token_of
from datasets.api.errors import ERRORS
from datasets.api.headers import NOT_STORED, REPLAYED
from datasets.api.permissions import HasToken
from datasets.api.serializers import EmptiedSerializer, StoredSerializer, UndoneSerializer
from datasets.models import AccessToken, DataSet
from datasets.queries.readers import ALL
from datasets.records import Fits

_STORED = StoredSerializer({"status": "ok"}).data  # the answer to every POST
_NO_SCHEMA = DataSet.SchemaMode.OFF
_READ = (
    *("group__name", "type__name", "public", "realtime", "record_count", "revision", "fields_revision"),
    *("current_store", "columns_until", "schema_mode"),
)
METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS"]


class DataSetArea(APIView):
    """The base of all views of this area: JSON answers and the area's error bodies."""

    errors = ERRORS
    content_negotiation_class = AlwaysJSON
    renderer_classes = [QuickJSONRenderer]

    def get_exception_handler(self) -> Any:
        return handler.handle


class DataSetViewSet(DataSetArea, ViewSet):
    """The methods of one data set. Authentication and permissions are checked first.

    reads_in_part: whether GET is limited to the records that the token reads. Others refuse a token that reads a part
    """

    authentication_classes = [AccessTokenAuthentication]
    permission_classes = [HasToken]
    methods: ClassVar[list[str]] = METHODS
    reads_in_part = False

    @property
    def allowed_methods(self) -> list[str]:
        return self.methods

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse other methods first, so that the answer does not show whether the data set exists."""
        if request.method not in self.methods:
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)

    @cached_property
    def addressed(self) -> DataSet | None:
        """Return the data set of the path, with the columns that reads use. Each further one costs 40 calls."""
        found = DataSet.objects.at(self.kwargs["group"], self.kwargs["type"])
        return found.only(*_READ).order_by("pk").first()

    @property
    def is_public(self) -> bool:
        return self.addressed is not None and self.addressed.public

    def append(self, request: Request, group: str, type: str) -> Response:
        """POST: store all records of the body, or none."""
        token = token_of(request)
        if request.META.get("QUERY_STRING"):
            keeps = keeping.is_asked(request)
            if dry_runs.is_asked(request):
                return dry_runs.append(request, token, keeps=keeps)
            if keeps:
                return keeping.append(request, token)
        fits = None if token.data_set.schema_mode == _NO_SCHEMA else store.schemas.fit_of(token.data_set)
        with callers.logging_write_errors(token, fits):
            sent = bodies.read(request, with_key=True)
            if sent.key and store.is_replay(token.data_set_id, sent.key):
                return _replayed()
            with sent.one_at_a_time():
                stored = _store(token, sent, fits)
        if not stored:
            return _replayed()
        structlog.contextvars.bind_contextvars(records=stored)
        registry.RECORDS.add("written", number=stored)
        if fits is None:
            return Response(_STORED, headers=NOT_STORED)
        return Response(_STORED, headers={**NOT_STORED, **callers.schema_warnings(token, fits)})

    def empty(self, request: Request, group: str, type: str) -> Response:
        """PUT `[]`: delete all records."""
        token = token_of(request)
        if dry_runs.is_asked(request):
            return dry_runs.empty(request, token)
        with callers.logging_write_errors(token):
            sent = bodies.read(request, with_key=False)
            sent.check_empty_array()
            store.empty(token.data_set, by=callers.actor(request, token))
        message = f"{token.data_set.name} now contains 0 records"
        return Response(EmptiedSerializer({"message": message, "status": "ok"}).data, headers=NOT_STORED)

    def undo(self, request: Request, group: str, type: str) -> Response:
        """POST: bring back the records of the last emptying."""
        token = token_of(request)
        with callers.logging_write_errors(token):
            restored = store.undo(token.data_set, by=callers.actor(request, token))
        message = f"{token.data_set.name} contains {formats.counted(restored, 'record')} again"
        return Response(
            UndoneSerializer({"restored": restored, "message": message, "status": "ok"}).data, headers=NOT_STORED
        )

    def read(self, request: Request, group: str, type: str) -> HttpResponseBase:
        """GET and HEAD: query the records."""
        data_set = self.addressed
        if data_set is None:
            raise errors.NoSuchDataSet
        token: Any = request.auth
        # The usual token takes the short way.
        reader = ALL if token is None or token.services is None else callers.reader_of(request)
        return reading.answer(request, data_set, reader)

    def describe(self, request: Request, group: str, type: str) -> HttpResponse:
        """OPTIONS: return the methods and, for a public data set, the headers of a CORS preflight."""
        answer = HttpResponse(headers={**NOT_STORED, "Content-Length": "0"})
        del answer["Content-Type"]
        if self.is_public:
            for name, value in reading.PREFLIGHT.items():
                answer[name] = value
        return answer

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Allow other sites to read answers of a public data set, including errors."""
        known: DataSet | None = self.__dict__.get("addressed")  # cached, unless the database is away
        if request.method in READING and known is not None and known.public:
            response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)


class NothingHereView(DataSetArea):
    """Return 404 for any other path below `/data/`."""

    default_response_headers: dict[str, str] = {}  # no `Allow`: no method works here

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise errors.NothingHere


def _store(token: AccessToken, sent: bodies.SentBody, fits: Fits | None) -> int:
    """Store the records of a body and return their number, which is 0 if its idempotency key has stored them."""
    checked = sent.records(token.data_set, fits)
    return store.append(
        token.data_set_id,
        checked,
        token_id=token.pk,
        request_id=callers.request_id(),
        key=sent.key,
        has_segments=token.data_set.columns_until is not None,
    )


def _replayed() -> Response:
    return Response(_STORED, headers={**NOT_STORED, **REPLAYED})
