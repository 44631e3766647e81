"""Callback endpoints: creating, testing, changing, pausing and resuming them, and resending failed callbacks.

Source: docs/reference/console.md §3.8; docs/reference/sending-api.md §20.
"""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from config import audit, data_sets, formats
from config.console.admin import Button, methods
from config.console.admin.filters import yes_no_filter
from config.console.shown_once import Secret, Snippet
from notifications.admin.callbacks.changes import EndpointChanges
from notifications.admin.callbacks.columns import EndpointColumns
from notifications.admin.callbacks.forms import NewCallbackForm, SinceForm, url_error_of
from notifications.admin.service_rows import posted
from notifications.delivery.callbacks import health
from notifications.models import CallbackDelivery, CallbackEndpoint, DeliveryState, PauseReason, Role

DAY = timedelta(days=1)

_OF_ONE_URL = (
    Button("Send test event…", "try"),
    Button("Change URL or token…", "edit"),
    Button("Change name or events…", "events"),
)
_EXPLANATION = (
    "The receiver checks every callback with this secret. Signalbox stores it encrypted, and no page shows it again."
)
_VERIFY = """\
from standardwebhooks import Webhook  # pip install standardwebhooks

event = Webhook({secret!r}).verify(request_body, request_headers)  # raises if the signature is wrong
"""


