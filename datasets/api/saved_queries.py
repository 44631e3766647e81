"""Saved queries: GET `/queries` lists them, and `/queries/{id}.json`, `.csv`, `.svg` and `.png` read one answer.

Source: docs/reference/saved-queries.md §3.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from config.rest.request import parse_bearer_token
from datasets import errors
from datasets.api.authentication import live_token
from datasets.api.caching import cache_control, entity_tag, is_current
from datasets.api.headers import NOT_STORED
from datasets.api.views import DataSetArea
from datasets.models import QueryToken, SavedQuery
from datasets.queries import written
from datasets.saved_queries import answering, showing, tokens

_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png"}
METHODS = ["GET", "HEAD"]


class SavedQueryViewSet(DataSetArea, ViewSet):
    """The saved queries of a token, and the answer of one, which needs a token of the query unless it is public."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []

    @property
    def allowed_methods(self) -> list[str]:
        return METHODS

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.method not in METHODS:
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)

    def read(self, request: Request, public_id: str, form: str) -> HttpResponseBase:
        saved_query = _readable(request, public_id)
        tag = entity_tag(answering.state_of(saved_query), f"{form} {answering.published_limit(saved_query)}")
        headers = {"ETag": tag, "Cache-Control": cache_control(saved_query.data_set, is_public=saved_query.is_public)}
        if is_current(request, tag):
            unchanged = HttpResponse(status=304, headers=headers)
            del unchanged.headers["Content-Type"]
            return unchanged
        body = _body(saved_query, form)
        return HttpResponse(body, headers={**headers, "Content-Type": _TYPES[form], **_own_headers(saved_query, form)})

    def page(self, request: Request) -> Response:
        found = [_listed(one) for one in _readable_with_token(request)]
        return Response({"data": found}, headers=NOT_STORED)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Let pages of other sites read public answers."""
        if getattr(request, "is_public_answer", False):
            response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)


def _readable(request: Request, public_id: str) -> SavedQuery:
    """Return the query that this request may read. Raises TokenMissing, TokenNotLive, TokenOfAnotherQuery."""
    found = _with_data_set().filter(public_id=public_id, is_public=True).first()
    if found is not None:
        request.is_public_answer = True  # type: ignore[attr-defined]
        return found
    token = _query_token(request)
    if token is None:
        raise errors.TokenNotLive
    if token.saved_query.public_id != public_id:
        raise errors.TokenOfAnotherQuery
    return token.saved_query


def _readable_with_token(request: Request) -> Iterable[SavedQuery]:
    """Return the query of a query token, or the public queries of the data set of an access token.

    Raises TokenMissing, TokenNotLive, ReadingNotAllowed.
    """
    of_query = _query_token(request)
    if of_query is not None:
        return [of_query.saved_query]
    token = live_token(request)
    if not token.may_read:
        raise errors.ReadingNotAllowed
    found = _with_data_set().filter(data_set=token.data_set_id, is_public=True)
    return found if token.services is None else [one for one in found if one.reads_only(token.services)]


def _query_token(request: Request) -> QueryToken | None:
    """Return the query token of the request, or None if its token is not one. Raises TokenMissing."""
    secret = parse_bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
    if secret is None:
        raise errors.TokenMissing
    return tokens.find_live(secret)


def _with_data_set() -> QuerySet[SavedQuery]:
    return SavedQuery.objects.select_related("data_set__group", "data_set__type")


def _listed(one: SavedQuery) -> dict[str, Any]:
    return {
        "id": one.public_id,
        "name": one.name,
        "description": one.description,
        "unit": one.unit,
        "data_set": str(one.data_set),
        "is_public": one.is_public,
    }


def _body(saved_query: SavedQuery, form: str) -> bytes:
    answer = answering.published(saved_query)
    if form == "json":
        return written.compact_json(showing.document(saved_query, answer)).encode()
    if form == "csv":
        return "".join(showing.csv(saved_query, answer)).encode()
    from datasets.charts import drawing  # the API needs it for images only

    chart = showing.chart(saved_query, answer)
    if chart is None:
        raise errors.NoChart
    return drawing.document(chart).encode() if form == "svg" else drawing.png(chart)


def _own_headers(saved_query: SavedQuery, form: str) -> dict[str, str]:
    if form == "csv":
        return {"Content-Disposition": f'attachment; filename="{saved_query.public_id}.csv"'}
    if form == "svg":
        from datasets.charts import drawing

        return {"Content-Security-Policy": drawing.DOCUMENT_POLICY}
    return {}
