"""The two shapes of an error body, for the answers that no view of an area gives: by the path alone.

Source: Notification Sending API §7; Data Set Write API contract §10.
"""

from django.http import HttpRequest, JsonResponse

SENDING_PATHS = ("/v2/", "/providers/")
DATA_PATHS = ("/data/",)


def is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    """prefixes: each with a slash at its end, without which a path is the place itself"""
    return f"{path}/".startswith(prefixes)


def body(path: str, status: int, *, kind: str, message: str, data_message: str) -> dict[str, object]:
    """Return the sending API's envelope below its paths, and everywhere else the data sets'."""
    if is_below(path, SENDING_PATHS):
        return {"status_code": status, "errors": [{"error": kind, "message": message}]}
    return {"status": "error", "message": data_message}


def refusal(request: HttpRequest, status: int, *, kind: str, message: str, data_message: str) -> JsonResponse:
    """Answer in the shape of the request's path."""
    told = body(request.path_info, status, kind=kind, message=message, data_message=data_message)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}  # some answer before the middleware
    return JsonResponse(told, status=status, headers=headers)
