"""What a row is called on its pages: by a name people know, masked for those who may not see more."""

from collections.abc import Callable
from typing import Any

from django.db import models
from django.http import HttpRequest

from config.console import titles
from config.console.theme import ModelAdmin


class TitledAdmin(ModelAdmin):  # type: ignore[type-arg]  # the theme's class takes no parameter
    """An admin whose headings and breadcrumbs name a row by `title_of`."""

    def title_of(self, request: HttpRequest, obj: models.Model) -> str:
        """Return what this person may call a row. An admin whose readers may not all see it says so in `sees_title`."""
        return titles.whole(obj) if self.sees_title(request, obj) else titles.masked(obj)

    def sees_title(self, request: HttpRequest, obj: models.Model) -> bool:
        """Return whether this person, who may see the row, may read its title unmasked."""
        return True

    def titles_for(self, request: HttpRequest) -> Callable[[models.Model], str]:
        """Return a function that says what this person may call a row of any model."""

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
        """Put the row's title on the row object, for the breadcrumbs, which know no request."""
        obj.row_title = self.title_of(request, obj)
