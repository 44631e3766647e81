"""One endpoint for each data set: POST appends, PUT empties, GET reads. Source: Data Set contract §2."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import structlog
from django.http import HttpResponse, HttpResponseBase
from rest_framework import negotiation
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from config import envelopes, figures
from config.console import audit
from config.console.models import ActorKind
from config.rest import body, strict_json
from config.rest.renderers import QuickJSONRenderer
from datasets import records, store
from datasets.api import bodies, errors, problems, reading
from datasets.api.authentication import READING, AccessTokenAuthentication, token_of
from datasets.api.permissions import HasScope, IsTokenOfThisDataSet
from datasets.errors import (
    DataSetError,
    NoSuchDataSet,
    NotAnEmptyArray,
    NothingHere,
    RecordsRefused,
    TooManyRecords,
)
from datasets.models import AccessToken, DataSet

NOT_STORED = {"Cache-Control": "no-store"}
METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS"]


class AnyAccept(negotiation.BaseContentNegotiation):
    """Accept is ignored: there is no 406. Source: Data Set contract §2."""

    def select_parser(self, request: Request, parsers: Any) -> None:
        """None is asked: bodies are read in this area's own order."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class DataSetArea(APIView):
    """What all views of this area share: their own error bodies, whatever the rest of the service does."""

    content_negotiation_class = AnyAccept
    renderer_classes = [QuickJSONRenderer]

    def get_exception_handler(self) -> Any:
        return errors.answer

    def handle_exception(self, exc: Exception) -> Response:
        """Link to the entry in the documentation that explains the refusal."""
        response: Response = super().handle_exception(exc)
        row = problems.find(response.status_code, response.data["message"])
        response.headers["Link"] = envelopes.help_link(row.slug)
        return response


class DataSetViewSet(DataSetArea, ViewSet):
    """The methods of one address; who may call them is decided before, in the order of section 3."""

    authentication_classes = [AccessTokenAuthentication]
    permission_classes = [IsTokenOfThisDataSet, HasScope]

    @property
    def allowed_methods(self) -> list[str]:
        return METHODS

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse other methods before anything is looked at, so that the refusal says nothing about the address."""
        if request.method not in METHODS:
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)

    @cached_property
    def addressed(self) -> DataSet | None:
        return DataSet.objects.at(self.kwargs["group"], self.kwargs["type"]).first()

    @property
    def is_public(self) -> bool:
        return self.addressed is not None and self.addressed.public

    def append(self, request: Request, group: str, type: str) -> Response:
        """POST: store the records of the body, all or none."""
        token = token_of(request)
        with _counting_refusals(token):
            sent = bodies.read(request, with_key=True)
            if sent.key and store.is_replay(token.data_set_id, sent.key):
                return _replayed()
            look = records.look_at(sent.data)
            checked = records.check(
                sent.value(too_many=TooManyRecords()), auto_ids=token.data_set.auto_ids or (), look=look
            )
            stored = store.append(token.data_set_id, checked, token_id=token.pk, request_id=_request_id(), key=sent.key)
        if not stored:
            return _replayed()
        structlog.contextvars.bind_contextvars(records=stored)
        figures.RECORDS.add("written", number=stored)
        return Response({"status": "ok"}, headers=NOT_STORED)

    def empty(self, request: Request, group: str, type: str) -> Response:
        """PUT `[]`: remove all records."""
        token = token_of(request)
        with _counting_refusals(token):
            sent = bodies.read(request, with_key=False)
            records.check_empty_array(sent.value(too_many=NotAnEmptyArray()))
            store.empty(
                token.data_set,
                by=audit.Actor(
                    kind=ActorKind.TOKEN,
                    id=str(token.pk),
                    label=token.prefix,
                    network_address=audit.network_address(request),
                ),
            )
        message = f"{token.data_set.name} now contains 0 records"
        return Response({"message": message, "status": "ok"}, headers=NOT_STORED)

    def read(self, request: Request, group: str, type: str) -> HttpResponseBase:
        """GET and HEAD: query the records."""
        data_set = self.addressed
        if data_set is None:
            raise NoSuchDataSet
        return reading.answer(request, data_set)

    def describe(self, request: Request, group: str, type: str) -> HttpResponse:
        """OPTIONS: the methods and, for a public data set alone, what a browser asks before it reads."""
        answer = HttpResponse(headers={**NOT_STORED, "Content-Length": "0"})
        del answer["Content-Type"]
        if self.is_public:
            for name, value in reading.PREFLIGHT.items():
                answer[name] = value
        return answer

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Let browsers of other sites read answers about a public data set, errors too."""
        known: DataSet | None = self.__dict__.get("addressed")  # looked up already, unless the database is away
        if request.method in READING and known is not None and known.public:
            response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)


class NothingHereView(DataSetArea):
    """Any other path below `/data/`, with any method: 404 for everyone."""

    default_response_headers: dict[str, str] = {}  # without `Allow`: no method is of use here

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NothingHere


def _replayed() -> Response:
    return Response({"status": "ok"}, headers={**NOT_STORED, "Idempotent-Replay": "true"})


def _request_id() -> uuid.UUID | None:
    identifier = structlog.contextvars.get_contextvars().get("request_id")
    return uuid.UUID(identifier) if identifier else None


@contextmanager
def _counting_refusals(token: AccessToken) -> Iterator[None]:
    """Keep why a write was refused, after its own transaction has been rolled back."""
    try:
        yield
    except (DataSetError, body.BodyRefused, strict_json.JSONRefused) as error:
        status, reason = errors.status_and_message(error)
        fault = None
        if isinstance(error, RecordsRefused):
            figures.RECORDS.add("refused", number=error.count)
            fault = error.faults[0]
        store.note_refusal(token.data_set_id, status=status, reason=reason, fault=fault, request_id=_request_id())
        raise
