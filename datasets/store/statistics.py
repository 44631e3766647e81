"""Fill the data sets of the group `signalbox` with the statistics that all areas count.

Each record has an id of its hour and values, so a repeat after a crash replaces it.
Source: docs/reference/statistics.md §4.
"""

import time

import structlog
from django.db import transaction

from config import areas, audit
from config.audit import changes
from config.statistics import GROUP, KEPT_DAYS, StatisticsRecord, StatisticsSource
from datasets.models import DataGroup, DataSet, DataType
from datasets.records import moments, parse
from datasets.store.append import append

AT_ONCE = 2_000  # records: 0.2 s
_SECONDS = 20  # of one run of each source, because other tasks wait meanwhile; the next run continues

log = structlog.get_logger()


def fill() -> int:
    """Store the changed statistics of all areas, and return the number of records."""
    return sum(map(_fill, areas.parts(StatisticsSource)))


def _fill(source: StatisticsSource) -> int:
    number, until = 0, time.monotonic() + _SECONDS
    while time.monotonic() < until and (records := source.changed(AT_ONCE)):
        data_set = data_set_of(source.type)
        if data_set is None:
            break
        stored = parse.check([_element(record) for record in records], auto_ids=())
        append(data_set.pk, stored, has_segments=data_set.columns_until is not None)
        source.stored(records)
        number += len(records)
    return number


def _element(record: StatisticsRecord) -> dict[str, object]:
    fields = {name: value for name, value in record.fields.items() if value is not None}
    return {"_id": record.id, "_timestamp": moments.write(record.at), **fields}


@transaction.atomic
def data_set_of(type: str) -> DataSet | None:
    """Return the data set of a type, which is created first. Return None if people use its path."""
    found = DataSet.objects.at(GROUP, type).first()
    if found is not None:
        if not found.is_of_product:
            log.warning("statistics.path_is_taken", data_set=found.pk)
        return found if found.is_of_product else None
    group, is_new = DataGroup.objects.get_or_create(
        name=GROUP, defaults={"description": "Statistics that Signalbox fills."}
    )
    if is_new:
        audit.record(audit.CLOCK, "created", group, after=changes.snapshot(group))
    of_type, is_new = DataType.objects.get_or_create(name=type)
    if is_new:
        audit.record(audit.CLOCK, "created", of_type, after=changes.snapshot(of_type))
    data_set, is_new = DataSet.objects.get_or_create(
        group=group, type=of_type, defaults={"is_of_product": True, "retention_days": KEPT_DAYS}
    )
    if is_new:
        audit.record(audit.CLOCK, "created", data_set, after=changes.snapshot(data_set))
    return data_set
