"""Middleware that compresses the pages of the console and the files below /static/.

The first page of a visit was 1.3 MB. Answers of the APIs are not compressed: their clients are programs, and the time
of a request counts more.
"""

import gzip
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from config.rest.request import is_below

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_PAGES = ("/admin/", "/sandbox/", "/docs/")
_STATIC = ("/static/",)
_TEXTS = ("text/", "image/svg", "application/javascript", "application/json")


def compress(get_response: GetResponse) -> GetResponse:
    pages = GZipMiddleware(get_response)  # adds random bytes, so that lengths of pages do not reveal their secrets

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if is_below(request.path_info, _PAGES):
            return cast(HttpResponseBase, pages(request))
        response = get_response(request)
        return _static(request, response) if is_below(request.path_info, _STATIC) else response

    return middleware


def _static(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Return a static file compressed. Unlike Django's middleware, it keeps the ETag, which WhiteNoise compares."""
    is_text = response.headers.get("Content-Type", "").startswith(_TEXTS)
    if not is_text or response.status_code != 200 or request.method != "GET":
        return response
    patch_vary_headers(response, ("Accept-Encoding",))
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return response
    body = _compressed(response.headers["ETag"], b"".join(response))
    headers = {**response.headers, "Content-Encoding": "gzip", "Content-Length": str(len(body))}
    response.close()
    return HttpResponse(body, headers=headers)


@lru_cache(maxsize=100)
def _compressed(etag: str, body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)
