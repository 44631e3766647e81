"""The base class of admins whose new rows have a secret that is shown once."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse

from config.console import recent_sign_in, shown_once
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.shown_once import AlreadyShown, Secret


class ShownOnceAdmin(ConsoleModelAdmin):
    """Create the secret in `save_model` (as an attribute of the row, not a field), and describe it in `secret_of`.

    secret_kind: such as "API key".
    An action that creates a secret, such as rotate, passes `**self.nonce_context(request)` to `action_page`. Its POST
    calls `shown_once.spend(request)` and returns `self.secret_page(request, row)`.
    """

    secret_kind = "secret"  # noqa: S105  a text of the page
    add_form_template = "admin/secret_form.html"

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        """Return the secret of a new row."""
        raise NotImplementedError

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        if not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        if request.method == "POST" and shown_once.is_spent(request):
            return self.already_shown_page(request)
        context = {**self.nonce_context(request), **(extra_context or {})}
        try:
            return super().add_view(request, form_url, context)
        except AlreadyShown:  # the form was sent twice at once, and this transaction is rolled back
            return self.already_shown_page(request)

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        with transaction.atomic():
            if not change:
                shown_once.spend(request)
            super().save_model(request, obj, form, change)

    def response_add(
        self, request: HttpRequest, obj: models.Model, post_url_continue: str | None = None
    ) -> HttpResponse:
        return self.secret_page(request, obj)

    def secret_page(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        secret = self.secret_of(request, obj)
        return shown_once.page(request, secret, self.page_context(request, f"{secret.kind} created", obj))

    def nonce_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the context for a form that includes `admin/includes/nonce.html`."""
        return {"nonce": shown_once.new_nonce(request), "nonce_field": shown_once.FIELD}

    def already_shown_page(self, request: HttpRequest) -> HttpResponse:
        context = self.page_context(request, "Already shown")
        return shown_once.already_shown_page(request, self.secret_kind, context)

    def _do_action(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        try:
            return super()._do_action(word, request, object_id)
        except AlreadyShown:
            return self.already_shown_page(request)
