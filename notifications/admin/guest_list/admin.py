"""The guest list: recipients besides the team that team keys and services in trial may reach.

A first POST checks all entered lines and shows the result. A second POST saves the valid lines.
The page carries them between the two requests; the server stores nothing.
Source: docs/reference/console.md §2.8.
"""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import audit, formats
from config.audit import changes
from config.console import cells
from config.console.admin import Button
from config.console.admin.columns import column
from notifications.admin import permissions
from notifications.admin.guest_list.forms import MOST_LINES, EnteredLine, NewGuestsForm, checked
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import GuestListEntry, Notification, Role, Service


@admin.register(GuestListEntry)
class GuestListEntryAdmin(ServiceRowAdmin):
    change_roles = frozenset({Role.MANAGE_API})
    shows_recipients = True
    editable = frozenset({"note"})
    row_actions = {"remove": "remove"}
    fields = ("recipient", "kind", "note", "last_used", "added")
    list_display = ("recipient", "kind", "note", "last_used", "added")
    list_filter = ("kind",)
    ordering = ("kind", "created_at", "id")
    empty = "Nobody yet. The service can send to the guest list in trial, and with a team and guest list key."

    def get_queryset(self, request: HttpRequest) -> Any:
        """Annotate each entry with the time of its newest kept message. An index finds each one."""
        theirs = Notification.objects.filter(
            service=OuterRef("service"), normalised_recipient=OuterRef("normalised")
        ).order_by("-created_at")
        return super().get_queryset(request).annotate(last_message_at=Subquery(theirs.values("created_at")[:1]))

    def add_title(self) -> str:
        return "Add to the guest list"

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Remove…", "remove", tone="ending")]

    def remove(self, request: HttpRequest, entry: GuestListEntry) -> HttpResponse:
        name = self.title_of(request, entry)
        if request.method == "POST":
            self.delete_model(request, entry)
            return self.action_done(request, self.list_url(), f"{name} is no longer on the guest list.")
        reach = "The service can no longer send to this recipient in trial or with a team key."
        return self.action_page(
            request, entry, f"Remove {name}", "Remove from guest list", [reach], is_destructive=True
        )

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check the entered lines, and save the valid ones when the person confirms."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        initial = self.get_changeform_initial_data(request)
        form = NewGuestsForm(posted(request), services=self._open_services(request), initial=initial)
        lines: list[EnteredLine] = []
        if request.method == "POST" and form.is_valid():
            with transaction.atomic():
                answer, form, lines = self._judge(request, form)
            if answer is not None:
                return answer
        good = sum(1 for line in lines if not line.reason)
        context = {**self.page_context(request, self.add_title()), "form": form, "lines": lines, "good": good}
        return TemplateResponse(request, "admin/notifications/guest_list_add.html", {**context, "most": MOST_LINES})

    def _judge(
        self, request: HttpRequest, form: NewGuestsForm
    ) -> tuple[HttpResponse | None, NewGuestsForm, list[EnteredLine]]:
        """Return a redirect if every line was saved, else the form and the checked lines."""
        cleaned = form.cleaned_data
        service: Service = Service.objects.select_for_update().get(pk=cleaned["service"].pk)  # one at a time
        lines = checked(service, cleaned["entries"])
        if len(lines) > MOST_LINES:
            form.add_error(
                "entries",
                f"Enter at most {formats.number(MOST_LINES)} lines at once. You entered {formats.number(len(lines))}.",
            )
            return None, form, []
        if "save" not in request.POST:
            return None, form, lines
        added = [self._add(request, service, line, cleaned["note"]) for line in lines if not line.reason]
        if added:
            messages.success(request, f"You added {len(added)} to the guest list.")
        wrong = [line for line in lines if line.reason and not line.is_in_team]
        if not wrong:
            return HttpResponseRedirect(self.list_url()), form, []
        left = "\n".join(line.text for line in wrong)
        typed = {"service": service.pk, "entries": left, "note": cleaned["note"]}
        return None, NewGuestsForm(typed, services=self._open_services(request)), wrong

    def _add(self, request: HttpRequest, service: Service, line: EnteredLine, note: str) -> GuestListEntry:
        entry = GuestListEntry.objects.create(
            service=service,
            kind=line.kind,
            value=line.given,
            normalised=line.normalised,
            note=note,
            created_by=audit.author(request),
        )
        self.audit(request, "created", entry, after=changes.snapshot(entry))
        return entry

    recipient = column("Entry", lambda entry: cells.breakable(permissions.shown_recipient(entry, entry.value)))
    last_used = column("Last used", lambda one: cells.moment(one.last_message_at, never="Not in the stored messages"))
    added = column("Added", lambda entry: cells.moment_by(entry.created_at, entry.created_by))
