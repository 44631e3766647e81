"""Keep the query of a page out of the Referer header: a link's token may be in it, and many proxies log that header."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpResponseBase

_POLICY = "strict-origin"  # with "no-referrer" a browser posts `Origin: null` and is refused


def keeps_query_private(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Have what this page loads, posts and links to see the origin of the site alone."""

    @wraps(view)
    def answer(*args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(*args, **kwargs)
        response.headers["Referrer-Policy"] = _POLICY
        return response

    return answer
