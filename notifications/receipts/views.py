"""Receipts and texts as providers post them. Source: the sending contract §19.2, §19.3.

Every answer but 200 is in the envelope: no credentials 401, wrong ones 403, an unknown provider 404, a body that is not
the provider's own form 400. A repeat, a receipt for an unknown message and a text for nobody are 200 too, or they would
be sent again and again.
"""

from collections.abc import Callable
from contextlib import nullcontext
from threading import Lock

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from config import envelopes
from config.envelopes import Words
from config.rest import body
from config.rest.body import BodyRefused, Reason
from notifications.delivery import providers
from notifications.delivery.messages import ReportUnreadable
from notifications.delivery.posts import NotNow, NotProven, Posts, WronglyProven
from notifications.receipts import taking
from notifications.submission import receiving

MAX_RECEIPT_BYTES = 1024 * 1024  # some report hundreds of messages at once
MAX_TEXT_BYTES = 64 * 1024
LARGE_BYTES = 64 * 1024
# Some providers prove themselves by a signature of what they sent, so a stranger's report is read too. Read as a form,
# 1 MiB takes 80 MiB: one at a time.
_ONE_LARGE = Lock()


@csrf_exempt  # called by programs, which prove themselves
def receipt(request: HttpRequest, name: str) -> JsonResponse:
    """Take in what became of messages."""
    provider = providers.taking_receipts(name)
    if provider is None:
        return _unknown(request)

    def take() -> None:
        taking.take_in(provider.name, provider.receipts(request))

    return _take_in(request, provider, take, most=MAX_RECEIPT_BYTES)


@csrf_exempt
def received_text(request: HttpRequest, name: str) -> JsonResponse:
    """Take in texts that people have sent."""
    provider = providers.taking_texts(name)
    if provider is None:
        return _unknown(request)

    def take() -> None:
        for text in provider.incoming_texts(request):
            receiving.receive(text)

    return _take_in(request, provider, take, most=MAX_TEXT_BYTES)


def _take_in(request: HttpRequest, provider: Posts, take: Callable[[], None], *, most: int) -> JsonResponse:
    if request.method == "HEAD":  # some look whether the address is there before they use it
        return JsonResponse({})
    if request.method != "POST":
        refusal = _refusal(
            request, 405, "method-not-allowed", "MethodNotAllowed", "The method is not allowed for the requested URL"
        )
        refusal.headers["Allow"] = "POST"
        return refusal
    try:
        body.check_coding(request.META)
        # Where Django would look for it: reading by itself, it would see no chunks.
        request._body = body.read(request.META, max_bytes=most, chunked=True)
        with _ONE_LARGE if len(request._body) > LARGE_BYTES else nullcontext():
            provider.check_caller(request)
            take()
    except BodyRefused as error:
        return _refuse_body(request, error.reason, most)
    except NotProven as error:
        refusal = _refusal(request, 401, "report-credentials-missing", "AuthError", str(error))
        refusal.headers["WWW-Authenticate"] = "Bearer" if "bearer" in str(error) else "Basic"
        return refusal
    except WronglyProven:
        return _refusal(
            request, 403, "report-credentials", "AuthError", "These are not the credentials of this provider"
        )
    except NotNow:
        refusal = _refusal(request, 503, "service-unavailable", "ServiceUnavailable", "Try again later")
        refusal.headers["Retry-After"] = "60"
        return refusal
    except ReportUnreadable as error:
        return _refusal(request, 400, "report-unreadable", "BadRequestError", f"The report cannot be read: {error}")
    return JsonResponse({})


def _refuse_body(request: HttpRequest, reason: Reason, most: int) -> JsonResponse:
    if reason is Reason.TOO_LARGE:
        return _refusal(
            request, 413, "request-too-large", "PayloadTooLarge", f"The request body is larger than {most} bytes"
        )
    if reason is Reason.UNKNOWN_CODING:
        return _refusal(request, 415, "content-encoding", "UnsupportedMediaType", "Content-Encoding is not supported")
    return _refusal(request, 400, "report-unreadable", "BadRequestError", f"The report cannot be read: {reason}")


def _unknown(request: HttpRequest) -> JsonResponse:
    return _refusal(request, 404, "url-not-found", "NotFound", "The requested URL was not found on the server")


def _refusal(request: HttpRequest, status: int, slug: str, kind: str, message: str) -> JsonResponse:
    words = Words(kind=kind, message=message, slug=slug, data_message=message, data_slug=slug)
    return envelopes.refusal(request, status, words)
