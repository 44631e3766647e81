"""Data groups and types: the two words of an address. Source: Staff console §2.13."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Max, QuerySet, Sum
from django.http import HttpRequest
from django.utils.safestring import SafeString

from config.console import cells
from config.console.admin import ConsoleModelAdmin
from datasets.admin.access import ManagersOnly
from datasets.models import DataGroup, DataType, is_word


class WordForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not is_word(name):
            raise forms.ValidationError("Use a–z, 0–9, - and _, beginning with a letter or digit.")
        return name


class WordAdmin(ManagersOnly, ConsoleModelAdmin):
    form = WordForm
    list_display = ("name", "description", "sets", "stored", "last_write")
    search_fields = ("name",)
    fields = ("name", "description")
    may_delete = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        counted = Count("data_sets"), Sum("data_sets__record_count"), Max("data_sets__last_write_at")
        return super().get_queryset(request).annotate(sets=counted[0], stored=counted[1], written=counted[2])  # type: ignore[no-any-return]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fix a word once a data set uses it: it is a part of the URL."""
        return ("name",) if obj is not None and obj.data_sets.exists() else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_used = obj is not None and obj.data_sets.exists()
        return not is_used and self.has_change_permission(request, obj)

    @admin.display(description="Data sets", ordering="sets")
    def sets(self, word: Any) -> int:
        return int(word.sets)

    @admin.display(description="Records", ordering="stored")
    def stored(self, word: Any) -> int:
        return int(word.stored or 0)

    @admin.display(description="Last write", ordering="written")
    def last_write(self, word: Any) -> SafeString | str:
        return cells.moment(word.written, never="Never")


@admin.register(DataGroup)
class DataGroupAdmin(WordAdmin):
    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["help_texts"] = {"name": f"The first word of an address: {settings.BASE_URL}/data/<group>/…"}
        return super().get_form(request, obj, change=change, **kwargs)


@admin.register(DataType)
class DataTypeAdmin(WordAdmin):
    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["help_texts"] = {"name": f"The second word of an address: {settings.BASE_URL}/data/…/<type>"}
        return super().get_form(request, obj, change=change, **kwargs)
