"""Keep query strings out of the Referer header. They may contain a token, and many proxies log that header."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpResponseBase

_POLICY = "strict-origin"  # with "no-referrer" browsers post `Origin: null`, which the CSRF check rejects


def keeps_query_private(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view so that browsers send only the site's origin as the Referer of its page."""

    @wraps(view)
    def answer(*args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(*args, **kwargs)
        response.headers["Referrer-Policy"] = _POLICY
        return response

    return answer