@admin.register(CallbackEndpoint)
class CallbackEndpointAdmin(EndpointColumns, EndpointChanges):
    """Endpoints are read-only after creation. Each action on one has its own page."""

    add_form = NewCallbackForm
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_API})
    list_display = ("name_and_url", "state", "authentication", "success", "last_call")
    list_filter = ("kind", yes_no_filter("paused", "paused", ~Q(paused_at=None)))
    ordering = ("service__name", "created_at")
    row_actions = {
        **methods("edit", "rotate", "pause", "resume", "resend-failed", "remove"),
        "events": "change_events",
        "try": "try_it",
    }
    protected_actions = frozenset({"edit", "rotate", "remove"})
    change_form_template = "admin/notifications/callback_change_form.html"
    empty = "No callbacks yet. A callback reports events, such as the final status of a message, to your program."
    add_fields = ("service", "name", "kind", "events", "data_sets", "url", "bearer_token", "is_signed")
    editable = frozenset()
    fields = (
        *("service", "shown_name", "shown_kind", "shown_events", "shown_data_sets", "shown_url", "authentication"),
        *("state_in_full", "success", "last_call", "failing", "made_by", "created"),
    )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        if obj is None:
            form.url_error = getattr(request, "url_error", "")
            form.data_set_paths = data_sets.of_person(request)
        return form

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out the data sets if there are none to show or to choose."""
        found: Any = super().get_fields(request, obj)
        if obj is None:
            return found if data_sets.of_person(request) else [name for name in found if name != "data_sets"]
        return found if obj.data_sets else [name for name in found if name != "shown_data_sets"]

    def get_queryset(self, request: HttpRequest) -> Any:
        lately = Q(deliveries__finished_at__gte=timezone.now() - DAY)
        accepted = Q(deliveries__state=DeliveryState.ACCEPTED)
        rows = super().get_queryset(request)
        return rows.annotate(
            ended=Count("deliveries", filter=lately),
            accepted=Count("deliveries", filter=lately & accepted),
            last_accepted=Max("deliveries__finished_at", filter=accepted),
        )

    def buttons(self, request: HttpRequest, obj: CallbackEndpoint) -> list[Button]:
        log = reverse("admin:notifications_callbackdelivery_changelist", query={"endpoint": obj.pk})
        failed = self._failed(obj).count()
        return [
            Button("Delivery log", url=log),
            *([Button("Resume…", "resume", tone="primary")] if obj.paused_at else []),
            *([] if obj.is_of_requests else _OF_ONE_URL),
            Button("Rotate secret…" if obj.encrypted_signing_secret else "Sign callbacks…", "rotate"),
            *([] if obj.paused_at else [Button("Pause…", "pause")]),
            *([Button(f"Resend {failed} failed…", "resend-failed")] if failed else []),
            *([] if obj.is_of_requests else [Button("Remove…", "remove", tone="ending")]),
        ]

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.has_add_permission(request):
            request.url_error = url_error_of(request)  # type: ignore[attr-defined]  # for the form of this request
        return super().add_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:  # a browser may post the page of an endpoint, although it has no fields
            obj.events, obj.data_sets = form.cleaned_data["events"], form.cleaned_data["data_sets"]
            obj.encrypted_bearer_token = obj.encrypt("bearer_token", form.cleaned_data["bearer_token"])
            if form.cleaned_data["is_signed"]:
                obj.rotate_signing_secret(timezone.now())
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        if obj.signing_secret:
            return self.secret_page(request, obj)
        return self.action_done(request, self.row_url(obj), "The callback is created. Send a test event to try it.")

    def secret_of(self, request: HttpRequest, obj: CallbackEndpoint) -> Secret:
        secret = obj.signing_secret or ""
        return Secret(
            kind="Signing secret",
            name=obj.name or obj.get_kind_display(),
            value=secret,
            explanation=_EXPLANATION,
            snippets=(
                Snippet("For an .env file", f"SIGNALBOX_WEBHOOK_SECRET={secret}"),
                Snippet("Check a callback in Python", _VERIFY.format(secret=secret)),
            ),
            where_next=("Go to the callback", self.row_url(obj)),
        )

    # Steps

    def pause(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if row.paused_at is not None:
            return self.error_page(request, row, f"Pause {row.title}", "This callback is already paused.")
        if request.method == "POST":
            health.pause(row, PauseReason.PERSON, audit.person(request))
            return self.action_done(
                request, self.row_url(row), "The callback is paused. Events wait until you resume it."
            )
        explanation = ["Events wait until you resume the callback. An event is deleted together with its message."]
        return self.action_page(request, row, f"Pause {row.title}", "Pause callback", explanation)

    def resume(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if row.paused_at is None:
            return self.error_page(request, row, f"Resume {row.title}", "This callback is not paused.")
        if request.method == "POST":
            health.resume(row, audit.person(request))
            return self.action_done(
                request, self.row_url(row), "The callback is resumed. Waiting events are sent first."
            )
        waiting = row.deliveries.filter(state=DeliveryState.WAITING).count()
        explanation = [
            f"{_events(waiting)} waiting. Resuming sends {'it' if waiting == 1 else 'them'}."
            if waiting
            else "No event is waiting.",
            "To check the receiver first, send a test event.",
        ]
        return self.action_page(request, row, f"Resume {row.title}", "Resume callback", explanation)

    def resend_failed(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        form = SinceForm(posted(request))
        failed = self._failed(row)
        if not failed.exists():
            error = "No event has failed, so there is nothing to resend."
            return self.error_page(request, row, f"Resend failed events: {row.title}", error)
        if request.method == "POST" and form.is_valid():
            since = form.cleaned_data["since"]
            count = failed.filter(finished_at__gte=since).repeat()
            self.audit(request, "resent", row, after={"failed_since": since.isoformat(), "events": count})
            return self.action_done(request, self.row_url(row), f"{_events(count)} sent again.")
        explanation = [
            f"{_events(failed.count())} could not be delivered.",
            "Events that failed since the time below are sent again. Each keeps its webhook-id.",
        ]
        return self.action_page(
            request, row, f"Resend failed events: {row.title}", "Resend failed events", explanation, form=form
        )

    def remove(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if row.is_of_requests:
            error = "Signalbox creates this callback again for the next request. Pause it instead."
            return self.error_page(request, row, f"Remove {row.title}", error)
        if request.method == "POST":
            self.audit(request, "removed", row, before={"kind": row.kind, "url": row.url})
            row.delete()
            return self.action_done(request, self.list_url(), f"{row.title} is removed.")
        waiting = row.deliveries.filter(state=DeliveryState.WAITING).count()
        explanation = [
            f"This deletes the delivery log and {_events(waiting)} that {'is' if waiting == 1 else 'are'} waiting."
            if waiting
            else "This deletes the delivery log of the callback.",
            "This cannot be undone.",
        ]
        return self.action_page(
            request, row, f"Remove {row.title}", "Remove callback", explanation, is_destructive=True
        )

    @staticmethod
    def _failed(row: CallbackEndpoint) -> Any:
        return CallbackDelivery.objects.filter(endpoint=row, state=DeliveryState.GIVEN_UP)


def _events(count: int) -> str:
    return formats.counted(count, "event")
