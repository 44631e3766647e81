"""How long answers may be cached, entity tags, and compression. Source: docs/reference/data-sets.md §12."""

import gzip
import hashlib

from django.conf import settings
from django.http import HttpResponse
from django.utils.http import parse_etags
from rest_framework.request import Request

from datasets.models import DataSet

_COMPRESS_OVER = 1024  # bytes


def entity_tag(*decisive: object) -> str:
    """Return a weak tag, because the plain and the compressed answer share it. decisive: what decides the answer"""
    named = ".".join(map(str, decisive))
    return f'W/"{hashlib.sha256(named.encode()).hexdigest()[:32]}"'


def cache_control(data_set: DataSet, *, is_public: bool) -> str:
    """Return how long an answer about a data set may be cached."""
    if not is_public:
        return "private, no-cache"
    seconds = settings.DATASETS_REALTIME_CACHE_SECONDS if data_set.realtime else settings.DATASETS_CACHE_SECONDS
    return f"max-age={seconds}, must-revalidate"


def is_current(request: Request, tag: str) -> bool:
    """Return whether the caller has the answer of this tag."""
    known = [each.removeprefix("W/") for each in parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))]
    return "*" in known or tag.removeprefix("W/") in known


def compressed(request: Request, response: HttpResponse) -> HttpResponse:
    if len(response.content) > _COMPRESS_OVER and takes_gzip(request):
        response.content = gzip.compress(response.content, compresslevel=5, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
    return response


def takes_gzip(request: Request) -> bool:
    for coding in request.META.get("HTTP_ACCEPT_ENCODING", "").lower().split(","):
        name, _, parameter = coding.partition(";")
        if name.strip() in {"gzip", "*"}:
            return parameter.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
