"""Read the path, the bearer token and the service's URL from a request of either API.

Source: RFC 6750 §2.1, RFC 9110 §11.4.
"""

import re
import secrets

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

SENDING_PATHS = ("/v2/", "/providers/")
DATA_PATHS = ("/data/", "/queries/", "/catalogue.jsonld/")
ENVELOPE_PATHS = (*SENDING_PATHS, "/sandbox/api/")  # errors below these have the shape of the sending API
API_PATHS = (*ENVELOPE_PATHS, *DATA_PATHS)
_CREDENTIALS = re.compile(r"bearer +(?P<token>[!-~]+)", re.IGNORECASE)


def is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    """Return whether the path is one of the prefixes or below one. Each prefix ends with a slash; a path need not."""
    return f"{path}/".startswith(prefixes)


def parse_bearer_token(header: str) -> str | None:
    """Return the token of an `Authorization` header, or None if the header has no token in the right form.

    The scheme is not case-sensitive. A token is any run of visible ASCII characters; each API checks it later.

    >>> parse_bearer_token("Bearer abc"), parse_bearer_token("bEARER   abc ")
    ('abc', 'abc')
    >>> [parse_bearer_token(header) for header in ("", "Bearer", "BearerX abc", "Basic abc", "Bearer a b")]
    [None, None, None, None, None]
    """
    credentials = _CREDENTIALS.fullmatch(header.strip(" "))
    return credentials["token"] if credentials else None


def has_bearer_token(request: HttpRequest, expected: str) -> bool:
    """Return whether the request carries the expected token. A blank expected token matches no request."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer" and bool(expected)
    return is_bearer and secrets.compare_digest(token.strip().encode(), expected.encode())


def base_url(request: HttpRequest | Request) -> str:
    """Return BASE_URL or, if that is blank, scheme and host of the request."""
    configured: str = settings.BASE_URL
    return configured or f"{request.scheme}://{request.get_host()}"
