"""The steps that change a callback endpoint: its URL and token, its name and events, and its signing secret.

Source: docs/reference/console.md §3.8; docs/callbacks.md.
"""

from typing import Any

from django.db import models
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from config import data_sets
from config.audit import changes
from config.audit.models import AuditEvent
from config.console import shown_once
from config.console.admin import ShownOnceAdmin
from notifications.admin.callbacks.forms import EditCallbackForm, EventsForm, TestForm, url_error_of
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import CallbackDelivery, CallbackEndpoint

_NO_URL = "Each of these callbacks goes to the URL that its request names."


class EndpointChanges(ShownOnceAdmin, ServiceRowAdmin):
    """Steps of an admin whose rows are endpoints."""

    def _do_action(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        """Resolve a new URL before the transaction begins: a DNS look-up may take seconds."""
        if word == "edit" and self.has_module_permission(request):
            request.url_error = url_error_of(request)  # type: ignore[attr-defined]  # for the form of this request
        return super()._do_action(word, request, object_id)

    def audit(self, request: HttpRequest, verb: str, obj: models.Model, **what: Any) -> AuditEvent:
        """Record an event with the paths of data sets instead of their ids."""
        for values in (what.get("before"), what.get("after")):
            if values and values.get("data_sets"):
                paths = data_sets.paths(values["data_sets"])
                values["data_sets"] = [paths.get(pk, f"deleted data set {pk}") for pk in values["data_sets"]]
        return super().audit(request, verb, obj, **what)

    def edit(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        if row.is_of_requests:
            return self.error_page(request, row, f"Change URL or token: {row.title}", _NO_URL)
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
            request, row, f"Change URL or token: {row.title}", "Save URL and token", explanation, form=form
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
        return self.action_page(request, row, title, button, [explanation], nonce=shown_once.new_nonce(request))

    def change_events(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        title = f"Change name or events: {row.title}"
        if row.is_of_requests:
            return self.error_page(request, row, title, "These callbacks report when a message is delivered or failed.")
        known = {**data_sets.paths(row.data_sets), **data_sets.of_person(request)}
        form = EventsForm(posted(request), row=row, data_set_paths=known)
        if request.method == "POST" and form.is_valid():
            stored = changes.snapshot(row)
            row.name, row.events = form.cleaned_data["name"], form.cleaned_data["events"]
            row.data_sets = form.cleaned_data["data_sets"]
            row.save(update_fields=["name", "events", "data_sets"])
            was, now = changes.difference(stored, changes.snapshot(row))
            if now:
                self.audit(request, "changed", row, before=was, after=now)
            return self.action_done(request, self.row_url(row), "Saved. The callback reports these events from now on.")
        explanation = ["Events that already wait are still sent."]
        return self.action_page(request, row, title, "Save", explanation, form=form)

    def try_it(self, request: HttpRequest, row: CallbackEndpoint) -> HttpResponse:
        title = f"Send a test event: {row.title}"
        if row.is_of_requests:
            return self.error_page(request, row, title, _NO_URL)
        form = TestForm(posted(request), events=row.chosen_events)
        if request.method == "POST" and form.is_valid():
            delivery = CallbackDelivery.objects.owe_test(row, form.event)
            self.audit(request, "tried", row)
            page = reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])
            return self.action_done(request, page, "The test event is being sent. The response appears here.")
        explanation = [
            "Signalbox sends a test event to the URL at once, even if the callback is paused. It has the usual token "
            "and signature.",
            "The test of a message has the reference “test event” and the template "
            "00000000-0000-0000-0000-000000000000.",
        ]
        return self.action_page(request, row, title, "Send test event", explanation, form=form)
