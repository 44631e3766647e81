"""Tags of templates: the filter of the list, and the field of the editor. Source: docs/reference/console.md §2.4."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.console import cells
from notifications.admin import permissions
from notifications.admin.templates.use import InUseFilter
from notifications.models import Template, TemplateTag

MAX_OFFERED = 200


class TagFilter(admin.SimpleListFilter):
    """A filter with the tags of the templates in the list, and the chosen one. Without tags there is no filter."""

    title = "tag"
    parameter_name = "tag"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        own = Template.objects.filter(service__in=permissions.listed_services(request))
        shown = Q(template__in=InUseFilter.shown(request, own))
        chosen = Q(template__in=own, name=request.GET.get(self.parameter_name, ""))
        names = TemplateTag.objects.filter(shown | chosen).order_by("name").values_list("name", flat=True).distinct()
        return [(name, name) for name in names[:MAX_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(tags__name=self.value()) if self.value() else queryset


def chips(template: Template) -> SafeString | str:
    """Return the tags as small labels, or an empty text."""
    found = template.tag_names()
    return format_html('<span class="nf-chips">{}</span>', cells.chips(found)) if found else ""
