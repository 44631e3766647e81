"""Pages of callers' one-click URLs: the list by host, and the test of one. Source: docs/reference/console.md §3.7."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import audit, formats
from config.audit.masking import mask
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.theme import CheckboxInput
from notifications.admin import permissions
from notifications.admin.service_rows import posted
from notifications.models import Notification, Role, Service, UnsubscribeProbe
from notifications.models.unsubscribe_probe import MOST_AN_HOUR
from notifications.submission.suppressions import one_click
from notifications.submission.suppressions.one_click import UrlInUse

LIST, TEST = "one-click", "one-click-test"
TEST_ROLES = (Role.MANAGE_API, Role.MANAGE_SERVICE)


class TestUrlForm(forms.Form):
    """The consent to unsubscribe the recipient. A test email needs none."""

    knows = forms.BooleanField(
        label="The recipient of this email may be unsubscribed",
        widget=CheckboxInput,
        error_messages={"required": "Confirm that the recipient may be unsubscribed."},
    )

    def __init__(self, data: Any = None, *, used: UrlInUse) -> None:
        super().__init__(data)
        if used.is_test:
            del self.fields["knows"]


class OneClickPages(ConsoleModelAdmin):
    """Two pages of the admin of unsubscribe requests. They are about the chosen service."""

    list_pages = {LIST: "one_click_urls", TEST: "test_url"}

    def one_click_urls(self, request: HttpRequest) -> HttpResponse:
        service = self._service(request)
        tested = UnsubscribeProbe.objects.last_of_each_origin(service) if service else {}
        failed = {origin for origin, probe in tested.items() if not probe.is_accepted}
        used = sorted(one_click.in_use(service) if service else [], key=lambda one: one.origin not in failed)
        context = {
            **self.page_context(request, "One-click unsubscribe URLs"),
            "service": service,
            "rows": [(one, tested.get(one.origin)) for one in used],
            "may_test": permissions.may(request, *TEST_ROLES),
            "emails_read": one_click.EMAILS_READ,
            "list_url": self.list_url(),
        }
        return TemplateResponse(request, "admin/notifications/one_click_urls.html", context)

    def test_url(self, request: HttpRequest) -> HttpResponse:
        """Explain a test and, on POST, do it. No transaction is open during the call."""
        service = self._service(request)
        if service is None or not permissions.may(request, *TEST_ROLES):
            raise PermissionDenied
        origin = request.GET.get("origin", "")
        used = next((one for one in one_click.in_use(service) if one.origin == origin), None)
        if used is None:
            raise Http404
        form, error = TestUrlForm(posted(request), used=used), ""
        if not UnsubscribeProbe.objects.has_room(service):
            error = f"A service can test {MOST_AN_HOUR} URLs an hour. Try again later."
        elif request.method == "POST" and form.is_valid():
            probe = one_click.try_url(service, used, actor=audit.person(request), by=audit.author(request))
            (messages.success if probe.is_accepted else messages.error)(request, probe.sentence)
            return HttpResponseRedirect(self.url_of(LIST))
        context = {
            **self.page_context(request, f"Test the URL at {origin}"),
            "form": form,
            "error": error,
            "explanation": _explanation(request, service, used),
            "button": "Test this URL",
            "list_url": self.url_of(LIST),
        }
        return TemplateResponse(request, "admin/action.html", context)

    def _service(self, request: HttpRequest) -> Service | None:
        """Return the chosen service, or None if an operator sees all. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return permissions.chosen_service(request)


def _explanation(request: HttpRequest, service: Service, used: UrlInUse) -> list[str]:
    recipient = Notification.objects.filter(pk=used.notification_id).values_list("recipient", flat=True).first() or ""
    shown = recipient if permissions.may_see_recipients(request, service) else mask(recipient)
    kind = "test email" if used.is_test else "email"
    return [
        f"Signalbox sends the request of the unsubscribe button to the URL of the {kind} to {shown} of "
        f"{formats.spoken(used.sent_at)}.",
        "Nobody got a test email, so its URL is the safe one to test."
        if used.is_test
        else "If the URL works, this recipient is unsubscribed. To avoid that, send an email with a test key first.",
    ]
