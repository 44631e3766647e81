"""Set the retention of data sets, with a preview. Source: docs/reference/console.md §2.15."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config import audit, formats
from config.console.checking import validator
from config.console.started_from import FIELD, StartedFrom
from config.console.theme import NumberInput
from config.jobs import rules, schedule
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from datasets import store, validation
from datasets.models import DataSet

NAMES = ("retention_days", "max_records")
KIND = "set-retention"
RULES = ("records-by-age", "records-by-number")


class RetentionForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """Days, a number of records, both or neither."""

    retention_days = forms.IntegerField(
        label="Days to keep records",
        required=False,
        validators=[validator(validation.check_retention_days)],
        widget=NumberInput(attrs={"min": 1}),
        help_text="Delete records older than this many days. Leave empty to keep all of them.",
    )
    max_records = forms.IntegerField(
        label="Number of records to keep",
        required=False,
        validators=[validator(validation.check_max_records)],
        widget=NumberInput(attrs={"min": 1}),
        help_text="Keep only this many of the newest records. Leave empty for no limit.",
    )

    class Meta:
        model = DataSet
        fields = NAMES


class GuardedRetentionForm(StartedFrom, RetentionForm):
    """The form of one data set. It is refused if another person has saved since it was opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPreview:
    """The preview of one data set: what would be deleted, and the current retention."""

    name: str
    number: int
    sentence: str
    kept: str

    @property
    def shown(self) -> str:
        return formats.number(self.number)


def line(data_set: DataSet, form: RetentionForm) -> RetentionPreview:
    """Return what the rules of the form would delete now."""
    days, newest = form.cleaned_data["retention_days"], form.cleaned_data["max_records"]
    found = store.preview(data_set, days=days, newest=newest)
    sentence = f"would delete {formats.number(found.removed)} of {formats.counted(found.total, 'record')} now"
    if found.oldest is not None:
        sentence += f", the oldest from {formats.day(found.oldest)}"
    kept = in_words(data_set.retention_days, data_set.max_records)
    return RetentionPreview(name=str(data_set), number=found.removed, sentence=sentence, kept=kept)


def kept_now(pks: Sequence[str]) -> str:
    """Return a hash of the current retention of these data sets and lock them until the transaction ends."""
    rows = DataSet.objects.filter(pk__in=pks).order_by("pk").select_for_update()
    return salted_hmac(FIELD, repr(list(rows.values_list("pk", *NAMES)))).hexdigest()


def save(run: BulkJobRun, ids: Sequence[str]) -> int:
    """Set the retention of these data sets, record each change in the audit, and return the number of changes."""
    wanted = {name: run.arguments[name] for name in NAMES}
    rows = DataSet.objects.select_related("group", "type").select_for_update(of=("self",)).filter(pk__in=ids)
    others = [row for row in rows if {name: getattr(row, name) for name in NAMES} != wanted]
    DataSet.objects.filter(pk__in=[row.pk for row in others]).update(**wanted)
    for row in others:
        audit.record(run.actor, "changed", row, before={name: getattr(row, name) for name in NAMES}, after=wanted)
    return len(others)


SET_RETENTION = BulkJob(
    name=KIND,
    verb="Set the retention of",
    noun="data set",
    done="given a new retention",
    work=over_rows(save),
)


def in_words(days: int | None, newest: int | None) -> str:
    """Describe how long records are kept.

    >>> in_words(None, None), in_words(1, None), in_words(400, 5)
    ('No limit', '1 day', '400 days, newest 5')
    """
    kept = formats.counted(days, "day") if days else ""
    number = f"newest {formats.number(newest)}" if newest else ""
    return ", ".join(filter(None, (kept, number))) or "No limit"


def next_run() -> str:
    """Describe when the clean-up runs next."""
    now = timezone.now()
    found = [schedule.next_run(rule) for name in RULES if (rule := rules.named(name)) is not None]
    soonest = min(found, default=now)
    return "in a few minutes" if soonest <= now else formats.on(soonest)
