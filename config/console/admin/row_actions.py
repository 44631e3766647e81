"""Pages and actions of single rows. An action has a URL below the row's page."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial, update_wrapper
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.forms import Media
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.text import capfirst

from config.console import recent_sign_in
from config.console.admin.saving import SavingAdmin
from config.databases.races import again_if_raced


@dataclass(frozen=True, slots=True)
class Button:
    """A button above a row's page: for an action, if the person may do it, or for another URL.

    tone: primary, ending or empty
    """

    label: str
    action: str = ""
    url: str = ""
    tone: str = ""


def methods(*words: str) -> dict[str, str]:
    """Return `row_actions` or `list_pages` whose methods have the words as their names, with `_` for `-`."""
    return {word: word.replace("-", "_") for word in words}


class RowActionsAdmin(SavingAdmin):
    """An admin with actions on rows.

    row_actions: the last part of a URL below the row's page → method, such as {"revoke": "revoke"}. The method gets
           the request and the row. GET shows a confirmation page; POST acts, in one transaction.
    protected_actions: the actions that require a recent sign-in.
    read_only_actions: the actions that change nothing, open to everybody who may view the row.
    list_pages: the last part of a URL below the list → method, such as {"search": "search"}. The method gets only the
           request, and checks the permission.
    page_template: the template of a row's page that has no form. `row_context` returns its context.
    """

    row_actions: ClassVar[dict[str, str]] = {}
    protected_actions: ClassVar[frozenset[str]] = frozenset()
    read_only_actions: ClassVar[frozenset[str]] = frozenset()
    list_pages: ClassVar[dict[str, str]] = {}
    page_template: ClassVar[str] = ""

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        """Return the buttons above the list that this person may use. Each has a URL."""
        return []

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, {"title": self.list_title(), **(extra_context or {})})
        if isinstance(answer, TemplateResponse) and answer.context_data and "cl" in answer.context_data:
            changelist = answer.context_data["cl"]
            answer.context_data["list_buttons"] = self.list_buttons(request, changelist)
            answer.context_data |= self.list_context(request, changelist)
        return answer

    def list_context(self, request: HttpRequest, changelist: Any) -> dict[str, Any]:
        """Return what the template of the list needs besides Django's context."""
        return {}

    def buttons(self, request: HttpRequest, obj: Any) -> Iterable[Button]:
        """Return the buttons of a row's page. Those for actions that this person may not do are left out."""
        return ()

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Return what a row's page needs besides `page_context`."""
        return {}

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.page_template:
            return super().change_view(request, object_id, *args, **kwargs)
        obj = self._row_or_404(request, object_id)
        is_read = request.method in {"GET", "HEAD"}
        if not (self.has_view_or_change_permission if is_read else self.has_change_permission)(request, obj):
            raise PermissionDenied
        if not is_read:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        title = self.row_page_title(request, obj)
        page = {**self.page_context(request, title, obj), "buttons": self._buttons(request, obj)}
        page |= self.row_context(request, obj)
        return TemplateResponse(request, self.page_template, page)

    def get_urls(self) -> list[URLPattern]:
        names = f"{self.opts.app_label}_{self.opts.model_name}"
        view = self.admin_site.admin_view
        pages = [
            path(f"{word}/", view(getattr(self, method)), name=f"{names}_{word}")
            for word, method in self.list_pages.items()
        ]
        actions = [
            path(f"<path:object_id>/{word}/", self._action_view(word), name=f"{names}_{word}")
            for word in self.row_actions
        ]
        return [*pages, *actions, *super().get_urls()]

    def page_context(self, request: HttpRequest, title: str, obj: models.Model | None = None) -> dict[str, Any]:
        """Return the template context that every page of the console needs."""
        if obj is not None:
            self.give_title(request, obj)
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "original": obj,
            "list_url": self.list_url(),
            "row_url": self.row_url(obj) if obj is not None else "",
            "media": self.media,
            "own_media": Media(getattr(self, "Media", None)),
        }

    def action_page(
        self,
        request: HttpRequest,
        obj: models.Model,
        title: str,
        button: str,
        explanation: Sequence[str] = (),
        **context: Any,
    ) -> HttpResponse:
        """Return a page that explains an action and has the button for it.

        context: `form`, `is_destructive` (a red button), `leave` (the text of the way back),
        `template`.
        """
        template = context.pop("template", "admin/action.html")
        page = {**self.page_context(request, title, obj), "button": button, "explanation": explanation, **context}
        return TemplateResponse(request, template, page)

    def error_page(
        self, request: HttpRequest, obj: models.Model, title: str, error: str, *, remedy: tuple[str, str] | None = None
    ) -> HttpResponse:
        """Return a page that explains why an action is not possible. remedy: label and URL of a button that helps"""
        return self.action_page(request, obj, title, "", error=error, remedy=remedy)

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        return self.action_done(request, self.list_url(), f"{capfirst(self.row_noun())} “{obj_display}” is deleted.")

    def action_done(self, request: HttpRequest, url: str, message: str) -> HttpResponse:
        messages.success(request, message)
        return HttpResponseRedirect(url)

    def may_do(self, request: HttpRequest, word: str, obj: models.Model) -> bool:
        """Return whether this person may do this action."""
        if word in self.read_only_actions:
            return self.has_view_or_change_permission(request, obj)
        return self.has_change_permission(request, obj)

    def _action_view(self, word: str) -> Callable[..., HttpResponse]:
        view = partial(self._do_action, word)
        update_wrapper(view, getattr(self, self.row_actions[word]))
        return self.admin_site.admin_view(view)

    def _do_action(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        return again_if_raced(partial(self._do_action_once, word, request, object_id))

    def _do_action_once(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        obj = self.row_of_action(request, word, object_id)
        if not self.may_do(request, word, obj):
            raise PermissionDenied
        if word in self.protected_actions and not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        error = self.blocking_error(request, word, obj)
        if error:
            return self.error_page(request, obj, str(obj), error)
        with transaction.atomic() if self.may_write(request, word) else nullcontext():
            answer: HttpResponse = getattr(self, self.row_actions[word])(request, obj)
        return answer

    def row_of_action(self, request: HttpRequest, word: str, object_id: str) -> models.Model:
        """Return the row of an action. Raises Http404 and PermissionDenied."""
        return self._row_or_404(request, object_id)

    def blocking_error(self, request: HttpRequest, word: str, obj: Any) -> str:
        """Return why nobody can do this action on this row, or an empty text."""
        return ""

    def may_write(self, request: HttpRequest, word: str) -> bool:
        """Return whether the action may change something, and so needs a transaction."""
        return True

    def _row_or_404(self, request: HttpRequest, object_id: str) -> models.Model:
        """Return a row or raise Http404. People who may see no rows of this model always get PermissionDenied."""
        obj: models.Model | None = self.get_object(request, unquote(object_id))
        if obj is None and not self.has_view_or_change_permission(request):
            raise PermissionDenied
        if obj is None:
            raise Http404
        return obj

    def _buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [
            replace(button, url=button.url or self.url_of(button.action, obj))
            for button in self.buttons(request, obj)
            if button.url or self.may_do(request, button.action, obj)
        ]
