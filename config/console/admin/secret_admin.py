"""The base class of admins whose new rows have a secret that is shown once."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from config.console import recent_sign_in, shown_once
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.shown_once import AlreadyShown, Secret


class ShownOnceAdmin(ConsoleModelAdmin):
    """Create the secret in `save_model` (as an attribute of the row, not a field), and describe it in `secret_of`.

    secret_template: the page that shows the secret, with the row as `original`.
    An action that creates a secret, such as rotate, passes `nonce=shown_once.new_nonce(request)` to `action_page`. Its
    POST calls `shown_once.spend(request)` and returns `self.secret_page(request, row)`.
    """

    secret_template = "admin/shown_once.html"  # noqa: S105  the name of a file
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
        try:
            nonce = shown_once.new_nonce(request)
            return super().add_view(request, form_url, {"nonce": nonce, **(extra_context or {})})
        except AlreadyShown:  # the form was sent twice at once, and this transaction is rolled back
            return self.already_shown_page(request)

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        with transaction.atomic():
            if not change:
                shown_once.spend(request)
            super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: models.Model, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.secret_page(request, obj)

    def secret_page(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        secret = self.secret_of(request, obj)
        context = {**self.page_context(request, f"{secret.kind} created", obj), "secret": secret}
        return TemplateResponse(request, self.secret_template, context)

    def already_shown_page(self, request: HttpRequest) -> HttpResponse:
        page = self.page_context(request, "Already shown")
        return TemplateResponse(request, "admin/already_shown.html", page, status=409)

    def _do_action(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        try:
            return super()._do_action(word, request, object_id)
        except AlreadyShown:
            return self.already_shown_page(request)
