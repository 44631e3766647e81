"""Services: the list, creating one in trial, and the page with its settings. Services are never deleted.

Source: docs/reference/console.md §2.2.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from config import audit, formats
from config.audit import changes
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from config.console.admin.row_actions import Button, methods
from config.utc_days import today
from notifications.admin import permissions
from notifications.admin.limits import page as limits_page
from notifications.admin.service_rows import posted
from notifications.admin.services import alarm, forms, page
from notifications.admin.services.alarm import FailureAlarmPage
from notifications.admin.services.sending_forms import ApiForm, QuietHoursForm
from notifications.admin.services.state import ARCHIVED, StateSteps
from notifications.jobs import limits
from notifications.models import HourlyCount, Permission, Role, Service, SmsSender, Status, TeamMember
from notifications.recipients import email
from notifications.submission import public_pages
from notifications.validation.daily_limits import new_daily_limits

_CHANNELS = {Permission.EMAIL: "Email", Permission.SMS: "Text messages"}
_FAILED = (Status.TEMPORARY_FAILURE, Status.PERMANENT_FAILURE, Status.TECHNICAL_FAILURE)
_DAYS = 7  # UTC days, today included
_FOR_OPERATORS = frozenset({"limits", "return-limits", "archive"})
_STATE = frozenset({"go-live", "back-to-trial"})
_FORMS: dict[str, tuple[type[forms.SectionForm], str]] = {
    "general": (forms.GeneralForm, "General settings"),
    "email": (forms.EmailForm, "Email settings"),
    "file-page": (forms.FilePageForm, "File download page"),
    "public-pages": (forms.PublicPagesForm, "Public pages"),
    "texts": (forms.TextsForm, "Text message settings"),
    "quiet-hours": (QuietHoursForm, "Quiet hours"),
    "api": (ApiForm, "API settings"),
    "limits": (forms.LimitsForm, "Limits"),
}


_STATE_FILTER = choice_filter(
    "state",
    {
        "trial": ("Trial", by(Q(active=True, live=False))),
        "live": ("Live", by(Q(active=True, live=True))),
        "archived": ("Archived", by(Q(active=False))),
    },
)


class ChannelFilter(admin.SimpleListFilter):
    title = "channel"
    parameter_name = "channel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(permission.value, name) for permission, name in _CHANNELS.items()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """Filter in Python: services are few, and SQLite cannot search a list stored as JSON."""
        if self.value() not in {permission.value for permission in _CHANNELS}:
            return queryset
        kept = [pk for pk, words in Service.objects.values_list("pk", "permissions") if self.value() in words]
        return queryset.filter(pk__in=kept)


@admin.register(Service)
class ServiceAdmin(FailureAlarmPage, StateSteps):
    service_path = "pk"
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_SERVICE})
    form = forms.NewServiceForm
    add_form_template = "admin/notifications/service_add_form.html"
    opens_new_row = True
    next_step = "Next: create a template."
    fields = ("name", "permissions")
    page_template = "admin/sections.html"
    list_display = (
        *("name", "state", "channels", "sent", "failed"),
        *("team_size", "keys", "created"),
    )
    list_filter = (_STATE_FILTER, ChannelFilter)
    actions = None
    row_actions = {
        **dict.fromkeys(_FORMS, "change_section"),
        **methods("go-live", "ask-to-go-live", "back-to-trial", "archive", "return-limits", "failure-alarm"),
        "previews": "preview_pages",
    }
    read_only_actions = frozenset({"previews"})
    protected_actions = frozenset({"go-live", "archive"})
    empty = "No services yet. A service is one sender of messages, with its own templates, keys and limits."

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        """List all services of this person, whichever is chosen."""
        return rows

    def get_queryset(self, request: HttpRequest) -> Any:
        is_live = Q(api_keys__revoked_at=None) & (
            Q(api_keys__expires_at=None) | Q(api_keys__expires_at__gt=timezone.now())
        )
        rows = super().get_queryset(request)
        return rows.annotate(
            live_keys=Count("api_keys", filter=is_live, distinct=True),
            team_size=Count("team", distinct=True),
            sent=Coalesce(_count("n"), 0),
            failed=Coalesce(_count("n", status__in=_FAILED), 0),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return permissions.is_operator(request)

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        """Reserve limits and archiving for operators, and also going live if SELF_GO_LIVE is off."""
        if word in _FOR_OPERATORS or (word in _STATE and not settings.SELF_GO_LIVE):
            return permissions.is_operator(request)
        return super().may_do(request, word, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Create a service in trial, with the default sender and its creator as a team member."""
        obj.created_by = audit.author(request)
        obj.rate_limit_per_minute = settings.RATE_LIMIT_PER_MINUTE
        for name, value in new_daily_limits(live=False).items():
            setattr(obj, name, value)
        super().save_model(request, obj, form, change)
        SmsSender.objects.create(
            service=obj, sender=settings.DEFAULT_SMS_SENDER, is_default=True, created_by=obj.created_by
        )
        _join(request, obj)

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        start = {"limits": new_daily_limits(live=False), "sms_sender": settings.DEFAULT_SMS_SENDER}
        return super().add_view(request, extra_context=start)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        permissions.choose(request, obj)
        return super().response_add(request, obj, post_url_continue)

    def give_title(self, request: HttpRequest, obj: Any) -> None:
        """Show the list above a service only to operators who come from it: others have no list of services."""
        super().give_title(request, obj)
        if not permissions.is_operator(request) or permissions.chosen_service(request) == obj:
            obj.crumbs_above = []

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Return the sections of a service. Each has its own page for changes."""
        change = partial(self._change, request, obj)
        found = page.sections(obj, change, self.links(request, obj))
        return {"sections": [*found, alarm.section(request, obj, change)]}

    def change_section(self, request: HttpRequest, service: Service) -> HttpResponse:
        word = request.path.rstrip("/").rpartition("/")[2]
        form_class, name = _FORMS[word]
        title = f"{name} of {service.name}"
        if not service.active:
            return self.error_page(request, service, title, ARCHIVED)
        form = form_class(posted(request), instance=service)
        if isinstance(form, forms.NamedForm):
            form.may_protect = permissions.is_operator(request)
        if request.method == "POST" and form.is_valid() and isinstance(form, forms.LimitsForm):
            reason = form.cleaned_data["reason"]
            limits.change(service, form.values, audit.person(request), audit.author(request), reason, until=form.until)
        elif request.method == "POST" and form.is_valid():
            stored = Service.objects.get(pk=service.pk)
            form.store()
            was, now = changes.difference(changes.snapshot(stored), changes.snapshot(form.instance))
            if now:
                self.audit(request, "changed", service, before=was, after=now)
        if request.method == "POST" and form.is_valid():
            return self.action_done(request, f"{self.row_url(service)}#{word}", f"{name} saved.")
        effect = ["Changes take effect within 2 seconds."]
        button = f"Save {name if name[:2].isupper() else name[0].lower() + name[1:]}"
        return self.action_page(request, service, title, button, effect, form=form)

    def preview_pages(self, request: HttpRequest, service: Service) -> HttpResponse:
        """List links to previews of the pages that recipients of this service see."""
        token = public_pages.write_token(service)
        found = [(title, public_pages.url(token, page)) for page, title in public_pages.PAGES.items()]
        context = self.page_context(request, f"Public pages of {service.name}", service)
        return TemplateResponse(request, "admin/notifications/public_pages.html", {**context, "previews": found})

    def return_limits(self, request: HttpRequest, service: Service) -> HttpResponse:
        """Apply the lasting limits again before the last day of the temporary changes."""
        title = f"End the temporary limits of {service.name}"
        rows = limits.temporary(service)
        if not rows or not service.active:
            error = "This service has no temporary limits." if service.active else ARCHIVED
            return self.error_page(request, service, title, error)
        form = forms.ReasonForm(posted(request))
        if request.method == "POST" and form.is_valid():
            limits.return_now(service, audit.person(request), form.cleaned_data["reason"])
            where = reverse("admin:service_limits", args=[service.pk])
            return self.action_done(request, where, "The former limits apply again.")
        explanation = [
            f"{limit.label}: {formats.number(row.returns_to or 0)} again instead of {formats.number(row.value)}."
            for limit, row in rows.items()
        ]
        return self.action_page(request, service, title, "End temporary limits", explanation, form=form)

    def may_open(self, request: HttpRequest, word: str) -> bool:
        """Return whether this person may open the pages Limits and Reports. The menu calls this."""
        return limits_page.may_open(request)

    def _change(self, request: HttpRequest, service: Service, word: str, label: str) -> tuple[Button, ...]:
        is_open = service.active and self.may_do(request, word, service)
        return (Button(label, url=self.url_of(word, service)),) if is_open else ()

    # Columns

    @admin.display(description="State")
    def state(self, service: Service) -> SafeString:
        if not service.active:
            return cells.chip("Archived")
        return cells.chip("Live", "good") if service.live else cells.chip("Trial", "warn")

    @admin.display(description="Channels")
    def channels(self, service: Service) -> str:
        return ", ".join(name for permission, name in _CHANNELS.items() if permission in service.permissions) or "–"

    sent = column("Sent in 7 days", lambda service: formats.number(service.sent), ordering="sent")

    @admin.display(description="Failed")
    def failed(self, service: Any) -> SafeString | str:
        """Return the failed share: grey up to 1 %, amber up to 3 %, above that red with the word "high".

        Source: docs/reference/console.md §2.1.
        """
        if not service.sent:
            return "–"
        share = 100 * service.failed / service.sent
        shown = formats.percent(share)
        if share <= 1:
            return shown
        return cells.chip(shown, "warn") if share <= 3 else cells.chip(f"{shown} high", "bad")

    team_size = column("Team", lambda service: formats.number(service.team_size))
    keys = column("Live keys", lambda service: int(service.live_keys))
    created = column("Created", lambda service: cells.moment(service.created_at))


def _count(column: str, **what: Any) -> Subquery:
    """Sum a service's counts of the last days. They are kept longer than messages."""
    first = today() - timedelta(days=_DAYS - 1)
    mine = HourlyCount.objects.filter(service=OuterRef("pk"), day__gte=first, **what).order_by()
    return Subquery(mine.values("service").annotate(sum=Sum(F(column))).values("sum"))


def _join(request: HttpRequest, service: Service) -> None:
    """Add the creator of a service to its team, without an email address if the account has no valid one."""
    try:
        parsed = email.parse(getattr(request.user, "email", ""))
    except email.InvalidEmailAddress:
        parsed = None
    TeamMember.objects.create(
        service=service,
        user_id=request.user.pk,
        email_address=parsed.as_given if parsed else "",
        normalised_email=parsed.key if parsed else "",
        roles=list(Role.values),
        created_by=audit.author(request),
    )
