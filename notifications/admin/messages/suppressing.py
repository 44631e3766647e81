"""Suppress the recipient of a message on its page. Source: docs/reference/suppressions.md §4."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from config import audit
from config.console.admin.model_admin import ConsoleModelAdmin
from notifications.admin import permissions
from notifications.admin.service_rows import posted
from notifications.admin.suppressions.admin import SuppressionAdmin
from notifications.admin.suppressions.forms import SuppressForm
from notifications.models import Notification
from notifications.submission.suppressions import listing

SUPPRESS = "suppress"
STOP = "Stop sending to this person"


def may_suppress(request: HttpRequest, message: Notification) -> bool:
    """Return whether this person may change the suppressions of the message's service."""
    return permissions.may_in(request, message.service_id, SuppressionAdmin.change_roles)


class SuppressingActions(ConsoleModelAdmin):
    """The action on the recipient of a message."""

    def suppress(self, request: HttpRequest, message: Notification) -> HttpResponse:
        form = SuppressForm(posted(request))
        if request.method == "POST" and form.is_valid():
            row = listing.of_message(message, created_by=audit.author(request), **form.cleaned_data)
            stored, is_new = listing.add(row, audit.person(request))
            page = reverse("admin:notifications_suppression_change", args=[stored.pk])
            done = "is suppressed." if is_new else "was suppressed by hand already. The later last day counts."
            return self.action_done(request, page, f"{self.title_of(request, message)} {done}")
        channel = message.get_channel_display().lower()
        explanation = [
            f"{message.service.name} sends no more {channel}s to this recipient, until you lift the suppression or it "
            "ends. That includes messages that wait to be sent.",
        ]
        return self.action_page(
            request, message, f"Suppress {self.title_of(request, message)}", STOP, explanation, form=form
        )
