"""Access to the sandbox inbox for staff, for callers with SANDBOX_TOKEN, and for requests from this machine.

The views get a `Sight`: the messages that the caller may see. Source: docs/reference/running.md §9.
"""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse

from config.rest import handler
from config.rest.body import reads_body
from notifications import errors
from notifications.models.sandbox_message import has_inbox
from notifications.sandbox import sight

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """Redirect other visitors to the console's sign-in page."""
    return _guarded(view, lambda request: redirect_to_login(request.path, "admin:login"))


def api(view: View) -> View:
    """Respond to other callers with 401 and the error body of the sending API."""
    return reads_body(_guarded(view, lambda request: handler.answer(request, errors.SandboxSignInMissing())))


def operators(*methods: str) -> Callable[[View], View]:
    """Allow only callers who see the whole inbox, and only these methods. Errors have the body of the sending API."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, seen: sight.Sight, *args: object, **kwargs: object) -> HttpResponse:
            if not seen.is_whole:
                return handler.answer(request, errors.SandboxOperatorsAlone())
            if request.method not in methods:
                return handler.answer(request, errors.MethodNotAllowed(allowed=list(methods)))
            try:
                return view(request, *args, **kwargs)
            except errors.NotificationError as error:
                return handler.answer(request, error)

        return api(guarded)

    return decorate


def _guarded(view: View, refuse: Callable[[HttpRequest], HttpResponse]) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not has_inbox():
            raise Http404
        seen = sight.of(request)
        return refuse(request) if seen is None else view(request, seen, *args, **kwargs)

    return guarded
