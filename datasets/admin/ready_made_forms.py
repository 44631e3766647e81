"""The two forms of *Add a key figure*: first the figure and its data sets, then the fields of their records.

Source: docs/reference/dashboards.md §8.
"""

from typing import Any

from django import forms
from django.db.models import QuerySet

from config import formats
from config.console.theme import NumberInput, RadioSelect, Select
from config.invalid import InvalidValue
from datasets.admin.dashboard_forms import LinesField
from datasets.dashboards import ready_made
from datasets.dashboards.ready_made import MAX_VALUES, RATINGS, TEXTS, Described, Kind
from datasets.models import DataSet, FieldSeen
from datasets.store import fields_seen

_PERCENT = 100
_MOST_NAMES = 8  # of fields beside a data set
_MOST_VALUES = 12  # different values of a field that are listed
_ASKED = {
    Kind.TAKE_UP: (
        "Which field has the channel?",
        "Which channels are digital?",
        "One on each line, as they are in the records, such as web.",
    ),
    Kind.COMPLETION: (
        "Which field has the state of a transaction?",
        "Which values mean that it was completed?",
        "One on each line, as they are in the records, such as completed.",
    ),
    Kind.SATISFACTION: ("Which field has the rating from 1 to 5?", "", ""),
}


class DataSetField(forms.ModelChoiceField):  # type: ignore[type-arg]  # no parameter at run time
    """A data set, with the fields of its records, by which a person recognises it."""

    widget = Select

    def label_from_instance(self, data_set: Any) -> str:
        names = [field.name for field in data_set.fields_seen.all()][:_MOST_NAMES]
        return f"{data_set} ({', '.join(names)})" if names else str(data_set)


class ReadyMadeForm(forms.Form):
    """The figure and its data sets. It is sent by GET, because the second form depends on it."""

    kind = forms.ChoiceField(
        label="Which figure do you want to add?",
        choices=[(kind.value, f"{texts.title}: {texts.about}") for kind, texts in TEXTS.items()],
        widget=RadioSelect,
    )
    data_set = DataSetField(
        DataSet.objects.none(),
        label="Which data set has the transactions or ratings?",
        empty_label="Select a data set",
        help_text="The fields of its records are in brackets.",
    )
    cost_set = DataSetField(
        DataSet.objects.none(),
        label="Which data set has the costs?",
        required=False,
        empty_label="The same data set",
        help_text="For the cost per transaction only.",
    )

    def __init__(self, *args: Any, sets: QuerySet[DataSet], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("data_set", "cost_set"):
            field: Any = self.fields[name]
            field.queryset = sets.select_related("group", "type").prefetch_related("fields_seen")


class KeyFieldsForm(forms.Form):
    """The fields of the records that the figure needs, and its target."""

    field = forms.ChoiceField(widget=Select)
    values = LinesField(max_length=2_000)
    all_values = LinesField(
        label="Which values mean that it was started?",
        required=False,
        max_length=2_000,
        help_text="One on each line. Leave empty if each record is a transaction that was started.",
    )
    cost_field = forms.ChoiceField(label="Which field has the cost in pounds?", widget=Select)
    count_field = forms.ChoiceField(
        required=False,
        widget=Select,
        help_text="Choose a field if a record stands for several, such as all of one week.",
    )
    target = forms.FloatField(required=False, min_value=0, widget=NumberInput(attrs={"step": "any", "min": 0}))

    def __init__(self, *args: Any, kind: Kind, data_set: DataSet, cost_set: DataSet | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.data_set, self.cost_set = kind, data_set, cost_set
        is_cost, is_rating = kind == Kind.COST, kind == Kind.SATISFACTION
        unused = {"cost_field"} if not is_cost else {"field", "values", "all_values"}
        unused |= {"values"} if is_rating else set()
        unused |= {"all_values"} if kind != Kind.COMPLETION else set()
        for name in unused:
            self.fields.pop(name, None)
        whole = "answer" if is_rating else "transaction"
        self._choices("count_field", data_set, ("number",), f"None: each record is one {whole}")
        self.fields["count_field"].label = f"Which field has the number of {whole}s?"
        self.fields["target"].label = "What is the target, in pounds?" if is_cost else "What is the target, in percent?"
        self.fields["target"].help_text = "The charts show it as a line. Leave empty if there is none."
        if is_cost:
            self._choices("cost_field", cost_set or data_set, ("number",), "Select a field")
            return
        asked, values, values_help = _ASKED[kind]
        names = self._choices("field", data_set, ("text", "number", "boolean"), "Select a field")
        self.fields["field"].label = asked
        seen = fields_seen.values(data_set, names, most=_MOST_VALUES)
        words = [f"{name} is {formats.listed(found, 'or')}" for name, found in seen.items()]
        self.fields["field"].help_text = f"In the records, {'; '.join(words)}." if words else ""
        if not is_rating:
            self.fields["values"].label, self.fields["values"].help_text = values, values_help

    def _choices(self, name: str, data_set: DataSet, types: tuple[str, ...], empty: str) -> list[str]:
        seen = FieldSeen.objects.filter(data_set=data_set)
        names = [one.name for one in seen if set(types) & set(one.types)]
        field: Any = self.fields[name]
        field.choices = [("", empty), *((one, one) for one in names)]
        return names

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name in ("values", "all_values"):
            if len(cleaned.get(name) or ()) > MAX_VALUES:
                self.add_error(name, f"Enter at most {MAX_VALUES} values.")
        if self.kind != Kind.COST and (cleaned.get("target") or 0) > _PERCENT:
            self.add_error("target", "Enter a target of at most 100 percent.")
        if not self.errors and self.kind != Kind.COST:
            self._check_values(cleaned)
        return cleaned

    def _check_values(self, cleaned: dict[str, Any]) -> None:
        """A misspelt value would be published as 0 percent."""
        asked = {"values": cleaned.get("values"), "all_values": cleaned.get("all_values")}
        is_rating = self.kind == Kind.SATISFACTION
        for name, values in ({"field": RATINGS} if is_rating else asked).items():
            try:
                if values:
                    ready_made.check_values(self.data_set, cleaned["field"], values, all_of_them=not is_rating)
            except InvalidValue as error:
                self.add_error(name, str(error))

    def described(self) -> Described:
        given = self.cleaned_data
        target = given.get("target")
        if target is not None and self.kind != Kind.COST:
            target /= _PERCENT
        return Described(
            kind=self.kind,
            data_set=self.data_set,
            field=given.get("field", ""),
            values=given.get("values", ()),
            all_values=given.get("all_values", ()),
            count_field=given.get("count_field", ""),
            cost_set=self.cost_set,
            cost_field=given.get("cost_field", ""),
            target=target,
        )
