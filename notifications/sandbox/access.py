"""Who may look into the sandbox inbox: staff, a test suite with SANDBOX_TOKEN, and whoever sits at this very machine.

Source: Developer experience §9.
"""

import secrets
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

View = Callable[..., HttpResponse]

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# Behind a proxy every caller looks local; one of these says that there is a proxy.
_FORWARDING = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PROTO", "HTTP_FORWARDED")
_FURTHER_FORWARDING = ("HTTP_X_REAL_IP", "HTTP_VIA", "HTTP_X_FORWARDED_SERVER", "HTTP_X_FORWARDED_PORT")


def page(view: View) -> View:
    """Send others to the console's sign-in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        _check_is_on()
        if not may_look(request):
            return redirect_to_login(request.path, "admin:login")
        return view(request, *args, **kwargs)

    return guarded


def api(view: View) -> View:
    """Answer others 401, in the sending API's envelope."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        _check_is_on()
        if not may_look(request):
            return refusal(401, "AuthError", "Sign in, or send SANDBOX_TOKEN as a bearer token", challenge=True)
        return view(request, *args, **kwargs)

    return guarded


def may_look(request: HttpRequest) -> bool:
    user = request.user
    return (user.is_active and user.is_staff) or _holds_token(request) or _is_at_this_machine(request)


def refusal(status: int, kind: str, message: str, *, challenge: bool = False) -> JsonResponse:
    headers = {"WWW-Authenticate": "Bearer"} if challenge else {}
    body = {"status_code": status, "errors": [{"error": kind, "message": message}]}
    return JsonResponse(body, status=status, headers=headers)


def is_on() -> bool:
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


def _check_is_on() -> None:
    if not is_on():
        raise Http404


def _holds_token(request: HttpRequest) -> bool:
    """Compare in constant time; an empty SANDBOX_TOKEN opens nothing."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    expected: str = settings.SANDBOX_TOKEN
    is_bearer = scheme.lower() == "bearer" and bool(expected)
    return is_bearer and secrets.compare_digest(token.strip().encode(), expected.encode())


def _is_at_this_machine(request: HttpRequest) -> bool:
    """Look at the socket, which no caller can write: what the server listens on, and who called."""
    if settings.ENVIRONMENT == "production" or settings.TRUSTED_PROXIES:
        return False
    if any(request.META.get(name) for name in (*_FORWARDING, *_FURTHER_FORWARDING)):
        return False
    return request.META.get("SERVER_NAME") in _LOOPBACK and request.META.get("REMOTE_ADDR") in _LOOPBACK
