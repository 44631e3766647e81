"""Files sent by email: seen, withdrawn, shortened and extended, and never opened."""

from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config.console import audit, cells
from notifications.admin.attachment_forms import LastDayForm, WithdrawForm, in_words
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import Attachment, AttachmentState, DownloadEvent, DownloadKind, Notification, Role
from notifications.models.attachment import MAX_WEEKS, end_of_day, end_of_period, last_day_before
from notifications.models.retention import kept_since
from notifications.submission import redaction

_TONES = {AttachmentState.AVAILABLE: "good", AttachmentState.WITHDRAWN: "bad"}
_EVENTS_SHOWN = 20
# Counted for the rows of a page alone; the counters of the row are of windows and go with the blob.
_WRONG_ADDRESSES = Subquery(
    DownloadEvent.objects.filter(attachment=OuterRef("pk"), kind=DownloadKind.WRONG_ADDRESS)
    .order_by()
    .values("attachment")
    .annotate(count=Count("pk"))
    .values("count")
)
_NOT_AGAIN = "It cannot be brought back."


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return AttachmentState.choices

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value() or ""
        is_known = chosen in AttachmentState.values
        return queryset.in_state(AttachmentState(chosen), timezone.now()) if is_known else queryset


class TypeFilter(admin.AllValuesFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "type"


class AsksForAddressFilter(admin.SimpleListFilter):
    title = "asks for email"
    parameter_name = "asks"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """Leave out what is removed: nobody knows of those any more."""
        if self.value() not in {"yes", "no"}:
            return queryset
        return queryset.filter(deleted_at=None, email_tag__isnull=self.value() == "no")


class LastDayFilter(admin.SimpleListFilter):
    title = "last day"
    parameter_name = "ends"
    within = {"today": 0, "week": 7, "month": 31}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("today", "Today"), ("week", "In the next 7 days"), ("month", "In the next 31 days")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        days = self.within.get(self.value() or "")
        if days is None:
            return queryset
        latest = end_of_day(_today() + timedelta(days=days))
        return queryset.in_state(AttachmentState.AVAILABLE, timezone.now()).filter(expires_at__lte=latest)


@admin.register(Attachment)
class AttachmentAdmin(ServiceRowAdmin):
    """Nobody adds or changes a file by a form: what may be done to one is a step with a page of its own."""

    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_SERVICE})
    list_display = (
        "shown_name",
        "type_of_file",
        "size",
        "message",
        "sent",
        "ends",
        "asks",
        "downloads",
        "tries",
        "state",
    )
    list_filter = (StateFilter, ("extension", TypeFilter), LastDayFilter, AsksForAddressFilter)
    list_select_related = ("service", "template")
    ordering = ("-created_at", "-id")
    steps = {"withdraw": "withdraw", "shorten": "shorten", "extend": "extend"}
    change_form_template = "admin/notifications/attachment_change_form.html"
    empty = "No files. A file sent in the personalisation of an email appears here."
    fields = (
        *("shown_name", "state", "service", "type_of_file", "size", "message_link", "sent", "ends", "asks"),
        *("downloads", "last_download", "tries", "happened", "withdrawn"),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(wrong_addresses=Coalesce(_WRONG_ADDRESSES, 0))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Offer no way to save: there is nothing to."""
        unsaved = {"show_save": False}
        is_available = context["original"].state(timezone.now()) is AttachmentState.AVAILABLE
        return super().render_change_form(
            request, {**context, **unsaved, "is_available": is_available}, *args, **kwargs
        )

    def title_of(self, request: HttpRequest, obj: Any) -> str:
        return self.shown_name(obj)

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
            told = f"{self.title_of(request, file)} is withdrawn."
            return self._change(request, file, "withdrew", changes, told, reason=reason)
        explanation = [
            "Whoever holds the link is told that it has been withdrawn, from the next click on.",
            "This cannot be undone. The file itself is removed within 15 minutes.",
        ]
        return self.step_page(
            request, file, title=title, button="Withdraw now", form=form, explanation=explanation, is_grave=True
        )

    def shorten(self, request: HttpRequest, file: Attachment) -> HttpResponse:
        title = f"Shorten the time of {self.title_of(request, file)}"
        latest = file.last_day - timedelta(days=1)
        too_late = "Today is its last day already. To end it at once, withdraw it." if latest < _today() else ""
        return self._set_last_day(request, file, "shortened", title, _today(), latest, too_late)

    def extend(self, request: HttpRequest, file: Attachment) -> HttpResponse:
        title = f"Extend the time of {self.title_of(request, file)}"
        farthest = last_day_before(end_of_period(file.created_at, weeks=MAX_WEEKS))
        too_far = (
            f"It is kept for {MAX_WEEKS} weeks already, which is the longest." if file.last_day >= farthest else ""
        )
        return self._set_last_day(
            request, file, "extended", title, file.last_day + timedelta(days=1), farthest, too_far
        )

    def _set_last_day(
        self, request: HttpRequest, file: Attachment, verb: str, title: str, earliest: date, latest: date, refusal: str
    ) -> HttpResponse:
        if refused := self._refused(request, file, title):
            return refused
        if refusal:
            return self.step_page(request, file, title=title, button="", refusal=refusal)
        form = LastDayForm(posted(request), earliest=earliest, latest=latest)
        if request.method == "POST" and form.is_valid():
            day = form.cleaned_data["last_day"]
            told = f"{self.title_of(request, file)} can be downloaded until the end of {in_words(day)}."
            return self._change(request, file, verb, {"expires_at": end_of_day(day)}, told)
        explanation = [
            f"Now its last day is {in_words(file.last_day)}, in the zone {timezone.get_default_timezone_name()}."
        ]
        return self.step_page(request, file, title=title, button="Set last day", form=form, explanation=explanation)

    def _change(
        self, request: HttpRequest, file: Attachment, verb: str, changes: dict[str, Any], told: str, reason: str = ""
    ) -> HttpResponse:
        """Change the row where it is still available, and write down the days, never the name."""
        available = Attachment.objects.in_state(AttachmentState.AVAILABLE, timezone.now()).filter(pk=file.pk)
        if not available.update(**changes):
            file.refresh_from_db()
            return self._refused(request, file, self.title_of(request, file)) or self.step_done(
                request, self.row_url(file), told
            )
        before: dict[str, object] = {"last_day": file.last_day.isoformat()}
        after: dict[str, object] = {}
        if "expires_at" in changes:
            after["last_day"] = last_day_before(changes["expires_at"]).isoformat()
        self.audit(request, verb, file, before=before, after=after, reason=reason)
        return self.step_done(request, self.row_url(file), told)

    def _refused(self, request: HttpRequest, file: Attachment, title: str) -> HttpResponse | None:
        """Answer for a file that is gone; None for one that can be had."""
        match file.state(timezone.now()):
            case AttachmentState.AVAILABLE:
                return None
            case AttachmentState.WITHDRAWN:
                by = file.withdrawn_by or "somebody"
                refusal = f"{by} has withdrawn this file before. {_NOT_AGAIN}"
            case _:
                refusal = f"The last day of this file was {in_words(file.last_day)}. {_NOT_AGAIN}"
        return self.step_page(request, file, title=title, button="", refusal=refusal)

    # Columns

    @admin.display(description="File name")
    def shown_name(self, file: Attachment) -> str:
        return redaction.file_name(file)

    @admin.display(description="Size")
    def size(self, file: Attachment) -> str:
        return filesizeformat(file.size_bytes)

    @admin.display(description="Message")
    def message(self, file: Attachment) -> SafeString:
        return cells.code(str(file.notification_id)[:8])

    @admin.display(description="Message")
    def message_link(self, file: Attachment) -> SafeString | str:
        """Return the id of the message, with a link while the message is kept."""
        if not Notification.objects.filter(pk=file.notification_id, created_at__gte=kept_since(file.service)).exists():
            return format_html("{} <small>The message is deleted: its time is over.</small>", file.notification_id)
        url = reverse("admin:notifications_notification_change", args=[file.notification_id])
        return format_html('<a class="sb-link" href="{}">{}</a>', url, file.notification_id)

    @admin.display(description="Sent", ordering="created_at")
    def sent(self, file: Attachment) -> SafeString | str:
        return cells.moment(file.created_at)

    @admin.display(description="Last day", ordering="expires_at")
    def ends(self, file: Attachment) -> str:
        return f"{file.last_day:%-d %b %Y}"

    @admin.display(description="Asks for email")
    def asks(self, file: Attachment) -> str:
        if file.deleted_at is not None:
            return "–"
        return "Yes" if file.asks_for_address else "No"

    @admin.display(description="Last download")
    def last_download(self, file: Attachment) -> SafeString | str:
        return cells.moment(file.last_download_at, never="Never")

    @admin.display(description="Downloads", ordering="download_count")
    def downloads(self, file: Attachment) -> str:
        return cells.number(file.download_count)

    @admin.display(description="Wrong-address tries")
    def tries(self, file: Any) -> str:
        return cells.number(int(file.wrong_addresses))

    @admin.display(description="Type", ordering="extension")
    def type_of_file(self, file: Attachment) -> str:
        return file.extension

    @admin.display(description="State")
    def state(self, file: Attachment) -> SafeString:
        state = file.state(timezone.now())
        return cells.chip(state.label, _TONES.get(state, ""))

    @admin.display(description="Withdrawn")
    def withdrawn(self, file: Attachment) -> str:
        if file.withdrawn_at is None:
            return "–"
        return f"{cells.spoken(file.withdrawn_at)} by {file.withdrawn_by or 'somebody'}: {file.withdrawn_why}"

    @admin.display(description="What recipients did")
    def happened(self, file: Attachment) -> SafeString | str:
        events = file.events.order_by("-at")[:_EVENTS_SHOWN]
        lines = [(event.get_kind_display(), cells.moment(event.at)) for event in events]
        return format_html_join("", "<div>{}, {}</div>", lines) or "Nothing yet"


def _today() -> date:
    return timezone.localdate(timezone=timezone.get_default_timezone())
