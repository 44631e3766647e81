"""A data set as staff ask for it. Source: Staff console §2.14."""

import re
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html

from config.console.theme import CheckboxSelectMultiple, NumberInput, Textarea, TextInput
from datasets.admin.retention import RetentionForm
from datasets.models import DataGroup, DataSet, DataType, is_word
from datasets.records import names

_WORD_HELP = "a–z, 0–9, - and _, beginning with a letter or digit. It is a part of the URL and never changes."

_PLAIN = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}


class AutoIdsField(forms.CharField):
    """Field names, one a line; none at all is null. Spaces around a name are part of it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> Any:
        # A name may hold U+2028, at which `splitlines` would cut it.
        lines = re.split(r"\r\n|\r|\n", super().to_python(value) or "")
        return [line for line in lines if line.strip()] or None

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def validate(self, value: Any) -> None:
        for name in value or []:
            if not (name in names.MOMENTS or names.is_field_name(name)):
                raise forms.ValidationError(f"{name} is not a field name.")
            if value.count(name) > 1:
                raise forms.ValidationError(f"{name} is given twice.")
        if len(value or []) > 20:  # Data Set contract §17
            raise forms.ValidationError("At most 20 fields.")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or None) != self.to_python(data))


def wrong_word(word: str) -> str:
    """Name the first character that may not be there.

    >>> wrong_word("Pay"), wrong_word("-pay")
    ('Use a–z, 0–9, - and _: “P” is none of them.', 'Begin with a letter or digit: “-” is none.')
    """
    wrong = re.search(r"[^a-z0-9_-]", word)
    if wrong:
        return f"Use a–z, 0–9, - and _: “{wrong[0]}” is none of them."
    return f"Begin with a letter or digit: “{word[:1]}” is none."


class DataSetForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    auto_ids = AutoIdsField(
        label="Fields that make the _id",
        required=False,
        widget=Textarea(attrs={"rows": 3}),
        help_text="One a line, or none. Records with equal values in them are then one record.",
    )
    expected_every_seconds = forms.IntegerField(
        label="A write expected every (seconds)",
        required=False,
        min_value=1,
        max_value=31_536_000,
        widget=NumberInput,
        help_text="Empty: not watched.",
    )

    class Meta:
        model = DataSet
        fields = ("owners", "public", "realtime")
        widgets = {"owners": CheckboxSelectMultiple}
        help_texts = {
            "owners": "They may do everything with this set. Those who manage all data sets always may.",
            "public": "Anyone may read it without a token. Writing always needs one.",
            "realtime": "Readers keep a public answer for 2 minutes instead of 30.",
        }


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
