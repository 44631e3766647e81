"""The list of suppressions, one suppression, and its steps. Source: docs/reference/suppressions.md §4."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, Value
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from config import audit, formats
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from config.console.admin.row_actions import Button
from config.console.sections import Section
from config.page_bodies import takes_files
from notifications.admin import permissions
from notifications.admin.list_download import ListDownload
from notifications.admin.recipient_search import RecipientSearchAdmin
from notifications.admin.service_rows import posted
from notifications.admin.suppressions import importing, page
from notifications.admin.suppressions.forms import WHOLE_INSTALLATION, EndForm, LiftForm, NewSuppressionForm
from notifications.models import Role, Suppression, SuppressionSource
from notifications.submission.suppressions import listing

_IS_LIFTED = Q(lifted_at__isnull=False)
_HAS_EXPIRED = Q(lifted_at=None, expires_at__lte=Now())
_STATE_FILTER = choice_filter(
    "state",
    {
        "active": ("Active", by(~_IS_LIFTED & ~_HAS_EXPIRED)),
        "lifted": ("Lifted", by(_IS_LIFTED)),
        "expired": ("Expired", by(_HAS_EXPIRED)),
    },
)


class WhereFilter(admin.RelatedFieldListFilter):
    """A filter by service that names the suppressions without one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.empty_value_display = SafeString(WHOLE_INSTALLATION)


@admin.register(Suppression)
class SuppressionAdmin(RecipientSearchAdmin):
    """Members who manage the service add and lift its suppressions, operators also those of the whole installation."""

    page_template = "admin/sections.html"
    change_roles = frozenset({Role.MANAGE_SERVICE})
    list_display = ("to_whom", "channel", "why", "message", "since", "until", "state")
    list_filter = (_STATE_FILTER, "reason", "channel", "source")
    list_download = ListDownload(
        noun="suppression",
        audit_verb="downloaded_suppressions",
        columns={
            "Recipient": "recipient",
            "Channel": "channel",
            "Suppressed because": "reason",
            "Source": "source",
            "Reason": "note",
            "Message id": "notification_id",
            "Service": Coalesce("service__name", Value(WHOLE_INSTALLATION)),
            "Since (UTC)": "created_at",
            "Added by": "created_by",
            "Until (UTC)": "expires_at",
            "Lifted at (UTC)": "lifted_at",
            "Lifted by": "lifted_by",
            "Why lifted": "lift_reason",
        },
        recipient="recipient",
    )
    list_pages = {**RecipientSearchAdmin.list_pages, "import": "import_page"}
    search_kind, search_label = "suppressions", "Email address or phone number"
    row_actions = {"lift": "lift", "end": "change_end"}
    empty = (
        "Nobody is stopped. People to whom nothing more is sent appear here, also after a hard bounce or a complaint."
    )

    def add_title(self) -> str:
        return "Stop sending to a person"

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show where a suppression applies in place of the service, which the whole installation lacks."""
        return tuple("where" if name == "service" else name for name in super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        filters = super().get_list_filter(request)
        return tuple(("service", WhereFilter) if name == "service" else name for name in filters)

    # Pages

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        own = [Button("Import CSV…", url=self.url_of("import"))] if self.has_add_permission(request) else []
        return own + super().list_buttons(request, changelist)

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Lift…", "lift"), Button("Change last day…", "end")] if obj.is_active else []

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        return {"sections": [Section(slug="suppression", title="Suppression", facts=page.facts(obj))]}

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = NewSuppressionForm(posted(request), request=request, services=self._open_services(request))
        if request.method == "POST" and form.is_valid():
            values = form.cleaned_data
            row = listing.new(
                form.service,
                values["recipient"],
                source=SuppressionSource.CONSOLE,
                created_by=audit.author(request),
                note=values["note"],
                expires_at=values["expires_at"],
            )
            stored, is_new = listing.add(row, audit.person(request))
            done = "is suppressed." if is_new else "was suppressed by hand already. The later last day counts."
            return self.action_done(request, self.row_url(stored), f"{self.title_of(request, stored)} {done}")
        context = {
            **self.page_context(request, self.add_title()),
            "explanation": ["Nothing more is sent to this recipient, until you lift the suppression or it ends."],
            "form": form,
            "button": self.add_title(),
        }
        return TemplateResponse(request, "admin/action.html", context)

    @takes_files
    def import_page(self, request: HttpRequest) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        return importing.answer(self, request, self._open_services(request))

    # Steps

    def lift(self, request: HttpRequest, row: Suppression) -> HttpResponse:
        title = f"Lift the suppression of {self.title_of(request, row)}"
        if ended := page.end_of(row):
            return self.error_page(request, row, title, ended)
        form = LiftForm(posted(request))
        if request.method == "POST" and form.is_valid():
            reason = form.cleaned_data["reason"]
            listing.lift(row, audit.person(request), by=audit.author(request), reason=reason)
            return self.action_done(request, self.row_url(row), "The suppression is lifted.")
        return self.action_page(request, row, title, "Lift suppression", page.before_lifting(row), form=form)

    def change_end(self, request: HttpRequest, row: Suppression) -> HttpResponse:
        title = f"Change the last day for {self.title_of(request, row)}"
        if ended := page.end_of(row):
            return self.error_page(request, row, title, ended)
        form = EndForm(posted(request), expires_at=row.expires_at)
        if request.method == "POST" and form.is_valid():
            listing.change_end(row, form.cleaned_data["expires_at"], audit.person(request))
            return self.action_done(request, self.row_url(row), "The last day is changed.")
        return self.action_page(request, row, title, "Change last day", form=form)

    # Columns

    to_whom = column("Recipient", lambda row: cells.breakable(permissions.shown_recipient(row, row.recipient)))

    where = column("Service", page.where)
    why = column("Reason", lambda row: cells.two_lines(row.get_reason_display(), row.get_source_display()))
    message = column("Message", lambda row: cells.code(str(row.notification_id)[:8]) if row.notification_id else "–")
    since = column("Since", lambda row: cells.moment_by(row.created_at, row.created_by))
    until = column("Until", lambda row: formats.spoken(row.expires_at) if row.expires_at else "–")
    state = column("State", page.state)
