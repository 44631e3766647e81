"""Answers of saved queries: GET `/queries/{id}.json`, `.csv`, `.svg` and `.png`.

Source: docs/reference/saved-queries.md §3.
"""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from config.rest.request import parse_bearer_token
from datasets import errors
from datasets.api.caching import cache_control, entity_tag, is_current
from datasets.api.views import DataSetArea
from datasets.models import SavedQuery
from datasets.queries import written
from datasets.saved_queries import answering, showing, tokens

_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png"}
METHODS = ["GET", "HEAD"]


class SavedQueryViewSet(DataSetArea, ViewSet):
    """The answer of one saved query. It needs a token of the query, unless the query is public."""

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

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Let pages of other sites read public answers."""
        if getattr(request, "is_public_answer", False):
            response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)


def _readable(request: Request, public_id: str) -> SavedQuery:
    """Return the query that this request may read. Raises TokenMissing, TokenNotLive, TokenOfAnotherQuery."""
    rows = SavedQuery.objects.select_related("data_set__group", "data_set__type")
    found = rows.filter(public_id=public_id, is_public=True).first()
    if found is not None:
        request.is_public_answer = True  # type: ignore[attr-defined]
        return found
    secret = parse_bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
    if secret is None:
        raise errors.TokenMissing
    token = tokens.find_live(secret)
    if token is None:
        raise errors.TokenNotLive
    if token.saved_query.public_id != public_id:
        raise errors.TokenOfAnotherQuery
    return token.saved_query


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
