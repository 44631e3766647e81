"""Who may look into the sandbox inbox: staff, a test suite with SANDBOX_TOKEN, and a developer at this very machine.

The views get what the caller may see. Source: Developer experience §9.
"""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from notifications.sandbox import sight

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """Send others to the console's sign-in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        _check_is_on()
        seen = sight.of(request)
        if seen is None:
            return redirect_to_login(request.path, "admin:login")
        return view(request, seen, *args, **kwargs)

    return guarded


def api(view: View) -> View:
    """Answer others 401, in the sending API's envelope."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        _check_is_on()
        seen = sight.of(request)
        if seen is None:
            return refusal(401, "AuthError", "Sign in, or send SANDBOX_TOKEN as a bearer token", challenge=True)
        return view(request, seen, *args, **kwargs)

    return guarded


def refusal(status: int, kind: str, message: str, *, challenge: bool = False) -> JsonResponse:
    headers = {"WWW-Authenticate": "Bearer"} if challenge else {}
    body = {"status_code": status, "errors": [{"error": kind, "message": message}]}
    return JsonResponse(body, status=status, headers=headers)


def is_on() -> bool:
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


def _check_is_on() -> None:
    if not is_on():
        raise Http404
