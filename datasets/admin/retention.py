"""How long records are kept: the form, and what it would remove now, before it is saved. Staff console §2.15."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config.console import audit, cells
from config.console.background import kinds, steps
from config.console.background.kinds import Kind, over_rows
from config.console.clean_up import rules, schedule
from config.console.models import BackgroundStep
from config.console.started_from import FIELD, StartedFrom
from config.console.theme import NumberInput
from datasets import store
from datasets.models import DataSet

NAMES = ("retention_days", "max_records")
KIND = "set-retention"
RULES = ("records-by-age", "records-by-number")


class RetentionForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """Days, a number, both or neither."""

    retention_days = forms.IntegerField(
        label="Keep for days",
        required=False,
        min_value=1,
        max_value=36_500,
        widget=NumberInput,
        help_text="Delete records older than this many days. Leave empty to keep all of them.",
    )
    max_records = forms.IntegerField(
        label="Keep the newest",
        required=False,
        min_value=1,
        max_value=1_000_000_000,
        widget=NumberInput,
        help_text="Keep only this many of the newest records. Leave empty for no limit.",
    )

    class Meta:
        model = DataSet
        fields = NAMES


class GuardedRetentionForm(StartedFrom, RetentionForm):
    """That of one set: refused where somebody else has saved since it was opened (trap T10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What would happen to one data set, as a sentence, and how long it keeps its records now."""

    name: str
    number: int
    sentence: str
    kept: str

    @property
    def shown(self) -> str:
        return cells.number(self.number)


def line(data_set: DataSet, form: RetentionForm) -> Line:
    """Say what the form's rules would remove now; removing nothing is said too."""
    days, newest = form.cleaned_data["retention_days"], form.cleaned_data["max_records"]
    found = store.preview(data_set, days=days, newest=newest)
    sentence = f"would remove {cells.number(found.removed)} of {cells.counted(found.total, 'record')} now"
    if found.oldest is not None:
        sentence += f", the oldest from {day(found.oldest)}"
    kept = in_words(data_set.retention_days, data_set.max_records)
    return Line(name=str(data_set), number=found.removed, sentence=sentence, kept=kept)


def kept_now(pks: Sequence[str]) -> str:
    """Return a digest of what these sets keep, and hold it so until the transaction ends (trap T10)."""
    rows = DataSet.objects.filter(pk__in=pks).order_by("pk").select_for_update()
    return salted_hmac(FIELD, repr(list(rows.values_list("pk", *NAMES)))).hexdigest()


def save(step: BackgroundStep, ids: Sequence[str]) -> int:
    """Give these sets the retention of the step's arguments, and return how many had another; each is in the audit."""
    wanted = {name: step.arguments[name] for name in NAMES}
    rows = DataSet.objects.select_related("group", "type").select_for_update(of=("self",)).filter(pk__in=ids)
    others = [row for row in rows if {name: getattr(row, name) for name in NAMES} != wanted]
    DataSet.objects.filter(pk__in=[row.pk for row in others]).update(**wanted)
    for row in others:
        audit.record(
            steps.actor_of(step),
            "changed",
            object_kind="dataset",
            object_id=row.pk,
            label=str(row),
            data_set_id=row.pk,
            before={name: getattr(row, name) for name in NAMES},
            after=wanted,
        )
    return len(others)


kinds.register(
    Kind(
        name=KIND,
        verb="Set the retention of",
        noun="data set",
        done="given a new retention",
        batch=over_rows(save),
    )
)


def in_words(days: int | None, newest: int | None) -> str:
    """Return how long records are kept.

    >>> in_words(None, None), in_words(1, None), in_words(400, 5)
    ('For ever', '1 day', '400 days, newest 5')
    """
    kept = cells.counted(days, "day") if days else ""
    number = f"newest {cells.number(newest)}" if newest else ""
    return ", ".join(filter(None, (kept, number))) or "For ever"


def next_run() -> str:
    """Say when the clean-up looks at records next."""
    now = timezone.now()
    found = [schedule.next_run(rule) for name in RULES if (rule := rules.named(name)) is not None]
    soonest = min(found, default=now)
    return "within the next minutes" if soonest <= now else f"on {cells.spoken(soonest)}"


def day(at: Any) -> str:
    return f"{at.day} {at:%b} {at.year}"
