"""Is the service alive, and is it ready? Source: Developer experience §13, Data Set contract §18."""

from django.http import HttpRequest, JsonResponse


def status(request: HttpRequest) -> JsonResponse:
    """Say that the process lives; touches nothing, no database either."""
    if request.method not in {"GET", "HEAD", "OPTIONS"}:
        refusal = JsonResponse({"status": "error", "message": "This method is not allowed here."}, status=405)
        refusal["Allow"] = "GET, HEAD, OPTIONS"
        return refusal
    return JsonResponse({"status": "ok", "message": "app is up"}, headers={"Cache-Control": "no-store"})


def ready(request: HttpRequest) -> JsonResponse:
    return status(request)
