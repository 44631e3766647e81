"""Files sent by email: the list, one file, withdrawing it and changing its last day. Staff cannot open a file."""

from datetime import date, timedelta
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config import audit, formats
from config.console import cells
from config.console.admin import Button
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from notifications.admin.attachments.forms import LastDayForm, WithdrawForm
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import Attachment, AttachmentState, DownloadEvent, DownloadKind, Notification, Role
from notifications.models.attachment import MAX_WEEKS, end_of_day, end_of_period, last_day_before
from notifications.submission.templates import redaction

_TONES = {AttachmentState.AVAILABLE: "good", AttachmentState.WITHDRAWN: "bad"}
_EVENTS_SHOWN = 20
# The counters on the row cover a time window and are deleted with the file, so this counts the events.
_WRONG_EMAIL_ADDRESSES = Subquery(
    DownloadEvent.objects.filter(attachment=OuterRef("pk"), kind=DownloadKind.WRONG_EMAIL_ADDRESS)
    .order_by()
    .values("attachment")
    .annotate(count=Count("pk"))
    .values("count")
)
_NOT_AGAIN = "It cannot be brought back."


def _in_state(state: AttachmentState, files: Any) -> Any:
    return files.in_state(state, timezone.now())


def _ending_within(days: int, files: Any) -> Any:
    latest = end_of_day(_today() + timedelta(days=days))
    return _in_state(AttachmentState.AVAILABLE, files).filter(expires_at__lte=latest)


_STATE_FILTER = choice_filter(
    "state", {state.value: (state.label, partial(_in_state, state)) for state in AttachmentState}
)


