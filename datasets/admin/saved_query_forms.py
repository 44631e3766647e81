"""The form that makes a saved query by choosing. Source: docs/reference/saved-queries.md §2."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from config.console.checking import checked
from config.console.theme import NumberInput, Select, Textarea, TextInput
from config.invalid import InvalidValue
from datasets.admin.publishing import PublishingForm
from datasets.admin.service_forms import ServicesForm
from datasets.alarms import measures
from datasets.dashboards import limits as tile_limits
from datasets.models import DataSet, FieldSeen, SavedQuery
from datasets.queries.local_time import TIME_PARTS
from datasets.queries.parameters import MOVING
from datasets.queries.query import PERIODS
from datasets.saved_queries import binding, limits
from datasets.saved_queries.question import MAX_GROUPS, METHODS, AskedRange, Measure, Question

OWN = "own"
_PERIODS = [(period, period.capitalize()) for period in PERIODS]
_METHOD_WORDS = {
    "sum": "Sum",
    "mean": "Mean",
    "min": "Smallest value",
    "max": "Largest value",
    "median": "Median",
    "p95": "95th percentile",
    "stddev": "Standard deviation",
    "count": "Number of records that have the field",
    "distinct": "Number of different values",
}
_METHODS = [(method, _METHOD_WORDS[method]) for method in METHODS]
_RANGES = [
    ("last", "The last complete periods"),
    ("this_year", "This year to date"),
    ("between", "Between two times"),
    ("all", "All records"),
]
_COMPARISONS = [("", "Nothing"), ("previous_period", "The period before"), ("previous_year", "The year before")]
_PART_WORDS = {"_hour_of_day": "Hour of the day", "_day_of_week": "Day of the week"}
_CONDITION = 'For example: channel = "web" and count > 0'


def _choice(label: str, choices: list[tuple[str, str]], **options: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, widget=Select, **{"required": False, **options})


def _text(label: str, *, rows: int = 1, **options: Any) -> forms.CharField:
    attrs = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
    widget = TextInput(attrs=attrs) if rows == 1 else Textarea(attrs={**attrs, "rows": rows})
    return forms.CharField(label=label, required=False, widget=widget, **options)


def _number(label: str, allowed: range, **options: Any) -> forms.IntegerField:
    least, most = allowed[0], allowed[-1]
    return forms.IntegerField(
        label=label, required=False, min_value=least, max_value=most, widget=NumberInput, **options
    )


class SavedQueryForm(ServicesForm, PublishingForm):
    """A question by choosing.

    data_set: that of a new query; others: the paths of the data sets that a ratio may be divided by
    allowed: the data sets of this person
    is_preview: whether nothing is saved, so that the name may be taken
    """

    measure_field = _choice("Measure", [], help_text="What is added up or counted.")
    measure_method = _choice("Method", _METHODS)
    split = _choice("Split by", [], help_text="One line or bar for each value of this field.")
    period = _choice("Period", [("", "No periods"), *_PERIODS])
    range_kind = _choice("Range", _RANGES)
    range_number = forms.IntegerField(
        label="Number of periods", required=False, min_value=1, max_value=1_000, widget=NumberInput
    )
    range_unit = _choice("Length of a period of the range", _PERIODS)
    start_at = _text("From", help_text="For example 2026-01-01T00:00:00Z")
    end_at = _text("To", help_text="This moment is not included.")
    compare = _choice("Compare with", _COMPARISONS)
    moving = _number(
        "Mean over the last periods", MOVING, help_text="For example 7 for a smooth line of days. Leave empty for none."
    )
    divide_by = _choice("Divide by", [], help_text="Shows the measure as a share, or as an amount for each unit.")
    divide_field = _text("Field to divide by", help_text="Leave empty for the number of records.")
    divide_method = _choice("Method of the field to divide by", _METHODS)
    limit = _number(
        "Number of groups",
        range(1, MAX_GROUPS + 1),
        help_text="The largest groups only. Works without periods.",
    )
    where = _text("Only records where", rows=2, help_text=_CONDITION)
    measure_where = _text("Measure only records where", rows=2, help_text="For example, the part of a share.")
    divide_where = _text("Divide by records where", rows=2)
    time_zone = _text("Time zone", help_text="For example Europe/London. Leave empty for UTC.")

    data_set: DataSet | None = None
    others: tuple[str, ...] = ()
    allowed: QuerySet[DataSet] = DataSet.objects.none()
    is_preview = False

    class Meta:
        model = SavedQuery
        fields = ("name", "description", "chart", "unit", "decimals", "is_public", "stored_in", "stored_every")
        widgets = {"description": Textarea(attrs={"rows": 2})}
        labels = {
            "is_public": "Everybody may read the answer",
            "chart": "Show as",
            "stored_in": "Store the rows in",
            "stored_every": "Store them",
        }
        help_texts = {
            "unit": "For example £. Use % for a share.",
            "decimals": "Leave empty to show what is needed.",
            "is_public": "The figures are public then. The records are not. Counts below 5 of data sets that are "
            "marked as personal are hidden, and others of this answer from which they could be computed.",
            "stored_in": "Another data set gets a record for each row. A repeat overwrites the records.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.data_set_id is None:
            self.instance.data_set = self.data_set
        if "of_services" in self.fields and self.instance.services:
            self.fields["of_services"].initial = self.instance.services
        seen = list(FieldSeen.objects.filter(data_set=self.instance.data_set))
        asked = _stored(self.instance)
        for name, value in _initial(asked).items():
            self.fields[name].initial = value
        known = [field.name for field in seen]
        self._offer("measure_field", [("", "Number of records"), *_named(known, asked.measure.field)])
        if asked.measure.data_set:
            self.fields["measure_field"].help_text = f"It is a field of {asked.measure.data_set}."
        plain = [field.name for field in seen if {"text", "number", "boolean"} & set(field.types)]
        parts = [(part, _PART_WORDS[part]) for part in TIME_PARTS]
        self._offer("split", [("", "Not split"), *_named(plain, asked.split), *parts])
        below = asked.divided_by.data_set if asked.divided_by else ""
        sets = [(path, f"A measure of {path}") for path in sorted({*self.others, *filter(None, [below])})]
        self._offer("divide_by", [("", "Nothing"), (OWN, "A measure of this data set"), *sets])

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = SavedQuery.objects.filter(data_set=self.instance.data_set, name=name).exclude(pk=self.instance.pk)
        if same.exists() and not self.is_preview:
            raise forms.ValidationError("Another query of this data set has this name. Choose a different one.")
        return name

    def clean_is_public(self) -> bool:
        return self.clean_publication("is_public", "the answer")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("stored_in") == self.instance.data_set:
            self.add_error("stored_in", "Choose another data set. A query cannot store its rows among its own records.")
        if bool(cleaned.get("stored_in")) != bool(cleaned.get("stored_every")):
            self.add_error("stored_every", "Choose both a data set and how often, or neither.")
        if not self.errors:
            question = checked(self.question)
            checked(binding.check_paths, question.paths, self.allowed)
            self.instance.question = question.document()
            checked(measures.check_alarms_of, self.instance)
            checked(tile_limits.check_tiles_of, self.instance)
            sets = [self.instance.data_set, *binding.at_paths(question.paths, self.allowed).values()]
            services = self.chosen_services(sets)
            if not any(one.is_of_product for one in sets):
                self.instance.services = []
            elif services is not None or not self.instance.services:  # others keep the services of the query
                self.instance.services = services
            self._check_target(sets, cleaned.get("stored_in"))
        return cleaned

    def _check_target(self, sets: list[DataSet], target: DataSet | None) -> None:
        try:
            if target is not None:
                limits.check_target(self.instance, [one.pk for one in sets], target)
        except InvalidValue as error:
            self.add_error("stored_in", str(error))

    def question(self) -> Question:
        """Return the question that was chosen. Raises InvalidValue."""
        chosen = self.cleaned_data
        divided_by = None
        if chosen["divide_by"]:
            divided_by = Measure(
                field=chosen["divide_field"],
                method=chosen["divide_method"] or "sum",
                where=chosen["divide_where"],
                data_set="" if chosen["divide_by"] == OWN else chosen["divide_by"],
            )
        asked = Question(
            measure=Measure(
                field=chosen["measure_field"],
                method=chosen["measure_method"] or "sum",
                where=chosen["measure_where"],
                data_set=_stored(self.instance).measure.data_set,  # made by *Add a key figure* or `provision`
            ),
            divided_by=divided_by,
            where=chosen["where"],
            period=chosen["period"],
            split=chosen["split"],
            range=_range(chosen),
            compare=chosen["compare"],
            moving=chosen["moving"],
            time_zone=chosen["time_zone"],
            limit=chosen["limit"],
        )
        asked.check()
        return asked

    def save(self, commit: bool = True) -> Any:
        if self.instance.pk is not None:
            self.instance.revision += 1
        return super().save(commit)


def _stored(saved_query: SavedQuery) -> Question:
    """Return the stored question, also one that has become invalid, or an empty one if it cannot be read at all."""
    try:
        return Question.unchecked(saved_query.question) if saved_query.question else Question()
    except InvalidValue:
        return Question()


def _range(chosen: dict[str, Any]) -> AskedRange:
    return AskedRange(
        kind=chosen["range_kind"] or "last",
        number=chosen["range_number"] or AskedRange().number,
        unit=chosen["range_unit"] or AskedRange().unit,
        start_at=chosen["start_at"],
        end_at=chosen["end_at"],
    )


def _initial(asked: Question) -> dict[str, Any]:
    below = asked.divided_by
    return {
        "measure_field": asked.measure.field,
        "measure_method": asked.measure.method,
        "measure_where": asked.measure.where,
        "divide_by": "" if below is None else below.data_set or OWN,
        "divide_field": "" if below is None else below.field,
        "divide_method": "sum" if below is None else below.method,
        "divide_where": "" if below is None else below.where,
        "split": asked.split,
        "period": asked.period,
        "range_kind": asked.range.kind,
        "range_number": asked.range.number,
        "range_unit": asked.range.unit,
        "start_at": asked.range.start_at,
        "end_at": asked.range.end_at,
        "compare": asked.compare,
        "moving": asked.moving,
        "limit": asked.limit,
        "where": asked.where,
        "time_zone": asked.time_zone,
    }


def _named(known: list[str], chosen: str) -> list[tuple[str, str]]:
    """Return the fields as choices. A saved field stays among them if no sampled record has it now."""
    names = known if not chosen or chosen in known or chosen in TIME_PARTS else [*known, chosen]
    return [(name, name) for name in names]
