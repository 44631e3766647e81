"""The two shapes of an error body, for the answers that no view of an area gives: by the path alone.

Source: Notification Sending API §7; Data Set Write API contract §10.
"""

from django.http import HttpRequest, JsonResponse

SENDING_PATHS = ("/v2", "/providers")
DATA_PATHS = ("/data",)


def is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def refusal(request: HttpRequest, status: int, *, kind: str, message: str, data_message: str) -> JsonResponse:
    """Return the sending API's envelope below its paths, and everywhere else the data sets'."""
    if is_below(request.path_info, SENDING_PATHS):
        body: dict[str, object] = {"status_code": status, "errors": [{"error": kind, "message": message}]}
    else:
        body = {"status": "error", "message": data_message}
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}  # some answer before the middleware
    return JsonResponse(body, status=status, headers=headers)
