"""Emptying a data set of more records than a request should remove, part by part. Source: Staff console §2.16."""

from config.console.background import kinds, steps
from config.console.background.kinds import Batch, Kind
from config.console.models import BackgroundStep
from datasets import store
from datasets.errors import NoSuchDataSet
from datasets.models import DataSet

KIND = "empty-data-set"


def empty_a_part(step: BackgroundStep, at_once: int) -> Batch:
    """Remove some records of the step's set; it is over once none are left, however many came meanwhile."""
    data_set = DataSet.objects.select_related("group", "type").filter(pk=step.rows[0]).first()
    if data_set is None:  # deleted meanwhile, and before that emptied
        return _GONE
    by = steps.actor_of(step)
    try:
        removed, is_empty = store.empty_a_part(data_set, at_once, gone_before=step.changed, by=by)
    except NoSuchDataSet:
        return _GONE
    return Batch(passed=removed, changed=removed, is_last=is_empty)


_GONE = Batch(passed=0, changed=0, is_last=True)

kinds.register(
    Kind(
        name=KIND,
        verb="Remove",
        noun="record",
        done="removed",
        batch=empty_a_part,
        after="It now contains 0 records.",
    )
)
