"""Callback endpoints: creating, testing, pausing and resuming them, rotating secrets, resending failed callbacks.

A service has at most one endpoint for each kind of event.
Source: docs/reference/console.md §3.8; docs/reference/sending-api.md §20.
"""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from config import audit, formats
from config.audit import changes
from config.console import shown_once
from config.console.admin import Button, ShownOnceAdmin
from config.console.shown_once import Secret, Snippet
from notifications.admin.callbacks.columns import EndpointColumns
from notifications.admin.callbacks.forms import EditCallbackForm, NewCallbackForm, SinceForm, url_error_of
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.delivery.callbacks import health
from notifications.models import CallbackDelivery, CallbackEndpoint, DeliveryState, PauseReason, Role

DAY = timedelta(days=1)

_EXPLANATION = (
    "The receiver checks every callback with this secret. Signalbox stores it encrypted, and no page shows it again."
)
_VERIFY = """\
from standardwebhooks import Webhook  # pip install standardwebhooks

event = Webhook({secret!r}).verify(request_body, request_headers)  # raises if the signature is wrong
"""


@admin.register(CallbackEndpoint)
class CallbackEndpointAdmin(EndpointColumns, ShownOnceAdmin, ServiceRowAdmin):
    """Endpoints are read-only after creation. Each action on one has its own page."""

    add_form = NewCallbackForm
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_API})
    list_display = ("kind_and_url", "state", "authentication", "success", "last_call")
    list_filter = ("kind",)
    ordering = ("service__name", "kind")
    row_actions = {
        "edit": "edit",
        "rotate": "rotate",
        "try": "try_it",
        "pause": "pause",
        "resume": "resume",
        "resend-failed": "resend_failed",
        "remove": "remove",
    }
    protected_actions = frozenset({"edit", "rotate", "remove"})
    change_form_template = "admin/notifications/callback_change_form.html"
    empty = "No callbacks yet. A callback reports the final status of each message to a program of the service."
    add_fields = ("service", "kind", "url", "bearer_token", "is_signed")
    editable = frozenset()
    fields = (
        *("service", "shown_kind", "shown_url", "authentication", "state_in_full", "success", "last_call", "failing"),
        *("made_by", "created"),
    )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        if obj is None:
            form.url_error = getattr(request, "url_error", "")
        return form

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
            Button("Send test event…", "try"),
            Button("Change URL or token…", "edit"),
            Button("Rotate secret…" if obj.encrypted_signing_secret else "Sign callbacks…", "rotate"),
            *([] if obj.paused_at else [Button("Pause…", "pause")]),
            *([Button(f"Resend {failed} failed…", "resend-failed")] if failed else []),
            Button("Remove…", "remove", tone="ending"),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if self.has_add_permission(request):
            request.url_error = url_error_of(request)  # type: ignore[attr-defined]  # for the form of this request
        return super().add_view(request, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
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
            name=obj.get_kind_display(),
            value=secret,
            explanation=_EXPLANATION,
            snippets=(
                Snippet(label="For an .env file", text=f"SIGNALBOX_WEBHOOK_SECRET={secret}"),
                Snippet(label="Check a callback in Python", text=_VERIFY.format(secret=secret)),
            ),
            where_next=("Go to the callback", self.row_url(obj)),
        )

    # Steps

    def _do_action(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        """Resolve a new URL before the transaction begins: a DNS look-up may take seconds."""
        if word == "edit" and self.has_module_permission(request):
            request.url_error = url_error_of(request)  # type: ignore[attr-defined]  # for the form of this request
        return super()._do_action(word, request, object_id)

    def edit(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        error = getattr(request, "url_error", "")
        form = EditCallbackForm(posted(request), initial={"url": row.url}, url_error=error, row=row)
        if request.method == "POST" and form.is_valid():
            stored = changes.snapshot(row)
            row.url = form.cleaned_data["url"]
            token = form.cleaned_data["bearer_token"]
            if token and token != row.bearer_token:
                row.encrypted_bearer_token = row.encrypt("bearer_token", token)
            row.save(update_fields=["url", "encrypted_bearer_token"])
            was, now = changes.difference(stored, changes.snapshot(row))
            if now:
                self.audit(request, "changed", row, before=was, after=now)
            return self.action_done(
                request, self.row_url(row), "URL and token saved. All callbacks, including waiting ones, now use them."
            )
        explanation = ["Events that are waiting to be sent go to the new URL as well."]
        return self.action_page(
            request,
            row,
            title=f"Change URL or token: {row.title}",
            button="Save URL and token",
            form=form,
            explanation=explanation,
        )

    def rotate(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        had_one = row.signing_secret is not None
        if request.method == "POST":
            shown_once.spend(request)
            row.rotate_signing_secret(timezone.now())
            columns = ["encrypted_signing_secret", "encrypted_old_signing_secret", "old_signing_secret_until"]
            row.save(update_fields=columns)
            self.audit(request, "rotated", row)
            return self.secret_page(request, row)
        explanation = (
            "For 24 hours, callbacks are signed with both the new and the old secret. Update the receiver in this time."
            if had_one
            else "Every callback is then signed. Receivers that do not check signatures keep working."
        )
        title = f"{'Rotate the secret' if had_one else 'Sign callbacks'}: {row.title}"
        button = "Rotate secret" if had_one else "Sign callbacks"
        return self.action_page(
            request, row, title=title, button=button, explanation=[explanation], nonce=shown_once.new_nonce(request)
        )

    def try_it(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if request.method == "POST":
            delivery = CallbackDelivery.objects.owe_test(row)
            self.audit(request, "tried", row)
            page = reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])
            return self.action_done(request, page, "The test event is being sent. The response appears here.")
        explanation = [
            "Signalbox sends a test event to the URL at once, even if the callback is paused. It has the usual token "
            "and signature.",
            "A test delivery status has the reference “test event” and the template "
            "00000000-0000-0000-0000-000000000000.",
        ]
        return self.action_page(
            request, row, title=f"Send a test event: {row.title}", button="Send test event", explanation=explanation
        )

    def pause(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if row.paused_at is not None:
            return self.error_page(request, row, f"Pause {row.title}", "This callback is already paused.")
        if request.method == "POST":
            health.pause(row, PauseReason.PERSON, audit.person(request))
            return self.action_done(
                request, self.row_url(row), "The callback is paused. Events wait until you resume it."
            )
        explanation = ["Events wait until you resume the callback. An event is deleted together with its message."]
        return self.action_page(
            request, row, title=f"Pause {row.title}", button="Pause callback", explanation=explanation
        )

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
        return self.action_page(
            request, row, title=f"Resume {row.title}", button="Resume callback", explanation=explanation
        )

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
            request,
            row,
            title=f"Resend failed events: {row.title}",
            button="Resend failed events",
            form=form,
            explanation=explanation,
        )

    def remove(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
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
            request,
            row,
            title=f"Remove {row.title}",
            button="Remove callback",
            explanation=explanation,
            is_destructive=True,
        )

    @staticmethod
    def _failed(row: CallbackEndpoint) -> Any:
        return CallbackDelivery.objects.filter(endpoint=row, state=DeliveryState.GIVEN_UP)


def _events(count: int) -> str:
    return formats.counted(count, "event")
