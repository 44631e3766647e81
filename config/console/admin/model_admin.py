"""The base class of every admin, which removes the traps of the Django admin."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import models
from django.forms import DateTimeField, Form, Media, ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import SimpleLazyObject
from django.utils.html import escape
from django.utils.safestring import SafeString

from config import audit
from config.accounts import scope
from config.audit import changes, reads
from config.audit.models import AuditEvent
from config.console import audit_sentences, lookups
from config.console.admin.change_list import CappedPaginator, ConsoleChangeList
from config.console.admin.row_actions import RowActionsAdmin
from config.console.started_from import StartedFrom
from config.console.theme import CheckboxInput, TabularInline, TextInput
from config.databases.races import again_if_raced

_ROW = "Select record"


class ConsoleModelAdmin(RowActionsAdmin):
    """An admin with declared filters only, no bulk delete, capped counts, and an audit of every change.

    may_delete: whether single rows of this model may be deleted (trap T6).
    guards_start: whether to reject a form that was opened before another person's save (trap T10).
    masked_fields: fields with a recipient; the audit stores them masked.
    is_reading_logged: whether the read log records who opened the page of a row.
    empty: the text of the empty list.
    has_history: whether rows have a page with their audit events.
    may_add, may_change: whether staff may add rows, and change existing ones, if their permissions allow it.
    """

    guards_start: ClassVar[bool] = True
    may_delete: ClassVar[bool] = False
    may_add: ClassVar[bool] = True
    may_change: ClassVar[bool] = True
    has_history: ClassVar[bool] = True
    masked_fields: ClassVar[tuple[str, ...]] = ()
    empty: ClassVar[str] = ""
    is_reading_logged: ClassVar[bool] = False

    show_full_result_count = False
    paginator = CappedPaginator
    list_per_page = 50
    compressed_fields = False  # labels are above their fields, as in the console's other forms
    formfield_overrides: ClassVar[Any] = {
        models.BooleanField: {"widget": CheckboxInput},
        models.DateTimeField: {"form_class": DateTimeField, "widget": TextInput(attrs={"type": "datetime-local"})},
    }

    @property
    def media(self) -> Media:
        """Return the script of bulk actions. Django's others, such as jQuery, serve controls that no form here has."""
        return Media(js=["admin/js/actions.js"])

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Accept only the lookups of declared filters. Django answers any other with 400."""
        filters = self.get_list_filter(request) if request is not None else self.list_filter
        return lookup in lookups.declared(self.model, filters, self.date_hierarchy)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ConsoleChangeList

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        """Return the rows that the list shows. The pages of a person's other rows still open by their URLs."""
        return rows

    def action_checkbox(self, obj: models.Model) -> SafeString:
        """Name the row, because the theme gives each checkbox of a list the same name."""
        return SafeString(super().action_checkbox(obj).replace(_ROW, escape(f"Select {obj}")))

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the declared actions without Django's bulk delete."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse | None:
        if not all(lookups.is_key(self.model, key) for key in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            raise SuspiciousOperation  # no row of the list has such a key
        return super().response_action(request, *args, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may_add and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.may_change and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.may_delete and super().has_delete_permission(request, obj)

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """Raise Http404 instead of redirecting, so that another service's row looks like no row (trap T8)."""
        raise Http404

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Remove the buttons that open a related row in a popup window."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            for name in ("can_add_related", "can_change_related", "can_delete_related", "can_view_related"):
                setattr(field.widget, name, False)
        return field

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Name the kind of row in the empty choice, such as "Select a service"."""
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field is not None and field.empty_label is not None:
            field.empty_label = f"Select a {db_field.related_model._meta.verbose_name}"
        return field

    def get_form(
        self, request: HttpRequest, obj: models.Model | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if obj is not None and self.guards_start:
            form: type[ModelForm[Any]] = kwargs.get("form", self.form)
            kwargs["form"] = type(form.__name__, (StartedFrom, form), {})
        return super().get_form(request, obj, change=change, **kwargs)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check and save the form in one transaction, and show its ordinary error to a person who lost a race."""
        return again_if_raced(partial(super().changeform_view, request, *args, **kwargs))

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = super().change_view(request, object_id, *args, **kwargs)
        if not isinstance(answer, TemplateResponse) or not answer.context_data:
            return answer
        obj = answer.context_data["original"]
        answer.context_data["history_url"] = SimpleLazyObject(
            lambda: self.url_of("history", obj) if self.may_read_history(request, obj) else ""
        )
        if self.is_reading_logged:
            reads.note(request, str(self.opts.model_name), obj.pk, **audit.scope_of(obj))
        return answer

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Show the buttons of a row and its context, and History to people who may read it."""
        obj = kwargs.get("obj")
        own: dict[str, Any] = {"show_history": False}
        if obj is not None:
            own = {"show_history": self.may_read_history(request, obj), "buttons": self._buttons(request, obj)}
            own |= self.row_context(request, obj)
        return super().render_change_form(request, {**context, **own}, *args, **kwargs)

    # The audit, in the transaction of the change, replaces Django's admin log, which would store `str(obj)`.

    def audit(self, request: HttpRequest, verb: str, obj: models.Model, **what: Any) -> AuditEvent:
        """Record an event about a row, with the person of this request as the actor. what: see `audit.event`."""
        return audit.record(audit.person(request), verb, obj, **what)

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

    def _log_nothing(self, *args: Any) -> None:
        """Leave Django's log empty: the audit has it."""

    log_addition = log_change = log_deletions = _log_nothing  # type: ignore[assignment]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the audit events of one row."""
        obj = self._row_or_404(request, object_id)
        if not self.has_view_or_change_permission(request, obj) or not self.may_read_history(request, obj):
            raise PermissionDenied
        events = AuditEvent.objects.filter(object_kind=self.opts.model_name, object_id=str(obj.pk))[:200]
        lines = audit_sentences.lines(events, self.titles_for(request))
        title = f"History of {self.title_of(request, obj)}"
        context = {**self.page_context(request, title, obj), "lines": lines, **(extra_context or {})}
        return TemplateResponse(request, "admin/history.html", context)

    def may_read_history(self, request: HttpRequest, obj: models.Model) -> bool:
        """Return whether this person may read the audit of the service or data set of the row."""
        return self.has_history and scope.may_read_audit_of(request, audit.scope_of(obj))


class ConsoleInline(TabularInline):  # type: ignore[type-arg]
    """A read-only table of related rows on a row's page."""

    extra = 0
    can_delete = False
    show_change_link = False
    media = Media()

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    has_change_permission: Any = has_add_permission
    has_delete_permission: Any = has_add_permission


class OpenTo:
    """A mixin before ConsoleModelAdmin: some people may do everything, and other people nothing.

    people: returns whether a person is one of them
    """

    people: ClassVar[Callable[[HttpRequest], bool]]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return type(self).people(request)

    has_add_permission = has_change_permission = has_view_permission
