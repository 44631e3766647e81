"""The deep check of everything the service depends on. Source: docs/reference/running.md §13."""

from dataclasses import asdict

from django.conf import settings
from django.http import HttpRequest, JsonResponse

from config.health import health_checks
from config.health.views import health_page, respond
from config.rest.request import has_bearer_token
from config.version import VERSION
from config.web.ip_addresses import is_local


@health_page
def deep(request: HttpRequest) -> JsonResponse:
    """Return the findings with 200, or with 503 if a health check failed. A failed check has a fix."""
    if not _may_look(request):
        return error_response(request)
    findings = health_checks.examine()
    amiss = [finding.name for finding in findings if finding.fix]
    message = f"not well: {', '.join(amiss)}" if amiss else "all is well"
    listed = [asdict(finding) for finding in findings]
    return respond(503 if amiss else 200, message, version=VERSION, findings=listed)


def _may_look(request: HttpRequest) -> bool:
    """Return whether the caller may see the findings. The account is checked last, as that needs the database."""
    if has_bearer_token(request, settings.METRICS_TOKEN):
        return True
    if not settings.METRICS_TOKEN and is_local(request):
        return True
    return bool(request.user.is_active and request.user.is_staff)


def error_response(request: HttpRequest) -> JsonResponse:
    """Return 401 if there is no token, or 403 if the token is wrong."""
    if "Authorization" in request.headers:
        return respond(403, "The token is not valid.")
    error = respond(401, "Send METRICS_TOKEN in the header Authorization: Bearer <token>, or sign in as staff.")
    error["WWW-Authenticate"] = "Bearer"
    return error
