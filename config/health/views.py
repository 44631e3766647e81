"""The health and readiness checks of the service. Source: docs/reference/running.md §13."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.health import readiness

_READING = ("GET", "HEAD", "OPTIONS")
View = Callable[[HttpRequest], HttpResponseBase]


def health_page(view: View) -> View:
    """Answer a method that does not read with a 405 in the shape of the health pages."""

    @csrf_exempt  # a wrong method must get a 405, not the page of a failed CSRF check
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method in _READING:
            return view(request)
        body = {"status": "error", "message": "This method is not allowed here."}
        return JsonResponse(body, status=405, headers={"Allow": ", ".join(_READING)})

    return answer


def respond(status: int, message: str, **more: object) -> JsonResponse:
    """Return an answer in the shape of the health pages. No cache keeps it."""
    body = {"status": "ok" if status == 200 else "error", "message": message, **more}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})


@health_page
def status(request: HttpRequest) -> JsonResponse:
    """Return 200 if the process runs. It uses no database, queue or file."""
    return respond(200, "app is up")


@health_page
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if the service can answer requests, or 503 with the names of the failed checks."""
    failed = readiness.failures()
    return respond(503, f"not ready: {', '.join(failed)}", failed=failed) if failed else respond(200, "app is ready")


@health_page
def serving(request: HttpRequest) -> JsonResponse:
    """Return 200 if a proxy should send requests to this process, or 503 with the reason why not."""
    reason = readiness.reason_not_to_serve()
    return respond(503, f"not serving: {reason}") if reason else respond(200, "app is serving")
