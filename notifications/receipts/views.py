"""Views for delivery receipts and received texts. Source: docs/reference/sending-api.md §19.2, §19.3.

Errors use the error body of the sending API: 401 without credentials, 403 for wrong ones, 404 for an unknown provider,
400 for an unreadable body. Repeats, receipts for unknown messages and texts for unknown numbers get 200, because the
provider would otherwise send them again.
"""

from collections.abc import Callable

from django.http import HttpRequest, JsonResponse, QueryDict
from django.views.decorators.csrf import csrf_exempt

from config.rest import body, handler
from config.rest.body import BodyReason, UnreadableBody
from notifications import errors
from notifications.delivery import providers
from notifications.delivery.posts import Posts
from notifications.receipts import taking
from notifications.submission import receiving

MAX_RECEIPT_BYTES = 1024 * 1024  # some providers send hundreds of receipts at once
MAX_TEXT_BYTES = 64 * 1024
# A signature can be checked only after the body is parsed, even for a stranger. A form of 768 KiB takes 56 MiB.
FORM, MAX_FORM_BYTES = "application/x-www-form-urlencoded", 768 * 1024
LARGE_BYTES = 64 * 1024


@csrf_exempt  # programs call it with their own credentials
def receipt(request: HttpRequest, name: str) -> JsonResponse:
    """Store delivery receipts."""
    provider = providers.taking_receipts(name)
    if provider is None:
        return handler.answer(request, errors.UrlNotFound())

    def take() -> None:
        taking.take_in(provider.name, provider.receipts(request))

    most = MAX_FORM_BYTES if request.content_type == FORM else MAX_RECEIPT_BYTES
    return _take_in(request, provider, take, most=most)


@csrf_exempt
def received_text(request: HttpRequest, name: str) -> JsonResponse:
    """Store received texts."""
    provider = providers.taking_texts(name)
    if provider is None:
        return handler.answer(request, errors.UrlNotFound())

    def take() -> None:
        for text in provider.incoming_texts(request):
            receiving.receive(text)

    return _take_in(request, provider, take, most=MAX_TEXT_BYTES)


def _take_in(request: HttpRequest, provider: Posts, take: Callable[[], None], *, most: int) -> JsonResponse:
    if request.method == "HEAD":  # some providers check the URL first
        return JsonResponse({})
    if request.method != "POST":
        return handler.answer(request, errors.MethodNotAllowed(allowed=["POST"]))
    try:
        body.check_coding(request.META)
        body.put(request, body.read(request.META, max_bytes=most, chunked=True))
        with body.one_at_a_time(len(request.body), large_bytes=LARGE_BYTES):
            try:
                provider.check_caller(request)
                take()
            finally:
                request.POST = QueryDict()  # the parsed form, before the next large body is parsed
                body.put(request, b"")
    except UnreadableBody as error:
        return handler.answer(request, _body_error(error.reason, most))
    except errors.NotificationError as error:
        return handler.answer(request, error)
    return JsonResponse({})


def _body_error(reason: BodyReason, most: int) -> errors.NotificationError:
    if reason is BodyReason.TOO_LARGE:
        return errors.PayloadTooLarge(max_bytes=most)
    if reason is BodyReason.UNKNOWN_CODING:
        return errors.UnsupportedContentEncoding()
    return errors.ReceiptUnreadable(str(reason))
