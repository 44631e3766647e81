"""The buttons of a row's form, and the page that follows a save."""

from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.text import capfirst

from config.console.admin.titled import TitledAdmin


class SavingAdmin(TitledAdmin):
    """An admin whose form has one button with a verb and its object, such as "Create template".

    add_form, add_fields: the form of a new row and its fields; empty: as for an existing row.
    editable: the fields of an existing row that can change; the page only shows the others. None: the form decides.
    create_verb: the verb of the button that creates a row.
    opens_new_row: whether the page after creating a row is the row's page instead of the list.
    next_step: a sentence that follows the success message of a new row.
    """

    add_form: ClassVar[Any] = None  # Any: a form class, which takes no parameter at run time
    add_fields: ClassVar[tuple[str, ...]] = ()
    editable: ClassVar[frozenset[str] | None] = None
    create_verb: ClassVar[str] = "Create"
    opens_new_row: ClassVar[bool] = False
    next_step: ClassVar[str] = ""

    def get_form(
        self, request: HttpRequest, obj: models.Model | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        own: dict[str, Any] = {"form": self.add_form} if obj is None and self.add_form else {}
        if obj is not None and self.editable is not None:  # fields that are only shown need no help to enter a value
            helps = getattr(getattr(self.form, "Meta", None), "help_texts", None) or {}
            own["help_texts"] = {name: help if name in self.editable else "" for name, help in helps.items()}
        return super().get_form(request, obj, change=change, **{**own, **kwargs})

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        return self.add_fields if obj is None and self.add_fields else super().get_fields(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        if obj is None or self.editable is None:
            return fields
        return (*fields, *(name for name in self.get_fields(request, obj) if name not in self.editable))

    def add_title(self) -> str:
        return f"{self.create_verb} {self.row_noun()}"

    def save_label(self, obj: models.Model | None) -> str:
        """Return the label of the form's button. obj: None in the form of a new row."""
        return self.add_title() if obj is None else f"Save {self.row_noun()}"

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Leave the form one button, or none if it has no field that can change."""
        obj = kwargs.get("obj")
        title = self.add_title() if obj is None else self.row_page_title(request, obj)
        page = {**context, "title": title, "subtitle": None, "save_label": self.save_label(obj)}
        page |= {"show_save_and_add_another": False, "show_save_and_continue": False}
        if not context["adminform"].form.fields:
            page["show_save"] = False
        return super().render_change_form(request, page, *args, **kwargs)

    def response_add(self, request: HttpRequest, obj: models.Model, *args: Any, **kwargs: Any) -> HttpResponse:
        done = self.done_message(request, obj, f"{self.create_verb.lower().removesuffix('e')}ed")
        messages.success(request, " ".join(filter(None, (done, self.next_step))))
        return self._to_row(request, obj) if self.opens_new_row else self.response_post_save_add(request, obj)

    def response_change(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        messages.success(request, self.done_message(request, obj, "saved"))
        return self._to_row(request, obj)

    def done_message(self, request: HttpRequest, obj: Any, done: str) -> str:
        """Return the success message of a save. done: such as "saved"."""
        return f"{capfirst(self.row_noun())} “{self.title_of(request, obj)}” is {done}."

    def _to_row(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        """Redirect to the row's form, also if `row_url` is another tab, and keep the filters of the list."""
        filters: Any = {"preserved_filters": self.get_preserved_filters(request), "opts": self.opts}
        return HttpResponseRedirect(add_preserved_filters(filters, self.url_of("change", obj)))
