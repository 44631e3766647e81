"""Services: made in trial, gone live with a reason, archived and never deleted. Source: Staff console §2.2."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import audit, cells
from config.console.admin import ConsoleModelAdmin
from notifications.admin.service_forms import NameAgainForm, ReasonForm, ServiceForm
from notifications.admin.service_rows import posted
from notifications.models import Permission, Service, SmsSender, TeamMember
from notifications.recipients import email

_UNREVOKED_KEYS = Count("api_keys", filter=Q(api_keys__revoked_at=None), distinct=True)


@admin.register(Service)
class ServiceAdmin(ConsoleModelAdmin):
    form = ServiceForm
    list_display = ("name", "state", "channels", "team_size", "unrevoked_keys", "created")
    list_filter = ("live", "active")
    steps = {"go-live": "go_live", "back-to-trial": "back_to_trial", "archive": "archive"}
    grave_steps = frozenset({"go-live", "archive"})
    change_form_template = "admin/notifications/service_change_form.html"
    empty = "No services yet. A service is one sender of messages, with its own templates, keys and limits."
    readonly_fields = ("state", "id", "created", "api_base")
    add_fieldsets = ((None, {"fields": ("name", "permissions")}),)
    fieldsets = (
        ("General", {"fields": ("name", "state", "id", "api_base", "created", "retention_days")}),
        ("Channels", {"fields": ("permissions", "prefix_sms")}),
        (
            "File download page",
            {
                "fields": ("file_contact",),
                "description": "Shown to people who download a file. Sends with files are refused until this is set.",
            },
        ),
        (
            "Limits",
            {
                "fields": (
                    "rate_limit_per_minute",
                    "daily_limit_email",
                    "daily_limit_sms",
                    "daily_limit_international_sms",
                ),
                "description": "Requests a minute count for each type of key by itself; days are UTC days.",
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fieldsets if obj is not None else self.add_fieldsets

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        return rows.annotate(unrevoked_keys=_UNREVOKED_KEYS, team_size=Count("team", distinct=True))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Start a new service in trial, with a sender to text from and its maker in the team."""
        if change:
            super().save_model(request, obj, form, change)
            return
        obj.created_by = audit.author(request)
        obj.rate_limit_per_minute = settings.RATE_LIMIT_PER_MINUTE
        obj.daily_limit_sms = obj.daily_limit_email = settings.DAILY_LIMIT_TRIAL
        obj.daily_limit_international_sms = min(settings.DAILY_LIMIT_TRIAL, settings.DAILY_LIMIT_INTERNATIONAL_SMS)
        super().save_model(request, obj, form, change)
        SmsSender.objects.create(
            service=obj, sender=settings.DEFAULT_SMS_SENDER, is_default=True, created_by=obj.created_by
        )
        _join(request, obj)

    def audit_scope(self, obj: Any) -> dict[str, Any]:
        return {"service_id": obj.pk}

    @admin.display(description="State")
    def state(self, service: Service) -> SafeString:
        if not service.active:
            return cells.chip("Archived")
        return cells.chip("Live", "good") if service.live else cells.chip("Trial", "warn")

    @admin.display(description="May send")
    def channels(self, service: Service) -> str:
        return ", ".join(Permission(word).label for word in service.permissions)

    @admin.display(description="Team")
    def team_size(self, service: Any) -> int:
        return int(service.team_size)

    @admin.display(description="Keys")
    def unrevoked_keys(self, service: Any) -> int:
        return int(service.unrevoked_keys)

    @admin.display(description="Made")
    def created(self, service: Service) -> SafeString | str:
        return cells.moment(service.created_at)

    @admin.display(description="API base address")
    def api_base(self, service: Service) -> SafeString:
        return cells.code(settings.BASE_URL)

    # Steps

    def go_live(self, request: HttpRequest, service: Service) -> HttpResponse:
        title = f"Make {service.name} live"
        if service.may(Permission.EMAIL) and not service.reply_to_addresses.filter(archived_at=None).exists():
            refusal = "Add a reply-to address first: this service sends email."
            remedy = (
                "Add a reply-to address",
                f"{reverse('admin:notifications_replytoaddress_add')}?service={service.pk}",
            )
            return self.step_page(request, service, title=title, button="", refusal=refusal, remedy=remedy)
        explanation = ["Its live keys will reach anyone.", "The daily limits stay as they are; raise them on its page."]
        return self._set_state(
            request, service, title=title, button="Make live", verb="made_live", explanation=explanation, live=True
        )

    def back_to_trial(self, request: HttpRequest, service: Service) -> HttpResponse:
        explanation = ["It will reach only its team and its guest list until it is made live again."]
        title = f"Put {service.name} back into trial"
        return self._set_state(
            request,
            service,
            title=title,
            button="Back to trial",
            verb="put_back_to_trial",
            explanation=explanation,
            live=False,
        )

    def archive(self, request: HttpRequest, service: Service) -> HttpResponse:
        form = NameAgainForm(posted(request), service=service)
        if request.method == "POST" and form.is_valid():
            Service.objects.filter(pk=service.pk).update(active=False, archived_at=timezone.now())
            self.audit(request, "archived", service, before={"name": service.name, "active": True})
            return self.step_done(request, self.list_url(), f"{service.name} is archived.")
        keys = service.api_keys.filter(revoked_at=None).count()
        explanation = [
            f"Its {keys} unrevoked {'key' if keys == 1 else 'keys'} will be refused from then on.",
            "Nothing is deleted: templates, messages and settings stay readable here.",
        ]
        title = f"Archive {service.name}"
        return self.step_page(
            request,
            service,
            title=title,
            button="Archive this service",
            form=form,
            explanation=explanation,
            is_grave=True,
        )

    def _set_state(
        self,
        request: HttpRequest,
        service: Service,
        *,
        title: str,
        button: str,
        verb: str,
        explanation: list[str],
        live: bool,
    ) -> HttpResponse:
        form = ReasonForm(posted(request))
        if request.method == "POST" and form.is_valid():
            Service.objects.filter(pk=service.pk).update(live=live)
            before: dict[str, object] = {"live": service.live}
            after: dict[str, object] = {"live": live, "name": service.name}
            self.audit(request, verb, service, before=before, after=after, reason=form.cleaned_data["reason"])
            return self.step_done(
                request, self.row_url(service), f"{service.name} is {'live' if live else 'in trial'} now."
            )
        return self.step_page(request, service, title=title, button=button, form=form, explanation=explanation)


def _join(request: HttpRequest, service: Service) -> None:
    """Put the maker into the team, where the account has an address that can be written to."""
    address = getattr(request.user, "email", "")
    try:
        parsed = email.parse(address)
    except email.InvalidEmailAddress:
        return
    TeamMember.objects.create(
        service=service,
        user_id=request.user.pk,
        email_address=parsed.as_given,
        normalised_email=parsed.normalised,
        roles=["manage_service", "manage_api", "edit_templates", "send_messages", "see_recipients", "see_activity"],
        created_by=audit.author(request),
    )
