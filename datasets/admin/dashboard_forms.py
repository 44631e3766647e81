"""The forms of dashboards, their tiles and their publication. Source: docs/reference/dashboards.md §1, §2, §5."""

import re
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.text import slugify

from config import formats
from config.console.checking import checked
from config.console.theme import CheckboxInput, NumberInput, RadioSelect, Select, Textarea, TextInput
from config.invalid import InvalidValue
from datasets.admin.owners import OwnersForm
from datasets.dashboards import limits
from datasets.models import Dashboard, SavedQuery, Tile, Visibility

_FEW_ROWS = {"rows": 3}
_SLUG = 60  # characters
_IN_WELSH = "Leave empty if the English text is shown on the Welsh page, too."


class LinesField(forms.CharField):
    """Texts, one on each line. Empty lines are left out."""

    widget = Textarea(attrs=_FEW_ROWS)

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in re.split(r"\r\n|\r|\n", super().to_python(value) or "") if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or []) != self.to_python(data))


class DashboardForm(OwnersForm):
    """The settings of a dashboard."""

    noun = "dashboard"

    filter_values = LinesField(
        label="Values of the filter",
        required=False,
        max_length=1_000,
        help_text=f"One value on each line, at most {limits.MAX_FILTER_VALUES}. Readers choose one of them.",
    )
    embed_hosts = LinesField(
        label="Hosts for frames",
        required=False,
        max_length=6_000,
        help_text="One host on each line, such as www.example.gov.uk. Its pages may show the dashboard in a frame.",
    )

    class Meta:
        model = Dashboard
        fields = ("title", "title_cy", "summary", "summary_cy", "slug", "filter_field", "owners")
        labels = {
            "slug": "Name in the URL",
            "title_cy": "Title in Welsh",
            "summary_cy": "Summary in Welsh",
            "filter_field": "Field of the filter",
        }
        help_texts = {
            "slug": "Use a–z, 0–9 and -. It cannot be changed. Leave empty to make it from the title.",
            "title_cy": _IN_WELSH,
            "summary": "One or two sentences below the title.",
            "summary_cy": _IN_WELSH,
            "filter_field": "Readers can filter all tiles by this field. Leave empty for no filter.",
        }
        widgets = {
            "title": TextInput,
            "title_cy": TextInput,
            "slug": TextInput(attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}),
            "summary": Textarea(attrs=_FEW_ROWS),
            "summary_cy": Textarea(attrs=_FEW_ROWS),
            "filter_field": TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "slug" in self.fields:
            self.fields["slug"].required = False

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"] or slugify(self.cleaned_data.get("title", ""))[:_SLUG].strip("-")
        if slug or "title" in self.cleaned_data:  # else only the missing title is an error
            checked(limits.check_slug, slug)
        return slug

    def clean_embed_hosts(self) -> list[str]:
        return checked(limits.parse_hosts, self.cleaned_data["embed_hosts"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "filter_field" in cleaned and "filter_values" in cleaned:
            try:
                limits.check_filter(cleaned["filter_field"], cleaned["filter_values"])
            except InvalidValue as error:
                self.add_error("filter_values", str(error))
        for owner in cleaned.get("owners", ()):
            if not (self.instance.pk and self.instance.owners.filter(pk=owner.pk).exists()):
                try:
                    limits.check_number_of_dashboards(owner)
                except InvalidValue as error:
                    self.add_error(None, str(error))
        return cleaned


class TileForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """A tile. queries: the saved queries of the data sets that this person may see"""

    class Meta:
        model = Tile
        fields = ("saved_query", "title", "title_cy", "text", "text_cy", "is_wide", "target", "hide_below")
        labels = {
            "saved_query": "Saved query",
            "title_cy": "Title in Welsh",
            "text_cy": "Text in Welsh",
            "is_wide": "Use the whole width",
            "hide_below": "Hide values below",
        }
        help_texts = {
            "saved_query": "The tile shows its answer. Leave empty for a tile with a text only.",
            "title": "Leave empty for the name of the saved query.",
            "title_cy": _IN_WELSH,
            "text": "Markdown: # heading, * list, **bold**, [link](https://www.example.org).",
            "text_cy": _IN_WELSH,
            "target": "A line in the chart, or a sentence below the number. 80% is 0.8.",
            "hide_below": (
                "Small numbers can identify people. Empty hides counts below 5 of data sets that are marked as "
                "personal; 0 shows all."
            ),
        }
        widgets = {
            "saved_query": Select,
            "title": TextInput,
            "title_cy": TextInput,
            "text": Textarea(attrs={"rows": 5}),
            "text_cy": Textarea(attrs=_FEW_ROWS),
            "is_wide": CheckboxInput,
            "target": NumberInput(attrs={"step": "any"}),
            "hide_below": NumberInput(attrs={"min": 0}),
        }

    def __init__(self, *args: Any, queries: QuerySet[SavedQuery], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["saved_query"]
        own = SavedQuery.objects.filter(pk=self.instance.saved_query_id)
        field.queryset = (queries | own).select_related("data_set__group", "data_set__type").order_by("name")
        field.label_from_instance = lambda query: (
            f"{query.name} ({query.data_set}, {query.get_chart_display().lower()})"
        )
        field.empty_label = "No saved query: a text"

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        query = cleaned.get("saved_query")
        if (cleaned.get("hide_below") or 0) > limits.MAX_HIDE_BELOW:
            self.add_error("hide_below", f"Enter a number of at most {formats.number(limits.MAX_HIDE_BELOW)}.")
        if "saved_query" in cleaned and query is None and not cleaned.get("text"):
            self.add_error("saved_query", "Choose a saved query, or enter a text.")
        if cleaned.get("hide_below"):
            try:
                limits.check_hide_below(cleaned["hide_below"], query)
            except InvalidValue as error:
                self.add_error("hide_below", str(error))
        return cleaned


class PublishForm(forms.Form):
    """The readers of the published dashboard."""

    visibility = forms.ChoiceField(
        label="Readers",
        choices=[one for one in Visibility.choices if one[0] != Visibility.PRIVATE],
        widget=RadioSelect,
    )


class PlaceForm(forms.Form):
    """The new place of a tile. Buttons send it, and the script when a tile is moved with the mouse."""

    tile = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    place = forms.IntegerField(min_value=-1, max_value=limits.MAX_TILES)
