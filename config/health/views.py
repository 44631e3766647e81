"""The health and readiness checks of the service. Source: docs/reference/running.md §13."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config.health import readiness

_NEVER_KEPT = {"Cache-Control": "no-store"}
_READING = ("GET", "HEAD", "OPTIONS")


@csrf_exempt  # a wrong method must get a 405, not the page of a failed CSRF check
def status(request: HttpRequest) -> JsonResponse:
    """Return 200 if the process runs. It uses no database, queue or file."""
    return refuse_method(request) or JsonResponse({"status": "ok", "message": "app is up"}, headers=_NEVER_KEPT)


@csrf_exempt
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if the service can answer requests, or 503 with the names of the failed checks."""
    refused = refuse_method(request)
    if refused:
        return refused
    failed = readiness.failures()
    if failed:
        body = {"status": "error", "message": f"not ready: {', '.join(failed)}", "failed": failed}
        return JsonResponse(body, status=503, headers=_NEVER_KEPT)
    return JsonResponse({"status": "ok", "message": "app is ready"}, headers=_NEVER_KEPT)


@csrf_exempt
def serving(request: HttpRequest) -> JsonResponse:
    """Return 200 if a proxy should send requests to this process, or 503 with the reason why not."""
    refused = refuse_method(request)
    if refused:
        return refused
    reason = readiness.reason_not_to_serve()
    if reason:
        return JsonResponse({"status": "error", "message": f"not serving: {reason}"}, status=503, headers=_NEVER_KEPT)
    return JsonResponse({"status": "ok", "message": "app is serving"}, headers=_NEVER_KEPT)


def refuse_method(request: HttpRequest) -> JsonResponse | None:
    """Return a 405 in the shape of the health pages for a method that does not read, or None."""
    if request.method in _READING:
        return None
    error = JsonResponse({"status": "error", "message": "This method is not allowed here."}, status=405)
    error["Allow"] = ", ".join(_READING)
    return error
