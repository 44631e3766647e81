"""Pages of data groups and types, the two parts of a data set's path. Source: docs/reference/console.md §2.13."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.admin import ConsoleModelAdmin
from config.console.admin.columns import column
from config.console.checking import checked
from datasets.admin.access import ManagersOnly
from datasets.models import DataGroup, DataType
from datasets.validation import parse_group_name, parse_path_part

_NAMED = 10  # data sets named in the message


class PathPartForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    rule = staticmethod(parse_path_part)

    def clean_name(self) -> str:
        """Return the name. Only a new or another name is checked."""
        name: str = self.cleaned_data["name"]
        return checked(self.rule, name) if "name" in self.changed_data else name


class GroupForm(PathPartForm):
    rule = staticmethod(parse_group_name)


class PathPartAdmin(ManagersOnly, ConsoleModelAdmin):
    form = PathPartForm
    list_display = ("name", "description", "sets", "stored", "last_write")
    search_fields = ("name",)
    fields = ("name", "description")
    may_delete = True
    filtered_by = place = url_form = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        counted = Count("data_sets"), Sum("data_sets__record_count"), Max("data_sets__last_write_at")
        return super().get_queryset(request).annotate(sets=counted[0], stored=counted[1], written=counted[2])  # type: ignore[no-any-return]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Make the name read-only once a data set uses it, because it is part of the URL."""
        return ("name",) if obj is not None and obj.data_sets.exists() else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Refuse if data sets use the group or type, and name them."""
        word: Any = self._row_or_404(request, object_id)
        if not self.has_delete_permission(request, word):
            raise PermissionDenied
        used_by = [str(data_set) for data_set in word.data_sets.select_related("group", "type")]
        if not used_by:
            return super().delete_view(request, object_id, extra_context)
        named = ", ".join(used_by[:_NAMED]) + (f" and {len(used_by) - _NAMED} more" if len(used_by) > _NAMED else "")
        these = "this data set" if len(used_by) == 1 else "these data sets"
        error = f"{word} is part of the path of {named}. Delete {these} first."
        return self.error_page(request, word, f"Delete {word}", error)

    @admin.display(description="Data sets", ordering="sets")
    def sets(self, word: Any) -> SafeString:
        url = f"{reverse('admin:datasets_dataset_changelist')}?{self.filtered_by}__id__exact={word.pk}"
        named = f"{formats.counted(word.sets, 'data set')} of {word}"
        return format_html('<a class="sb-link" href="{}" aria-label="{}">{}</a>', url, named, formats.number(word.sets))

    stored = column("Records", lambda word: formats.number(word.stored or 0), ordering="stored")
    last_write = column("Last write", lambda word: cells.moment(word.written, never="Never"), ordering="written")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        name = escape(obj or f"<{self.filtered_by}>")  # Django renders help texts as HTML
        kwargs["help_texts"] = {"name": f"The {self.place} part of the URL: {self.url_form.format(name)}"}
        return super().get_form(request, obj, change=change, **kwargs)


@admin.register(DataGroup)
class DataGroupAdmin(PathPartAdmin):
    form = GroupForm
    filtered_by = noun = "group"
    place, url_form = "first", f"{settings.DATA_BASE_URL}/data/{{}}/…"
    empty = "No groups yet. A group is the first part of a data set's path."


@admin.register(DataType)
class DataTypeAdmin(PathPartAdmin):
    filtered_by = noun = "type"
    place, url_form = "second", f"{settings.DATA_BASE_URL}/data/…/{{}}"
    empty = "No types yet. A type is the second part of a data set's path."
