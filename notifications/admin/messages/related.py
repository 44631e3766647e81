"""The facts of a message's page on messages made from it, or it from them, and on the callback of its request."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.console.sections import Fact
from notifications.models import Fallback, FallbackState, Notification, RequestCallback, RetriedMessage


def facts(message: Notification) -> Iterator[Fact]:
    for link in RetriedMessage.objects.of(message):
        if link.message_id == message.pk:
            yield Fact(label="Retried as", value=_link(link.retry_id))
        else:
            yield Fact(label="Retry of", value=_link(link.message_id))
    for fallback in Fallback.objects.filter(Q(message=message.pk) | Q(email=message.pk)):
        if fallback.email_id == message.pk:
            yield Fact(label="Fallback of", value=_link(fallback.message_id))
        else:
            state = FallbackState(fallback.state).label
            yield Fact(label="Fallback email", value=_link(fallback.email_id) if fallback.email_id else state)
    if callback := RequestCallback.objects.filter(pk=message.pk).first():  # the rest of the URL may name a recipient
        yield Fact(label="Callback of the request", value=urlsplit(callback.url).hostname or "–")


def _link(message_id: object) -> SafeString:
    url = reverse("admin:notifications_notification_change", args=[message_id])
    return format_html('<a class="sb-link" href="{}">Message {}</a>', url, str(message_id)[:8])
