"""API keys: made, shown once, revoked, never deleted. Source: Staff console §2.3."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import audit, cells
from config.console.admin import ShownOnceAdmin
from config.console.shown_once import Secret, Snippet
from notifications.admin.api_key_forms import ApiKeyForm, ApiKeyNoteForm
from notifications.admin.service_rows import ServiceRowAdmin
from notifications.models import ApiKey, KeyType
from notifications.submission import examples

_EXPLANATION = (
    "Signalbox keeps the secret encrypted, because it has to check signatures with it. "
    "No page shows it again, and nobody can read it out of the database alone."
)


@admin.register(ApiKey)
class ApiKeyAdmin(ShownOnceAdmin, ServiceRowAdmin):
    secret_kind = "API key"  # noqa: S105  a word of the page
    form = ApiKeyForm
    list_display = ("name", "type", "ending", "service", "state", "last_used", "made_by", "created")
    list_filter = ("service", "key_type")
    steps = {"revoke": "revoke"}
    change_form_template = "admin/notifications/api_key_change_form.html"
    empty = "No keys yet. A test key is the safe one to begin with."

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["form"] = ApiKeyForm if obj is None else ApiKeyNoteForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("service", "name", "key_type", "expires_at", "note")
        return ("name", "type", "ending", "state", "last_used", "last_client", "ends", "made_by", "created", "note")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fix all of a key but its note: a caller holds it."""
        return () if obj is None else tuple(name for name in self.get_fields(request, obj) if name != "note")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.set_secret(str(uuid.uuid4()))
        super().save_model(request, obj, form, change)

    def secret_of(self, request: HttpRequest, obj: ApiKey) -> Secret:
        """Describe the key as its program needs it; `obj` is the row just made."""
        whole = f"{obj.name}-{obj.service_id}-{obj.secret}"
        template = obj.service.templates.filter(archived_at=None).first()
        return Secret(
            kind=self.secret_kind,
            name=obj.name,
            value=whole,
            explanation=_EXPLANATION,
            parts=(
                Snippet(label="Name", text=obj.name),
                Snippet(label="Service id", text=str(obj.service_id)),
                Snippet(label="Secret", text=obj.secret),
            ),
            snippets=(
                Snippet(label="For an .env file", text=f"NOTIFY_API_KEY={whole}"),
                Snippet(label="Send one from Python", text=examples.python(settings.BASE_URL, whole, template)),
                Snippet(label="Send one from a shell", text=examples.shell(settings.BASE_URL, whole, template)),
            ),
            where_next=("To the keys", self.list_url()),
        )

    def revoke(self, request: HttpRequest, key: ApiKey) -> HttpResponse:
        title = f"Revoke {key.name}"
        if key.revoked_at is not None:
            refusal = f"This key was revoked by {key.revoked_by or 'somebody'} before. It stays revoked."
            return self.step_page(request, key, title=title, button="", refusal=refusal)
        if request.method == "POST":
            key.revoked_at, key.revoked_by = timezone.now(), audit.author(request)
            key.save(update_fields=["revoked_at", "revoked_by"])
            self.audit(request, "revoked", key, before={"name": key.name, "last4": key.last4})
            return self.step_done(
                request, self.list_url(), f"{key.name} is revoked. Calls with it fail within 2 seconds."
            )
        used = f"Last used on {cells.spoken(key.last_used_at)}" if key.last_used_at else "It has never been used"
        by = f" by {key.last_client}" if key.last_used_at and key.last_client else ""
        explanation = [
            f"{used}{by}.",
            "Revoking takes effect within 2 seconds and cannot be undone. The row stays, with who did it and when.",
        ]
        return self.step_page(
            request, key, title=title, button="Revoke this key", explanation=explanation, is_grave=True
        )

    @admin.display(description="Type")
    def type(self, key: ApiKey) -> SafeString:
        tones = {KeyType.LIVE: "bad", KeyType.TEAM: "warn"}
        return cells.chip(key.get_key_type_display(), tones.get(KeyType(key.key_type), "accent"))

    @admin.display(description="Secret ends with")
    def ending(self, key: ApiKey) -> SafeString:
        return cells.code(f"…{key.last4}")

    @admin.display(description="State")
    def state(self, key: ApiKey) -> SafeString:
        if key.revoked_at is not None:
            return cells.chip("Revoked")
        if not key.is_live(timezone.now()):
            return cells.chip("Ended")
        return cells.chip("In use" if key.last_used_at else "Unused", "good" if key.last_used_at else "")

    @admin.display(description="Last used")
    def last_used(self, key: ApiKey) -> SafeString | str:
        return cells.moment(key.last_used_at, never="Never")

    @admin.display(description="Ends")
    def ends(self, key: ApiKey) -> SafeString | str:
        return cells.moment(key.expires_at, never="Never")

    @admin.display(description="Made")
    def created(self, key: ApiKey) -> SafeString | str:
        return cells.moment(key.created_at)

    @admin.display(description="By")
    def made_by(self, key: ApiKey) -> str:
        return key.created_by or "–"
