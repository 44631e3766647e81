"""The callback log: requests to endpoints, their responses, and resending them.

People without the role *See recipients* get masked recipients and no replies: a receiver may echo the request.
Source: docs/reference/console.md §3.8.
"""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import admin
from django.db.models import Model
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString

from config.audit.masking import mask
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.row_actions import Button
from config.encryption import DecryptionFailed
from config.reading import read_uuid
from notifications import tasks
from notifications.admin import permissions
from notifications.admin.received_emails.page import UNREADABLE
from notifications.admin.service_rows import ServiceScopedAdmin
from notifications.delivery.callbacks import bodies
from notifications.models import CallbackDelivery, CallbackEndpoint, DeliveryState, Role
from notifications.submission.templates import redaction

_TONES = {DeliveryState.ACCEPTED: "good", DeliveryState.GIVEN_UP: "bad", DeliveryState.WAITING: "accent"}
_SOON = timedelta(minutes=1)
_RECIPIENTS = ("to", "source_number", "source_email_address", "email_address", "phone_number")  # of a body


class EndpointFilter(admin.SimpleListFilter):
    title = "callback"
    parameter_name = "endpoint"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = permissions.chosen_service(request)
        services = [chosen] if chosen else permissions.services_of(request)  # a subquery
        mine = CallbackEndpoint.objects.filter(service__in=services)
        rows = mine.select_related("service").order_by("service__name", "created_at")
        return [(str(one.pk), f"{one.service.name}: {one.title}") for one in rows]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(endpoint=read_uuid(self.value())) if self.value() else queryset


@admin.register(CallbackDelivery)
class CallbackDeliveryAdmin(ServiceScopedAdmin):
    """Callback deliveries are read-only."""

    may_add = False
    page_template = "admin/notifications/callback_delivery.html"
    service_path = "endpoint__service"
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_API})
    list_display = ("made", "event_shown", "to_callback", "state_shown", "response", "attempt_count", "next_attempt")
    list_filter = ("state", EndpointFilter)
    list_select_related = ("endpoint__service", "data_set_event")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    row_actions = {"resend": "resend"}
    empty = (
        "No callbacks sent yet. "
        "An event appears here when a message is final, a text message or email arrives, or a recipient unsubscribes."
    )

    def service_id_of(self, obj: Model) -> UUID | None:
        return obj.endpoint.service_id if isinstance(obj, CallbackDelivery) else None

    def get_list_display(self, request: HttpRequest) -> Any:
        """Add the service column if the list shows every service."""
        return (*self.list_display, "of_service") if permissions.sees_all_services(request) else self.list_display

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        callback = reverse("admin:notifications_callbackendpoint_change", args=[obj.endpoint_id])
        resend = "Send now…" if obj.state == DeliveryState.WAITING else "Resend…"
        return [Button(resend, "resend"), Button("Callback settings", url=callback)]

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        delivery: CallbackDelivery = obj
        is_shown_whole = permissions.may_see_recipients(request, delivery.endpoint.service)
        return {
            "state": self.state_shown(delivery),
            "event": self.event_shown(delivery),
            "is_shown_whole": is_shown_whole,
            "url": _shown_url(delivery, is_shown_whole=is_shown_whole),
            "body": _shown_body(delivery, is_shown_whole=is_shown_whole),
            "attempts": [
                {**attempt, "at": parse_datetime(attempt["at"]) if attempt["at"] else None}
                for attempt in delivery.attempts
            ],
            "is_waiting": delivery.state == DeliveryState.WAITING,
            "is_refreshed": _is_due(delivery),
        }

    def resend(self, request: HttpRequest, delivery: Any) -> HttpResponse:
        is_waiting = delivery.state == DeliveryState.WAITING
        title = "Send this event now" if is_waiting else "Resend this event"
        if delivery.endpoint.paused_at is not None:
            remedy = (
                "Resume callback",
                reverse("admin:notifications_callbackendpoint_resume", args=[delivery.endpoint_id]),
            )
            error = "The callback is paused. Resume it to send waiting events."
            return self.error_page(request, delivery, title, error, remedy=remedy)
        if request.method == "POST":
            row = CallbackDelivery.objects.filter(pk=delivery.pk)
            if not row.repeat():
                row.filter(state=DeliveryState.WAITING).update(next_attempt_at=Now())
            tasks.wake_for_callbacks()
            self.audit(request, "resent", delivery)
            done = f"The event is being sent{'' if is_waiting else ' again'}. The response appears here."
            return self.action_done(request, self.row_url(delivery), done)
        explanation = [
            "The next attempt is made now instead of at its scheduled time."
            if is_waiting
            else "The event keeps its webhook-id, so the receiver can recognise it."
        ]
        button = "Send event now" if is_waiting else "Resend event"
        return self.action_page(request, delivery, title, button, explanation)

    # Columns

    made = column(
        "Created", lambda delivery: cells.named(cells.date_above_time(delivery.created_at), delivery.subject_id[:8])
    )

    @admin.display(description="Event")
    def event_shown(self, delivery: CallbackDelivery) -> SafeString | str:
        if delivery.notification_id is not None:
            return cells.two_lines(delivery.about, f"message {str(delivery.notification_id)[:8]}")
        if delivery.is_test:
            return cells.two_lines(delivery.about, delivery.event_type.label)
        row = delivery.data_set_event
        return cells.two_lines(delivery.about, row.path if row else delivery.subject_id[:8])

    to_callback = column("Callback", lambda delivery: delivery.endpoint.title)
    of_service = column("Service", lambda delivery: delivery.endpoint.service.name)
    state_shown = column("State", lambda one: cells.chip(one.get_state_display(), _TONES[DeliveryState(one.state)]))

    @admin.display(description="Last response")
    def response(self, delivery: CallbackDelivery) -> str:
        if not delivery.attempts:
            return "–"
        last = delivery.attempts[-1]
        return str(last["status"]) if last["status"] is not None else "No response"

    attempt_count = column("Attempts", lambda delivery: len(delivery.attempts))

    @admin.display(description="Next attempt")
    def next_attempt(self, delivery: CallbackDelivery) -> SafeString | str:
        if delivery.state != DeliveryState.WAITING:
            return "–"
        return "Paused" if delivery.endpoint.paused_at is not None else cells.date_above_time(delivery.next_attempt_at)


def _is_due(delivery: CallbackDelivery) -> bool:
    """Return whether the next attempt is due soon enough for the page to refresh itself."""
    is_waiting = delivery.state == DeliveryState.WAITING
    is_open = is_waiting and (delivery.endpoint.paused_at is None or delivery.is_test)
    return is_open and delivery.next_attempt_at <= timezone.now() + _SOON


def _shown_url(delivery: CallbackDelivery, *, is_shown_whole: bool) -> str:
    """Return the URL; of one that a request names only the host, without the role that sees recipients."""
    if is_shown_whole or not delivery.endpoint.is_of_requests:
        return delivery.url
    return f"{'://'.join(urlsplit(delivery.url)[:2])}/…"


def _shown_body(delivery: CallbackDelivery, *, is_shown_whole: bool) -> str:
    """Return the posted JSON, indented. What a received email quotes of redacted values is hidden."""
    try:
        body = json.loads(bodies.body_of(delivery))
    except DecryptionFailed:
        return UNREADABLE
    data = body.get("data", body)
    if delivery.received_email is not None:
        shown = redaction.received(delivery.received_email)
        data |= {"subject": shown.subject, "message": shown.text}
    if not is_shown_whole:
        data |= {name: mask(data[name]) for name in _RECIPIENTS if data.get(name)}
    return json.dumps(body, ensure_ascii=False, indent=2)
