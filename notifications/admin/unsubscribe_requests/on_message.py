"""The unsubscribe request on the page of a message."""

from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from notifications.models import UnsubscribeRequest


def shown(notification_id: UUID) -> SafeString | None:
    """Return the time of the request with a link to it, or None if there is no request."""
    request = UnsubscribeRequest.objects.filter(notification_id=notification_id).first()
    if request is None:
        return None
    url = reverse("admin:notifications_unsubscriberequest_change", args=[request.pk])
    state = "waiting" if request.done_at is None else "done"
    return format_html('<a class="sb-link" href="{}">{}</a>, {}', url, formats.spoken(request.created_at), state)
