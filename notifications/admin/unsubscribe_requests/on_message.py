"""What the page of a message shows of its unsubscribe request."""

from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.console import cells
from notifications.models import UnsubscribeRequest


def shown(notification_id: UUID) -> SafeString | None:
    """Return when the recipient asked, with a link to the request; None where they did not."""
    request = UnsubscribeRequest.objects.filter(notification_id=notification_id).first()
    if request is None:
        return None
    url = reverse("admin:notifications_unsubscriberequest_change", args=[request.pk])
    state = "waiting" if request.done_at is None else "done"
    return format_html('<a class="sb-link" href="{}">{}</a>, {}', url, cells.spoken(request.created_at), state)
