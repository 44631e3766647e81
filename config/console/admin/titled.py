"""The titles of rows, masked for people who may not see them in full, and of the pages of an admin."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from config.audit import titles
from config.console import navigation
from config.console.theme import ModelAdmin


class TitledAdmin(ModelAdmin):  # type: ignore[type-arg]  # the theme's class takes no parameter
    """An admin that uses `title_of` in headings and breadcrumbs, and gives each page a title of its own.

    noun: the name of a row in titles, buttons and messages, if it is not the verbose name of the model
    """

    noun: ClassVar[str] = ""

    def row_noun(self) -> str:
        return self.noun or str(self.opts.verbose_name)

    def list_title(self) -> str:
        """Return the title of the list, as in the menu."""
        return navigation.title_of(self.list_url()) or capfirst(str(self.opts.verbose_name_plural))

    def list_url(self) -> str:
        return self.url_of("changelist")

    def row_url(self, obj: models.Model) -> str:
        return self.url_of("change", obj)

    def url_of(self, name: str, obj: models.Model | None = None) -> str:
        """Return the URL of a page of this admin: changelist, add, or for a row change, history or an action."""
        route = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{name}"
        return reverse(route, args=[obj.pk] if obj is not None else [])

    def add_title(self) -> str:
        """Return the title of the form of a new row, which is also the label of the buttons that open and save it."""
        return f"Create {self.row_noun()}"

    def row_page_title(self, request: HttpRequest, obj: models.Model) -> str:
        """Return the title of a row's page, such as "pay – Group".

        A form with errors has already changed `obj`, so the title is the one that was set when it was read.
        """
        return f"{getattr(obj, 'row_title', '') or self.title_of(request, obj)} – {capfirst(self.row_noun())}"

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> Any:
        title = f"Delete {self.title_of(request, context['object'])}"
        return super().render_delete_form(request, {**context, "title": title})

    def title_of(self, request: HttpRequest, obj: models.Model) -> str:
        """Return the title that this person may see. Override `sees_title` if some readers get it masked."""
        return titles.whole(obj) if self.sees_title(request, obj) else titles.masked(obj)

    def sees_title(self, request: HttpRequest, obj: models.Model) -> bool:
        """Return whether a person who may see the row may see its title unmasked."""
        return True

    def titles_for(self, request: HttpRequest) -> Callable[[models.Model], str]:
        """Return a function that returns the title of a row of any model for this person."""

        def shown(row: models.Model) -> str:
            site = self.admin_site
            admin: Any = site.get_model_admin(type(row)) if site.is_registered(type(row)) else None
            is_seen = isinstance(admin, TitledAdmin) and admin.has_view_or_change_permission(request, row)
            return admin.title_of(request, row) if is_seen else titles.masked(row)

        return shown

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        obj: Any = super().get_object(request, object_id, from_field)
        if obj is not None:
            self.give_title(request, obj)
        return obj

    def give_title(self, request: HttpRequest, obj: Any) -> None:
        """Set `row_title` on the stored row, also for the breadcrumbs, which get no request."""
        obj.row_title = self.title_of(request, obj)
