"""The base class of every admin: the console's rules against the traps of the Django admin.

An admin says what it shows; this class says what nobody may do with it.
"""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import models, transaction
from django.forms import Form, ModelForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from config.console import audit, audit_places, changes, lookups, recent_sign_in, scope, titles, words
from config.console.admin.console_list import console_list
from config.console.admin.saving import SavingAdmin
from config.console.models import AuditEvent
from config.console.paginator import CappedPaginator
from config.console.started_from import StartedFrom
from config.console.theme import CheckboxInput, TabularInline


class ConsoleModelAdmin(SavingAdmin):
    """An admin that filters by declared filters only, deletes nothing unasked, counts no millions, and keeps an audit.

    may_delete: whether single rows of this model may be deleted at all (trap T6).
    guards_start: whether a form is refused that was opened before somebody else's save (trap T10).
    masked_fields: fields that hold a recipient; the audit keeps them masked.
    empty: what belongs into the list, shown while it is empty.
    steps: word of an address below a row's page → method that answers it, such as {"revoke": "revoke"}.
           GET explains, POST does, in one transaction; the method gets the request and the row.
    grave_steps: those of them that want a recent sign-in.
    open_steps: those of them that change nothing, for all who may see the row.
    """

    guards_start: ClassVar[bool] = True
    may_delete: ClassVar[bool] = False
    grave_steps: ClassVar[frozenset[str]] = frozenset()
    open_steps: ClassVar[frozenset[str]] = frozenset()
    masked_fields: ClassVar[tuple[str, ...]] = ()
    empty: ClassVar[str] = ""
    steps: ClassVar[dict[str, str]] = {}

    show_full_result_count = False
    paginator = CappedPaginator
    list_per_page = 50
    list_filter_submit = False
    save_on_top = False
    compressed_fields = False  # labels stand above their fields, as on our own pages
    formfield_overrides: ClassVar[Any] = {models.BooleanField: {"widget": CheckboxInput}}
    warn_unsaved_form = True

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Accept what a declared filter sends; everything else is answered 400."""
        filters = self.get_list_filter(request) if request is not None else self.list_filter
        return lookup in lookups.declared(self.model, filters, self.date_hierarchy)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return console_list(super().get_changelist(request, **kwargs))

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        """Return those of a person's rows that the list shows; the others still open by their addresses."""
        return rows

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the declared actions; deleting many rows with one click is none of them."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse | None:
        if not all(lookups.is_key(self.model, key) for key in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            raise SuspiciousOperation  # no row of the list has such a key
        return super().response_action(request, *args, **kwargs)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.may_delete and super().has_delete_permission(request, obj)

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """Answer 404 where Django leads back to the overview; another service's row gets the same answer (trap T8)."""
        raise Http404

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Leave out the small buttons that make a related row in a window of their own."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            for name in ("can_add_related", "can_change_related", "can_delete_related", "can_view_related"):
                setattr(field.widget, name, False)
        return field

    def get_form(
        self, request: HttpRequest, obj: models.Model | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if obj is not None and self.guards_start:
            form: type[ModelForm[Any]] = kwargs.get("form", self.form)
            kwargs["form"] = type(form.__name__, (StartedFrom, form), {})
        return super().get_form(request, obj, change=change, **kwargs)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Show the history to people who may read it."""
        obj = kwargs.get("obj")
        ours: dict[str, Any] = {"show_history": obj is not None and self.may_read_history(request, obj)}
        if obj is not None:
            ours["subtitle"] = self.title_of(request, obj)
        return super().render_change_form(request, {**context, **ours}, *args, **kwargs)

    # The audit: written here, in the transaction of the change, instead of Django's own log, which keeps `str(obj)`.

    def audit_scope(self, obj: models.Model) -> dict[str, Any]:
        """Return `service_id` or `data_set_id` of a row, under which its events are found."""
        names = ("service_id", "data_set_id")
        return {name: getattr(obj, name) for name in names if getattr(obj, name, None) is not None}

    def audit(
        self,
        request: HttpRequest,
        verb: str,
        obj: models.Model,
        *,
        before: dict[str, object] | None = None,
        after: dict[str, object] | None = None,
        reason: str = "",
    ) -> AuditEvent:
        """Write one event about a row, by the person of this request."""
        return audit.record(
            audit.person(request),
            verb,
            object_kind=obj._meta.model_name or "",
            object_id=obj.pk,
            label=titles.masked(obj),
            before=before,
            after=after,
            reason=reason,
            **self.audit_scope(obj),
        )

    def save_model(self, request: HttpRequest, obj: models.Model, form: Form, change: bool) -> None:
        stored = self.model._default_manager.filter(pk=obj.pk).first() if change else None
        super().save_model(request, obj, form, change)
        after = changes.snapshot(obj, masked=self.masked_fields)
        if stored is None:
            self.audit(request, "created", obj, after=after)
            return
        was, now = changes.difference(changes.snapshot(stored, masked=self.masked_fields), after)
        if now:
            self.audit(request, "changed", obj, before=was, after=now)

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        self.audit(request, "deleted", obj, before=changes.snapshot(obj, masked=self.masked_fields))
        super().delete_model(request, obj)

    def log_addition(self, request: HttpRequest, obj: models.Model, message: Any) -> None:  # type: ignore[override]
        """Leave Django's log empty: the audit has it."""

    def log_change(self, request: HttpRequest, obj: models.Model, message: Any) -> None:  # type: ignore[override]
        """Leave Django's log empty: the audit has it."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:  # type: ignore[override]
        """Leave Django's log empty: the audit has it."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the audit events of one row."""
        obj = self._row_or_404(request, object_id)
        if not self.has_view_or_change_permission(request, obj) or not self.may_read_history(request, obj):
            raise PermissionDenied
        events = AuditEvent.objects.filter(object_kind=self.opts.model_name, object_id=str(obj.pk))[:200]
        names = words.names_of(events, self.titles_for(request))
        told = [{"pk": event.pk, "at": event.at, "sentence": words.sentence(event, names)} for event in events]
        context = {**self.page_context(request, "History", obj), "events": told, **(extra_context or {})}
        return TemplateResponse(request, "admin/history.html", context)

    def may_read_history(self, request: HttpRequest, obj: models.Model) -> bool:
        """Say whether this person may read the audit of what a row belongs to: its history is a part of that."""
        held = self.audit_scope(obj)
        return scope.is_operator(request) or any(
            str(held.get(place.field)) in {str(pk) for pk, _ in place.choices(request)}
            for place in audit_places.registered()
        )

    # Steps: pages of their own below a row's page, so that each can be linked, and tested with the plain client.

    def get_urls(self) -> list[URLPattern]:
        return [*self._step_urls(), *super().get_urls()]

    def page_context(self, request: HttpRequest, title: str, obj: models.Model | None = None) -> dict[str, Any]:
        """Return what every page of our own needs: the frame, the title, and where it hangs."""
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
        }

    def step_page(
        self, request: HttpRequest, obj: models.Model, *, title: str, button: str, status: int = 200, **context: Any
    ) -> HttpResponse:
        """Show a page that explains one step and holds the button that does it.

        context: `explanation` (sentences), `form`, `is_grave` (a red button), `template` for more than that.
        """
        template = context.pop("template", "admin/step.html")
        page = {**self.page_context(request, title, obj), "button": button, **context}
        return TemplateResponse(request, template, page, status=status)

    def step_done(self, request: HttpRequest, url: str, message: str) -> HttpResponse:
        messages.success(request, message)
        return HttpResponseRedirect(url)

    def may_take(self, request: HttpRequest, word: str, obj: models.Model) -> bool:
        """Say whether this person may take this step; an admin may ask for more, or less, here."""
        if word in self.open_steps:
            return self.has_view_or_change_permission(request, obj)
        return self.has_change_permission(request, obj)

    def list_url(self) -> str:
        return self.url_of("changelist")

    def row_url(self, obj: models.Model) -> str:
        return self.url_of("change", obj)

    def url_of(self, name: str, obj: models.Model | None = None) -> str:
        """Return the address of one of this admin's pages: changelist, add, or of a row: change, history, a step."""
        route = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{name}"
        return reverse(route, args=[obj.pk] if obj is not None else [])

    def _step_urls(self) -> list[URLPattern]:
        names = f"{self.opts.app_label}_{self.opts.model_name}"
        return [path(f"<path:object_id>/{word}/", self._step_view(word), name=f"{names}_{word}") for word in self.steps]

    def _step_view(self, word: str) -> Callable[..., HttpResponse]:
        view = partial(self._take_step, word)
        update_wrapper(view, getattr(self, self.steps[word]))
        return self.admin_site.admin_view(view)

    def _take_step(self, word: str, request: HttpRequest, object_id: str) -> HttpResponse:
        obj = self._row_or_404(request, object_id)
        if not self.may_take(request, word, obj):
            raise PermissionDenied
        if word in self.grave_steps and not recent_sign_in.is_recent(request):
            return recent_sign_in.ask(request)
        with transaction.atomic():
            answer: HttpResponse = getattr(self, self.steps[word])(request, obj)
        return answer

    def _row_or_404(self, request: HttpRequest, object_id: str) -> models.Model:
        """Return a row; people who may see none of its kind get 403 for one that is not there, as for one that is."""
        obj: models.Model | None = self.get_object(request, unquote(object_id))
        if obj is None and not self.has_view_or_change_permission(request):
            raise PermissionDenied
        if obj is None:
            raise Http404
        return obj


class ConsoleInline(TabularInline):  # type: ignore[type-arg]
    """Rows that are read on another row's page, and changed nowhere."""

    extra = 0
    can_delete = False
    show_change_link = False

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False
