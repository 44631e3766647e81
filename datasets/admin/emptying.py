"""Empty a large data set in the background, in batches.

Source: docs/reference/console.md §2.16.
"""

from collections.abc import Iterator

from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from datasets import store
from datasets.errors import NoSuchDataSet
from datasets.models import DataSet

KIND = "empty-data-set"


def _empty(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Delete the records of the data set until none are left, including new ones."""
    try:
        while removed := store.empty_a_part(int(run.rows[0]), pace.at_once):
            yield Batch(passed=removed, number=removed)
    except NoSuchDataSet:  # the data set was deleted
        return


def _record(run: BulkJobRun) -> None:
    data_set = DataSet.objects.select_related("group", "type").filter(pk=run.rows[0]).first()
    if data_set:
        store.record_emptied(data_set, run.changed, by=run.actor)


EMPTY_DATA_SET = BulkJob(
    name=KIND,
    verb="Remove",
    noun="record",
    done="removed",
    work=_empty,
    after="It now contains 0 records.",
    at_end=_record,
)
