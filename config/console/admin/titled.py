"""What a row is called on its pages: by a name people know, masked for those who may not see more."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst

from config.console import titles
from config.console.theme import ModelAdmin


class TitledAdmin(ModelAdmin):  # type: ignore[type-arg]  # the theme's class takes no parameter
    """An admin whose headings, breadcrumbs and messages name a row by `title_of`."""

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

    def response_add(
        self, request: HttpRequest, obj: models.Model, post_url_continue: str | None = None
    ) -> HttpResponse:
        messages.success(request, self._done(request, obj, "added"))
        return self._to_row(request, obj) if "_continue" in request.POST else self.response_post_save_add(request, obj)

    def response_change(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        messages.success(request, self._done(request, obj, "saved"))
        if "_continue" in request.POST:
            return self._to_row(request, obj)
        return self.response_post_save_change(request, obj)

    def _done(self, request: HttpRequest, obj: models.Model, done: str) -> str:
        return f"{capfirst(self.opts.verbose_name)} “{self.title_of(request, obj)}” is {done}."

    def _to_row(self, request: HttpRequest, obj: models.Model) -> HttpResponse:
        """Stay on the row's page, with the filters of the list that led there."""
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_change"
        filters: Any = {"preserved_filters": self.get_preserved_filters(request), "opts": self.opts}
        return HttpResponseRedirect(add_preserved_filters(filters, reverse(name, args=[obj.pk])))
