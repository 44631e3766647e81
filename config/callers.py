"""What a caller without an account can show: a token we know, or that they sit at this very machine.

Source: Developer experience §9, §13.
"""

import secrets

from django.conf import settings
from django.http import HttpRequest

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# Behind a proxy every caller looks local; one of these says that there is a proxy.
_FORWARDING = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PROTO", "HTTP_FORWARDED")
_FURTHER_FORWARDING = ("HTTP_X_REAL_IP", "HTTP_VIA", "HTTP_X_FORWARDED_SERVER", "HTTP_X_FORWARDED_PORT")


def holds_token(request: HttpRequest, expected: str) -> bool:
    """Compare the bearer token in constant time; an empty expectation opens nothing."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer" and bool(expected)
    return is_bearer and secrets.compare_digest(token.strip().encode(), expected.encode())


def is_at_this_machine(request: HttpRequest) -> bool:
    """Look at the socket, which no caller can write: what the server listens on, and who called."""
    if settings.ENVIRONMENT == "production" or settings.TRUSTED_PROXIES:
        return False
    if any(request.META.get(name) for name in (*_FORWARDING, *_FURTHER_FORWARDING)):
        return False
    return request.META.get("SERVER_NAME") in _LOOPBACK and request.META.get("REMOTE_ADDR") in _LOOPBACK
