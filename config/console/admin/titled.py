"""The titles of rows, masked for people who may not see them in full."""

from collections.abc import Callable
from typing import Any

from django.db import models
from django.http import HttpRequest

from config.audit import titles
from config.console.theme import ModelAdmin


class TitledAdmin(ModelAdmin):  # type: ignore[type-arg]  # the theme's class takes no parameter
    """An admin that uses `title_of` in headings and breadcrumbs."""

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
        """Set `row_title` on the row for the breadcrumbs, which get no request."""
        obj.row_title = self.title_of(request, obj)
