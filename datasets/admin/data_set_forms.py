"""A data set as staff ask for it. Source: Staff console §2.14."""

import re
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html

from config.console.theme import TextInput
from datasets.admin.form_fields import AutoIdsField, SpanField
from datasets.admin.owners import OwnersForm
from datasets.admin.retention import RetentionForm
from datasets.models import DataGroup, DataSet, DataType, is_word

_WORD_HELP = "Use a–z, 0–9, - and _, and start with a letter or digit. It is part of the URL and cannot be changed."

_PLAIN = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}


def wrong_word(word: str) -> str:
    """Name the first character that may not be there.

    >>> wrong_word("Pay"), wrong_word("-pay")
    ('Use a–z, 0–9, - and _: “P” is none of them.', 'Begin with a letter or digit: “-” is none.')
    """
    wrong = re.search(r"[^a-z0-9_-]", word)
    if wrong:
        return f"Use a–z, 0–9, - and _: “{wrong[0]}” is none of them."
    return f"Begin with a letter or digit: “{word[:1]}” is none."


class DataSetForm(OwnersForm):
    """may_publish: whether the sign-in is recent enough to make records public; where_to_prove: asks for it."""

    may_publish = True
    where_to_prove = ""

    auto_ids = AutoIdsField(
        label="Fields that identify a record",
        required=False,
        help_text=(
            "One field name a line. Records with equal values in these fields replace each other. "
            "Leave empty if the writer sends _id, or if each record is a new one."
        ),
    )
    expected_every_seconds = SpanField(
        label="Expect new data every",
        required=False,
        help_text="The data set is shown as late if no record arrives in this time. Leave empty to expect nothing.",
    )

    class Meta:
        model = DataSet
        fields = ("owners", "public", "realtime")
        help_texts = {
            "public": "Anyone can read the records without a token. Writing always needs a token.",
            "realtime": "Public readers see changes within 2 minutes (normally 30).",
        }

    def clean_public(self) -> bool:
        wanted: bool = self.cleaned_data["public"]
        if wanted and not self.may_publish and "public" in self.changed_data:
            raise forms.ValidationError(
                format_html(
                    'To make the records public, <a href="{}" target="_blank">enter your password again</a> '
                    "(opens a new tab), then save once more.",
                    self.where_to_prove,
                )
            )
        return wanted


class NewDataSetForm(DataSetForm, RetentionForm):
    """The same with its address, of words that are there or are made now, and with how long records are kept."""

    group_name = forms.CharField(
        label="Group", max_length=60, widget=TextInput(attrs={"list": "groups", **_PLAIN}), help_text=_WORD_HELP
    )
    type_name = forms.CharField(
        label="Type", max_length=60, widget=TextInput(attrs={"list": "types", **_PLAIN}), help_text=_WORD_HELP
    )

    def clean_group_name(self) -> str:
        return self._word("group_name")

    def clean_type_name(self) -> str:
        return self._word("type_name")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        group, type = cleaned.get("group_name"), cleaned.get("type_name")
        taken = DataSet.objects.at(group, type).first() if group and type else None
        if taken is not None:
            url = reverse("admin:datasets_dataset_overview", args=[taken.pk])
            self.add_error("type_name", format_html('There is a data set <a href="{}">{}</a> already.', url, taken))
        return cleaned

    def save(self, commit: bool = True) -> Any:
        self.instance.group, _ = DataGroup.objects.get_or_create(name=self.cleaned_data["group_name"])
        self.instance.type, _ = DataType.objects.get_or_create(name=self.cleaned_data["type_name"])
        return super().save(commit)

    def _word(self, field: str) -> str:
        word: str = self.cleaned_data[field]
        if not is_word(word):
            raise forms.ValidationError(wrong_word(word))
        return word


class TypedNameForm(forms.Form):
    """The name of the set, typed out by the person who is about to do something grave to it."""

    name = forms.CharField(widget=TextInput)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted
        self.fields["name"].label = f"Type {wanted}"

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.wanted:
            raise forms.ValidationError(f"This is not {self.wanted}. Nothing was done.")
        return self.wanted
