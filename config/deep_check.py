"""Is everything the service stands on well? For operators and their monitors. Source: Developer experience §13."""

from dataclasses import asdict

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config import callers, views
from config.management import checkups

_NEVER_KEPT = {"Cache-Control": "no-store"}


@csrf_exempt
def deep(request: HttpRequest) -> JsonResponse:
    """Answer 200, or 503 where something wants mending; each finding is one line, with one fix where it has one."""
    refused = views.refuse_method(request)
    if refused:
        return refused
    if not _may_look(request):
        return refuse(request)
    findings = checkups.examine()
    amiss = [finding.name for finding in findings if finding.fix]
    body = {
        "status": "error" if amiss else "ok",
        "message": f"not well: {', '.join(amiss)}" if amiss else "all is well",
        "findings": [asdict(finding) for finding in findings],
    }
    return JsonResponse(body, status=503 if amiss else 200, headers=_NEVER_KEPT)


def _may_look(request: HttpRequest) -> bool:
    """The account is asked last: a database that is away is among what this page is to tell."""
    if callers.holds_token(request, settings.METRICS_TOKEN):
        return True
    if not settings.METRICS_TOKEN and callers.is_at_this_machine(request):
        return True
    return bool(request.user.is_active and request.user.is_staff)


def refuse(request: HttpRequest) -> JsonResponse:
    """Say how to be let in, or that the token is wrong."""
    if "Authorization" in request.headers:
        return _refusal(403, "The token is not valid.")
    refusal = _refusal(401, "Send METRICS_TOKEN in the header Authorization: Bearer <token>, or sign in as staff.")
    refusal["WWW-Authenticate"] = "Bearer"
    return refusal


def _refusal(status: int, message: str) -> JsonResponse:
    return JsonResponse({"status": "error", "message": message}, status=status, headers=_NEVER_KEPT)
