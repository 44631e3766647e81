"""The health and readiness checks of the service. Source: docs/reference/running.md §13."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.health import readiness

_NEVER_KEPT = {"Cache-Control": "no-store"}
_READING = ("GET", "HEAD", "OPTIONS")


@csrf_exempt  # a wrong method is answered 405, not with a page about forms
def status(request: HttpRequest) -> JsonResponse:
    """Say that the process lives; touches nothing, no database either."""
    return refuse_method(request) or JsonResponse({"status": "ok", "message": "app is up"}, headers=_NEVER_KEPT)


@csrf_exempt
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 if requests can be served, and 503 with what is missing otherwise."""
    refused = refuse_method(request)
    if refused:
        return refused
    failed = readiness.failures()
    if failed:
        body = {"status": "error", "message": f"not ready: {', '.join(failed)}", "failed": failed}
        return JsonResponse(body, status=503, headers=_NEVER_KEPT)
    return JsonResponse({"status": "ok", "message": "app is ready"}, headers=_NEVER_KEPT)


def refuse_method(request: HttpRequest) -> JsonResponse | None:
    """Answer 405 to anything but reading, in the shape of the health pages."""
    if request.method in _READING:
        return None
    refusal = JsonResponse({"status": "error", "message": "This method is not allowed here."}, status=405)
    refusal["Allow"] = ", ".join(_READING)
    return refusal
