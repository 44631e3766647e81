"""The two shapes of an error body, for the answers that no view of an area gives: by the path alone.

Every error of either area links to its entry in the documentation. Only callers that ask for HELPFUL get the help in
the body of the sending API as well: others compare whole error objects.
Source: Notification Sending API §7; Data Set Write API contract §10; Developer experience §11.
"""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, JsonResponse

from config.docs import parts

SENDING_PATHS = ("/v2/", "/providers/")
DATA_PATHS = ("/data/",)
HELPFUL = "application/vnd.signalbox+json"
COMPACT = {"separators": (",", ":")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What both areas say of one refusal. slug, data_slug: of its entries in the documentation."""

    kind: str
    message: str
    slug: str
    data_message: str
    data_slug: str


NOT_UNDERSTOOD = Words(
    kind="BadRequestError",
    message="The request could not be understood",
    slug="request-not-understood",
    data_message="The request could not be understood.",
    data_slug="data-request-not-understood",
)


def is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    """prefixes: each with a slash at its end, without which a path is the place itself"""
    return f"{path}/".startswith(prefixes)


def wants_help(request: HttpRequest) -> bool:
    """Return whether `Accept` names HELPFUL."""
    accepted = request.META.get("HTTP_ACCEPT", "").split(",")
    return any(one.partition(";")[0].strip().lower() == HELPFUL for one in accepted)


def docs_url(slug: str) -> str:
    return f"{settings.BASE_URL}/docs/#errors-{slug}"


def help_link(slug: str) -> str:
    """Return the header `Link` of an error. Source: RFC 8288."""
    return f'<{docs_url(slug)}>; rel="help"'


def body(path: str, status: int, words: Words) -> dict[str, object]:
    """Return the sending API's envelope below its paths, and everywhere else the data sets'."""
    if is_below(path, SENDING_PATHS):
        return {"status_code": status, "errors": [{"error": words.kind, "message": words.message}]}
    return {"status": "error", "message": words.data_message}


def slug(path: str, words: Words) -> str:
    return words.slug if is_below(path, SENDING_PATHS) else words.data_slug


def refusal(request: HttpRequest, status: int, words: Words) -> JsonResponse:
    """Answer in the shape of the request's path."""
    content = body(request.path_info, status, words)
    if is_below(request.path_info, SENDING_PATHS) and wants_help(request):
        entry = {"error": words.kind, "message": words.message}
        if fix := parts.fix_for(words.slug):
            entry |= {"fix": fix}
        content["errors"] = [{**entry, "docs": docs_url(words.slug)}]
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}  # some answer before the middleware
    if is_below(request.path_info, (*SENDING_PATHS, *DATA_PATHS)):
        headers["Link"] = help_link(slug(request.path_info, words))
    return JsonResponse(content, status=status, headers=headers, json_dumps_params=COMPACT)