class TypeFilter(admin.AllValuesFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "type"


# Leave out removed files: whether they asked for an email address is no longer stored.
_ASKS_FILTER = choice_filter(
    "asks for email",
    {
        "yes": ("Yes", by(Q(deleted_at=None, email_tag__isnull=False))),
        "no": ("No", by(Q(deleted_at=None, email_tag=None))),
    },
    parameter="asks",
)


_LAST_DAY_FILTER = choice_filter(
    "last day",
    {
        "today": ("Today", partial(_ending_within, 0)),
        "week": ("In the next 7 days", partial(_ending_within, 7)),
        "month": ("In the next 31 days", partial(_ending_within, 31)),
    },
    parameter="ends",
)


@admin.register(Attachment)
class AttachmentAdmin(ServiceRowAdmin):
    """Files are read-only. Each action on a file has its own page."""

    may_add = False
    editable = frozenset()
    view_roles = frozenset({Role.SEE_ACTIVITY})
    is_reading_logged = True
    change_roles = frozenset({Role.MANAGE_SERVICE})
    list_display = (
        *("shown_name", "type_and_size", "message", "sent", "ends", "asks", "downloads"),
        *("wrong_email_address_count", "state"),
    )
    list_filter = (_STATE_FILTER, ("extension", TypeFilter), _LAST_DAY_FILTER, _ASKS_FILTER)
    list_select_related = ("service", "template")
    ordering = ("-created_at", "-id")
    row_actions = {"withdraw": "withdraw", "shorten": "shorten", "extend": "extend"}
    change_form_template = "admin/notifications/attachment_change_form.html"
    empty = "No files. A file sent in the personalisation of an email appears here."
    fields = (
        *("shown_name", "state", "service", "type_of_file", "size", "message_link", "sent", "ends", "asks"),
        *("downloads", "last_download", "wrong_email_address_count", "happened", "withdrawn"),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(wrong_email_addresses=Coalesce(_WRONG_EMAIL_ADDRESSES, 0))

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        if obj.state(timezone.now()) is not AttachmentState.AVAILABLE:
            return []
        return [
            Button("Set earlier last day…", "shorten"),
            Button("Set later last day…", "extend"),
            Button("Withdraw now…", "withdraw", tone="ending"),
        ]

    def title_of(self, request: HttpRequest, obj: Any) -> str:
        return redaction.file_name(obj)

    # Steps

    def withdraw(self, request: HttpRequest, file: Attachment) -> HttpResponse:
        title = f"Withdraw {self.title_of(request, file)}"
        if refused := self._refused(request, file, title):
            return refused
        form = WithdrawForm(posted(request))
        if request.method == "POST" and form.is_valid():
            reason = form.cleaned_data["reason"]
            by = audit.author(request)
            changes = {"withdrawn_at": timezone.now(), "withdrawn_by": by, "withdrawn_why": reason}
            message = f"{self.title_of(request, file)} is withdrawn."
            return self._change(request, file, "withdrew", changes, message, reason=reason)
        explanation = [
            "From now on, the link leads to a page that says the file was withdrawn.",
            "This cannot be undone. The file itself is removed within 15 minutes.",
        ]
        return self.action_page(request, file, title, "Withdraw file now", explanation, form=form, is_destructive=True)

    def shorten(self, request: HttpRequest, file: Attachment) -> HttpResponse:
        title = f"Set an earlier last day for {self.title_of(request, file)}"
        latest = file.last_day - timedelta(days=1)
        too_late = "Today is already its last day. To end it now, withdraw it." if latest < _today() else ""
        return self._set_last_day(request, file, "shortened", title, _today(), latest, too_late)

    def extend(self, request: HttpRequest, file: Attachment) -> HttpResponse:
        title = f"Set a later last day for {self.title_of(request, file)}"
        farthest = last_day_before(end_of_period(file.created_at, weeks=MAX_WEEKS))
        too_far = (
            f"It is already kept for {MAX_WEEKS} weeks, which is the longest time." if file.last_day >= farthest else ""
        )
        return self._set_last_day(
            request, file, "extended", title, file.last_day + timedelta(days=1), farthest, too_far
        )

    def _set_last_day(
        self, request: HttpRequest, file: Attachment, verb: str, title: str, earliest: date, latest: date, error: str
    ) -> HttpResponse:
        if refused := self._refused(request, file, title):
            return refused
        if error:
            return self.error_page(request, file, title, error)
        form = LastDayForm(posted(request), earliest=earliest, latest=latest)
        if request.method == "POST" and form.is_valid():
            day = form.cleaned_data["last_day"]
            message = f"{self.title_of(request, file)} can be downloaded until the end of {formats.weekday(day)}."
            return self._change(request, file, verb, {"expires_at": end_of_day(day)}, message)
        explanation = [f"The last day is now {formats.weekday(file.last_day)}."]
        return self.action_page(request, file, title, "Set last day", explanation, form=form)

    def _change(
        self, request: HttpRequest, file: Attachment, verb: str, changes: dict[str, Any], message: str, reason: str = ""
    ) -> HttpResponse:
        """Update a file that is still available. The audit gets its last day, never its name."""
        available = Attachment.objects.in_state(AttachmentState.AVAILABLE, timezone.now()).filter(pk=file.pk)
        if not available.update(**changes):
            file.refresh_from_db()
            return self._refused(request, file, self.title_of(request, file)) or self.action_done(
                request, self.row_url(file), message
            )
        before, ends = {"last_day": file.last_day.isoformat()}, changes.get("expires_at")
        after = {"last_day": last_day_before(ends).isoformat()} if ends else {}
        self.audit(request, verb, file, before=before, after=after, reason=reason)
        return self.action_done(request, self.row_url(file), message)

    def _refused(self, request: HttpRequest, file: Attachment, title: str) -> HttpResponse | None:
        """Return a page that explains why the file is unavailable, or None if it is available."""
        match file.state(timezone.now()):
            case AttachmentState.AVAILABLE:
                return None
            case AttachmentState.WITHDRAWN:
                by = f" by {file.withdrawn_by}" if file.withdrawn_by else ""
                error = f"This file was already withdrawn{by}. {_NOT_AGAIN}"
            case _:
                error = f"The last day of this file was {formats.weekday(file.last_day)}. {_NOT_AGAIN}"
        return self.error_page(request, file, title, error)

    # Columns

    shown_name = column("File name", lambda file: redaction.file_name(file))
    size = column("Size", lambda file: formats.size(file.size_bytes))
    message = column("Message", lambda file: cells.code(str(file.notification_id)[:8]))

    @admin.display(description="Message")
    def message_link(self, file: Attachment) -> SafeString | str:
        """Return the message id, with a link if the message still exists."""
        if not Notification.objects.filter(pk=file.notification_id, created_at__gte=file.service.kept_since()).exists():
            return format_html("{} <small>The message is already deleted.</small>", file.notification_id)
        url = reverse("admin:notifications_notification_change", args=[file.notification_id])
        return format_html('<a class="sb-link" href="{}">{}</a>', url, file.notification_id)

    sent = column("Sent", lambda file: cells.date_above_time(file.created_at), ordering="created_at")
    ends = column("Last day", lambda file: formats.day(file.last_day), ordering="expires_at")
    asks = column(
        "Asks for email address",
        lambda file: "–" if file.deleted_at else "Yes" if file.asks_for_email_address else "No",
    )
    last_download = column("Last download", lambda file: cells.moment(file.last_download_at, never="Never"))
    downloads = column("Downloads", lambda file: formats.number(file.download_count), ordering="download_count")
    wrong_email_address_count = column("Wrong email addresses", lambda file: formats.number(file.wrong_email_addresses))
    type_and_size = column(
        "Type and size",
        lambda file: cells.two_lines(file.extension.upper(), formats.size(file.size_bytes)),
        ordering="extension",
    )
    type_of_file = column("Type", lambda file: file.extension.upper())

    @admin.display(description="State")
    def state(self, file: Attachment) -> SafeString:
        state = file.state(timezone.now())
        return cells.chip(state.label, _TONES.get(state, ""))

    @admin.display(description="Withdrawn")
    def withdrawn(self, file: Attachment) -> str:
        if file.withdrawn_at is None:
            return "–"
        by = f" by {file.withdrawn_by}" if file.withdrawn_by else ""
        return f"{formats.spoken(file.withdrawn_at)}{by}: {file.withdrawn_why}"

    @admin.display(description="Recent activity")
    def happened(self, file: Attachment) -> SafeString | str:
        events = file.events.order_by("-at")[:_EVENTS_SHOWN]
        lines = [(event.get_kind_display(), cells.moment(event.at)) for event in events]
        return format_html_join("", "<div>{}, {}</div>", lines) or "None yet"


def _today() -> date:
    return timezone.localdate(timezone=timezone.get_default_timezone())
