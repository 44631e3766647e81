"""The answer to GET and HEAD: caching, entity tags, compression, and browsers of other sites.

Source: Data Set contract §11, §12.
"""

import gzip
import hashlib
from typing import cast

from django.conf import settings
from django.http import HttpResponse
from django.http.request import HttpRequest
from django.utils.http import parse_etags
from rest_framework.request import Request

from datasets.models import DataSet
from datasets.queries import parameters, raw

PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Cache-Control, If-None-Match",
    "Access-Control-Max-Age": "86400",
}
_COMPRESS_OVER = 1024  # bytes; Data Set contract §12


def answer(request: Request, data_set: DataSet) -> HttpResponse:
    """Return the page asked for, or 304 where the caller has it. Raises QueryRefused."""
    bounds = parameters.Bounds(default_limit=settings.DATASETS_DEFAULT_LIMIT, max_limit=settings.DATASETS_MAX_LIMIT)
    query = parameters.parse(request.META.get("QUERY_STRING", ""), data_set_id=data_set.pk, bounds=bounds)
    tag = _entity_tag(data_set, query)
    headers = {"Cache-Control": _cache_control(data_set), "ETag": tag, "Vary": "Accept-Encoding"}
    if _has_it(request, tag):
        return _without_content_type(HttpResponse(status=304, headers=headers))
    found = raw.page(data_set.pk, query)
    next_cursor = "null" if found.next_cursor is None else f'"{found.next_cursor}"'
    text = f'{{"data":[{",".join(found.records)}],"next_cursor":{next_cursor}}}'
    return _compressed(request, HttpResponse(text.encode(), content_type="application/json", headers=headers))


def _entity_tag(data_set: DataSet, query: parameters.Query) -> str:
    """The revision was read before the records: what it names is never newer than what is sent.

    Weak, because one tag stands for the plain and the compressed form.
    """
    named = f"{data_set.pk}.{data_set.revision}.{query.identity}.{query.limit}.{query.after}"
    return f'W/"{hashlib.sha256(named.encode()).hexdigest()[:32]}"'


def _cache_control(data_set: DataSet) -> str:
    if not data_set.public:
        return "private, no-cache"
    seconds = settings.DATASETS_REALTIME_CACHE_SECONDS if data_set.realtime else settings.DATASETS_CACHE_SECONDS
    return f"max-age={seconds}, must-revalidate"


def _has_it(request: Request, tag: str) -> bool:
    known = [each.removeprefix("W/") for each in parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))]
    return "*" in known or tag.removeprefix("W/") in known


def _compressed(request: Request, response: HttpResponse) -> HttpResponse:
    if len(response.content) > _COMPRESS_OVER and _takes_gzip(cast(HttpRequest, request)):
        response.content = gzip.compress(response.content, compresslevel=5, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
    return response


def _takes_gzip(request: HttpRequest) -> bool:
    for coding in request.META.get("HTTP_ACCEPT_ENCODING", "").lower().split(","):
        name, _, parameter = coding.partition(";")
        if name.strip() in {"gzip", "*"}:
            return parameter.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _without_content_type(response: HttpResponse) -> HttpResponse:
    del response.headers["Content-Type"]
    return response
