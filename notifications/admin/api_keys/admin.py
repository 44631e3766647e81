"""API keys: creating, showing once and revoking them, and the values that a program needs beside its key.

Source: docs/reference/console.md §2.3.
"""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import audit, formats
from config.console import cells
from config.console.admin import Button, ShownOnceAdmin, many_rows
from config.console.admin.columns import column
from config.console.shown_once import Secret, Snippet, new_nonce, spend
from notifications.admin import permissions
from notifications.admin.api_keys import revoking, rotating, usage
from notifications.admin.api_keys.filters import LAST_USED_FILTER, STATE_FILTER, MakerFilter
from notifications.admin.api_keys.forms import ApiKeyForm
from notifications.admin.messages import status_titles
from notifications.admin.service_rows import ServiceRowAdmin, list_in_service
from notifications.models import ApiKey, GuestListEntry, KeyType, Notification, Role, Service
from notifications.models.status import COMPLETED
from notifications.submission.templates import examples

_EXPLANATION = (
    "Signalbox stores the secret encrypted, because it checks signatures with it. "
    "No page shows it again, and nobody can read it from the database alone."
)
_EFFECT = "Revoking takes effect within 2 seconds and cannot be undone."


@admin.register(ApiKey)
class ApiKeyAdmin(ShownOnceAdmin, ServiceRowAdmin):
    secret_template = "admin/notifications/api_key_made.html"  # noqa: S105  it waits for the first call
    add_form = ApiKeyForm
    add_fields = (
        *("service", "name", "key_type", "manages_templates", "allowed_networks", "allowed_templates"),
        *("daily_limit", "expires_at", "note"),
    )
    fields = ("name", "type", "ending", "may", "limits", "state", "last_used", "client", "week", "ends", "made", "note")
    editable = frozenset({"note"})  # a caller uses the key
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.MANAGE_API})
    list_display = ("name", "type_and_ending", "state", "used", "client", "week", "made")
    list_filter = ("key_type", STATE_FILTER, LAST_USED_FILTER, MakerFilter)
    actions = ("revoke_chosen",)
    row_actions = {"rotate": "rotate", "revoke": "revoke", "calls": "calls"}
    protected_actions = frozenset({"rotate"})
    read_only_actions = frozenset({"calls"})
    change_form_template = "admin/notifications/api_key_change_form.html"
    change_list_template = "admin/notifications/api_key_list.html"
    empty = "No API keys yet. Start with a test key: nothing is really sent."

    class Media:
        css = {"all": ("notifications/messages.css", "notifications/keys.css")}

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.editable = permissions.services_with(request, Role.EDIT_TEMPLATES)
        return form

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return usage.with_week(super().get_queryset(request))

    def list_context(self, request: HttpRequest, changelist: Any) -> dict[str, Any]:
        """Return the base URL, the service id and the newest messages, which are above the keys of one service."""
        service = permissions.chosen_service(request)
        return {"integration": self._integration(request, service) if service else None}

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        days = usage.days(obj)
        return {
            "days": days,
            "most_calls": max(day.calls for day in days),
            "endpoints": usage.endpoints(obj),
            "call_errors": usage.call_errors(obj),
            "templates_used": usage.templates_used(obj),
        }

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        if obj.revoked_at:
            return []
        revoke = Button("Revoke key…", "revoke", tone="ending")
        return [Button("Rotate key…", "rotate"), revoke] if obj.is_live(timezone.now()) else [revoke]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.set_secret(str(uuid.uuid4()))
        super().save_model(request, obj, form, change)

    def secret_of(self, request: HttpRequest, obj: ApiKey) -> Secret:
        """Return the key in the form that a program needs. `obj` is the new row."""
        whole = f"{obj.name}-{obj.service_id}-{obj.secret}"
        template = obj.service.templates.filter(archived_at=None).first()
        return Secret(
            kind="API key",
            name=obj.name,
            value=whole,
            explanation=_EXPLANATION,
            parts=(
                Snippet("Name", obj.name),
                Snippet("Service ID", str(obj.service_id)),
                Snippet("Secret", obj.secret),
            ),
            snippets=(Snippet("For an .env file", f"NOTIFY_API_KEY={whole}"),),
            examples=tuple(
                Snippet(label, example(settings.BASE_URL, whole, template))
                for label, example in examples.LANGUAGES.items()
            ),
            where_next=("Go to the keys", self.list_url()),
        )

    def calls(self, request: HttpRequest, key: ApiKey) -> HttpResponse:
        """Return the part of the page of a new key that waits for its first call: its use and its newest message."""
        newest = Notification.objects.filter(service=key.service_id, key_type=key.key_type, api_key=key)
        message = newest.order_by("-created_at", "-id").first() if key.last_used_at else None
        log: Any = self.admin_site.get_model_admin(Notification)
        context = {
            "original": key,
            "is_final": message is not None and message.status in COMPLETED,
            "result": status_titles.of(message) if message else "",
            "message_url": log.row_url(message) if message and log.has_view_permission(request, message) else "",
        }
        return TemplateResponse(request, "admin/notifications/first_call.html", context)

    def rotate(self, request: HttpRequest, key: ApiKey) -> HttpResponse:
        title = f"Rotate {key.name}"
        if not key.is_live(timezone.now()):
            return self.error_page(request, key, title, "This key has expired or was revoked. Create a new key.")
        form = rotating.KeyRotationForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            spend(request)
            twin = rotating.rotate(key, ends_at=form.ends_at(), author=audit.author(request))
            ends = key.expires_at.isoformat() if key.expires_at else None
            self.audit(request, "rotated", key, after={"name": key.name, "expires_at": ends})
            self.audit(request, "created", twin, after={"name": twin.name, "key_type": twin.key_type})
            return self.secret_page(request, twin)
        explanation = [
            f"{_last_use(key)}.",
            "You get a new key with the same type, permissions and limits. It is shown once. "
            "Both keys work until the old one expires.",
        ]
        return self.action_page(request, key, title, "Rotate key", explanation, form=form, nonce=new_nonce(request))

    def revoke(self, request: HttpRequest, key: ApiKey) -> HttpResponse:
        title = f"Revoke {key.name}"
        if key.revoked_at is not None:
            by = f" by {key.revoked_by}" if key.revoked_by else ""
            error = f"This key was already revoked{by}. A revoked key cannot be used again."
            return self.error_page(request, key, title, error)
        if request.method == "POST":
            many_rows.do_one(request, revoking.KIND, key)
            return self.action_done(
                request, self.list_url(), f"{key.name} is revoked. Calls with it fail within 2 seconds."
            )
        explanation = [
            *_warning(key),
            f"{_last_use(key)}.",
            _EFFECT,
            "The key stays in the list, with the time and the person who revoked it.",
        ]
        return self.action_page(request, key, title, "Revoke key", explanation, is_destructive=True)

    @admin.action(description="Revoke…", permissions=["change"])
    def revoke_chosen(self, request: HttpRequest, chosen: QuerySet[ApiKey]) -> HttpResponse:
        """Show the last use of each key, and revoke the keys when the person confirms."""
        return many_rows.confirm(
            self,
            request,
            self.changeable(request, chosen).filter(revoked_at=None).order_by("name", "pk"),
            revoking.KIND,
            title="Revoke keys",
            button=lambda number: f"Revoke {formats.counted(number, 'key')}",
            nothing="All of these keys are already revoked.",
            explanation=[f"{_EFFECT} The keys stay in the list, with the time and the person who revoked them."],
            columns=("API key", "Service", "Type", "Last used"),
            cells=lambda keys: [
                (key.name, key.service, key.get_key_type_display(), f"{_last_use(key)}.") for key in keys
            ],
            is_destructive=True,
        )

    def _integration(self, request: HttpRequest, service: Service) -> dict[str, Any]:
        shows_whole = permissions.may_see_recipients(request, service)
        calls = [
            {
                "message": message,
                "status": status_titles.chip(message),
                "recipient": permissions.shown(message.recipient, is_shown_whole=shows_whole),
            }
            for message in usage.newest_calls(service)
        ]
        guest_list = list_in_service(request, service, GuestListEntry)
        return {
            "base_url": settings.BASE_URL,
            "service": service,
            "calls": calls,
            "guest_list": guest_list,
            "may_open_log": permissions.may_in(request, service.pk, [Role.SEE_ACTIVITY]),
        }

    @admin.display(description="Type")
    def type(self, key: ApiKey) -> SafeString:
        tones = {KeyType.LIVE: "bad", KeyType.TEAM: "warn"}
        return cells.chip(key.get_key_type_display(), tones.get(KeyType(key.key_type), "accent"))

    @admin.display(description="Type and last characters")
    def type_and_ending(self, key: ApiKey) -> SafeString:
        further = ", manages templates" if key.manages_templates else ""
        return cells.two_lines(self.type(key), f"…{key.last4}{further}")

    may = column("Permissions", lambda key: f"Send messages{', manage templates' if key.manages_templates else ''}")
    limits = column("Limited to", lambda key: _limits(key) or "–")
    ending = column("Secret ends with", lambda key: cells.code(f"…{key.last4}"))

    @admin.display(description="State")
    def state(self, key: ApiKey) -> SafeString:
        if key.revoked_at is not None:
            by = f"by {key.revoked_by}" if key.revoked_by else ""
            return cells.two_lines(cells.chip("Revoked"), format_html("{}<br>{}", cells.moment(key.revoked_at), by))
        if key.expires_at is not None and not key.is_live(timezone.now()):
            return cells.two_lines(cells.chip("Expired"), cells.moment(key.expires_at))
        chip = cells.chip("In use", "good")
        return chip if key.expires_at is None else cells.two_lines(chip, f"until {formats.spoken(key.expires_at)}")

    @admin.display(description="Last used", ordering="last_used_at")
    def used(self, key: ApiKey) -> SafeString:
        word, tone = usage.in_a_word(key, timezone.now())
        return cells.two_lines(cells.chip(word, tone), cells.moment(key.last_used_at, never=""))

    client = column("Client", lambda key: key.last_client or "–")
    week = column(
        "Calls, 7 days",
        lambda key: cells.two_lines(formats.counted(key.calls, "call"), f"{formats.number(key.refused)} refused"),
    )
    last_used = column("Last used", lambda key: cells.moment(key.last_used_at, never="Never"))
    ends = column("Expires", lambda key: cells.moment(key.expires_at, never="Never"))
    made = column("Created", lambda key: cells.moment_by(key.created_at, key.created_by), ordering="created_at")


def _limits(key: ApiKey) -> str:
    """Return the networks, the number of templates and the messages a day to which a key is limited."""
    limits = [*key.allowed_networks]
    if key.allowed_templates:
        limits.append(formats.counted(len(key.allowed_templates), "template"))
    if key.daily_limit is not None:
        limits.append(f"{formats.counted(key.daily_limit, 'message')} a day")
    return ", ".join(limits)


def _warning(key: ApiKey) -> list[str]:
    """Return a warning if a program used the key in the last seven days."""
    if key.last_used_at is None or timezone.now() - key.last_used_at > usage.WEEK:
        return []
    return ["A program still uses this key. Give it another key first, or its calls will fail."]


def _last_use(key: ApiKey) -> str:
    """Return when a key was last used, and by which client."""
    if key.last_used_at is None:
        return "It has never been used"
    by = f" by {key.last_client}" if key.last_client else ""
    return f"Last used {formats.on(key.last_used_at)}{by}"
