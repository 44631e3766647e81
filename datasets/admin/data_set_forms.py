"""The forms to create and change data sets. Source: docs/reference/console.md §2.14."""

from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html

from config.console.checking import validator
from config.console.theme import TextInput
from datasets.admin.form_fields import AutoIdsField, SpanField
from datasets.admin.owners import OwnersForm
from datasets.admin.publishing import PublishingForm
from datasets.admin.retention import RetentionForm
from datasets.models import DataGroup, DataSet, DataType
from datasets.validation import parse_path_part

_NAME_HELP = "Use a–z, 0–9, - and _, and start with a letter or digit. It is part of the URL and cannot be changed."


def _path_part(label: str, names: str) -> forms.CharField:
    """Return the field of a group or type. names: the id of the list that the browser suggests from."""
    attrs = {"list": names, "autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}
    is_valid = [validator(parse_path_part)]
    return forms.CharField(label=label, widget=TextInput(attrs=attrs), validators=is_valid, help_text=_NAME_HELP)


class DataSetForm(PublishingForm, OwnersForm):
    auto_ids = AutoIdsField(
        label="Fields that identify a record",
        required=False,
        help_text=(
            "Enter one field name on each line. Records with equal values in these fields replace each other. "
            "Leave empty if writers send _id or if every record is new."
        ),
    )
    expected_every_seconds = SpanField(
        label="Expect new data every",
        required=False,
        help_text="The data set is shown as late if no record arrives in this time. Leave empty for no check.",
    )

    class Meta:
        model = DataSet
        fields = ("owners", "public", "realtime")
        help_texts = {
            "public": "Anyone can read the records without a token. Writing always needs a token.",
            "realtime": "Public readers see changes within 2 minutes (normally 30).",
        }

    def clean_public(self) -> bool:
        return self.clean_publication("public", "the records")


class NewDataSetForm(DataSetForm, RetentionForm):
    """The form of a new data set, with its path and retention. Missing groups and types are created."""

    group_name = _path_part("Group", "groups")
    type_name = _path_part("Type", "types")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        group, type = cleaned.get("group_name"), cleaned.get("type_name")
        taken = DataSet.objects.at(group, type).first() if group and type else None
        if taken is not None:
            url = reverse("admin:datasets_dataset_overview", args=[taken.pk])
            self.add_error("type_name", format_html('The data set <a href="{}">{}</a> already exists.', url, taken))
        return cleaned

    def save(self, commit: bool = True) -> Any:
        self.instance.group, _ = DataGroup.objects.get_or_create(name=self.cleaned_data["group_name"])
        self.instance.type, _ = DataType.objects.get_or_create(name=self.cleaned_data["type_name"])
        return super().save(commit)
