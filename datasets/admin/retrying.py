"""Try all rejected records again, such as after a change of the schema. A worker does it if there are many.

Source: docs/reference/console.md §2.15.
"""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from django.forms import ValidationError

from config.encryption import DecryptionFailed
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from datasets import store
from datasets.admin.access import data_sets_of_user
from datasets.admin.record_forms import parse_record
from datasets.models import DataSet, RejectedRecord
from datasets.records import ParsedRecord

KIND = "retry-rejected"


def _retry(run: BulkJobRun, pks: Sequence[str]) -> int:
    """Store those of these records that are valid now, and return their number. The others stay rejected."""
    data_sets = DataSet.objects.none() if run.by is None else data_sets_of_user(run.by)
    data_set = data_sets.filter(pk=run.arguments["data_set"]).first()
    if data_set is None:
        return 0
    rows = RejectedRecord.objects.waiting(data_set.pk).filter(pk__in=pks).order_by("at", "index")
    return store.partly.retry(data_set, dict(_valid(data_set, rows)))


def _valid(data_set: DataSet, rows: Iterable[RejectedRecord]) -> Iterator[tuple[UUID, ParsedRecord]]:
    fits = store.schemas.fit_of(data_set)
    for row in rows:
        try:
            text = row.element().text
            if text:
                yield row.pk, parse_record(text, data_set, None, fits=fits)
        except (DecryptionFailed, ValidationError):
            continue


RETRY_REJECTED = BulkJob(name=KIND, verb="Try again", noun="rejected record", done="stored", work=over_rows(_retry))
