"""Texts as providers hand them in. Source: the sending contract §19.3.

Every answer but 200 is in the envelope: no credentials 401, wrong ones 403, an unknown provider 404, a body that is not
the provider's own form 400. A text for nobody is 200 too, or it would be sent again and again.
"""

from collections.abc import Mapping

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config import callers, envelopes
from config.rest.body import BodyRefused, Reason
from config.rest.strict_json import JSONRefused
from notifications.delivery import providers
from notifications.delivery.messages import ReportUnreadable
from notifications.delivery.providers import TakesTexts
from notifications.receipts.parsers import ReportParser
from notifications.submission import receiving


@csrf_exempt  # called by programs, which prove themselves with a token
def received_text(request: HttpRequest, name: str) -> JsonResponse:
    """Take in one text."""
    provider = providers.taking_texts(name)
    if provider is None:
        return _refusal(request, 404, "NotFound", "The requested URL was not found on the server")
    refused = _refuse_method(request) or _refuse_caller(request, provider)
    if refused:
        return refused
    try:
        text = provider.incoming_text(_report(request))
    except BodyRefused as error:
        return _refuse_body(request, error.reason)
    except (JSONRefused, ReportUnreadable) as error:
        return _refusal(request, 400, "BadRequestError", f"The report cannot be read: {error}")
    receiving.receive(text)
    return JsonResponse({})


def _refuse_method(request: HttpRequest) -> JsonResponse | None:
    if request.method == "POST":
        return None
    refusal = _refusal(request, 405, "MethodNotAllowed", "The method is not allowed for the requested URL")
    refusal.headers["Allow"] = "POST"
    return refusal


def _refuse_caller(request: HttpRequest, provider: TakesTexts) -> JsonResponse | None:
    """Let in who holds the provider's token and, for the sandbox, who sits at this machine and shows none."""
    if "Authorization" in request.headers:
        if callers.holds_token(request, provider.posting_token):
            return None
        return _refusal(request, 403, "AuthError", "These are not the credentials of this provider")
    if provider.name == "sandbox" and callers.is_at_this_machine(request):
        return None
    refusal = _refusal(request, 401, "AuthError", "Send the token of this provider as a bearer token")
    refusal.headers["WWW-Authenticate"] = "Bearer"
    return refusal


def _report(request: HttpRequest) -> Mapping[str, object]:
    """Raises BodyRefused, JSONRefused, ReportUnreadable."""
    if request.content_type != ReportParser.media_type:  # which no page of another site can send without asking first
        raise ReportUnreadable("Content-Type must be application/json")
    report = ReportParser().read_json(request.META)
    if not isinstance(report, dict):
        raise ReportUnreadable("it must be an object")
    return report


def _refuse_body(request: HttpRequest, reason: Reason) -> JsonResponse:
    if reason is Reason.TOO_LARGE:
        words = f"The request body is larger than {ReportParser.max_bytes} bytes"
        return _refusal(request, 413, "PayloadTooLarge", words)
    if reason is Reason.UNKNOWN_CODING:
        return _refusal(request, 415, "UnsupportedMediaType", "Content-Encoding is not supported")
    return _refusal(request, 400, "BadRequestError", f"The report cannot be read: {reason}")


def _refusal(request: HttpRequest, status: int, kind: str, message: str) -> JsonResponse:
    return envelopes.refusal(request, status, kind=kind, message=message, data_message=message)
