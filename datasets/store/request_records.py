"""The counts of requests to data sets as records of `signalbox/requests`. Source: docs/reference/statistics.md §6."""

from collections.abc import Sequence

from config.statistics import StatisticsRecord, StatisticsSource
from datasets.models import HourlyRequests


def _changed(most: int) -> list[StatisticsRecord]:
    rows = HourlyRequests.objects.to_record().select_related("data_set__group", "data_set__type")[:most]
    return [_record(row) for row in rows]


def _record(row: HourlyRequests) -> StatisticsRecord:
    return StatisticsRecord(
        row=row.pk,
        version=row.version,
        id=f"{row.at:%Y-%m-%dT%HZ}/{row.data_set}",
        at=row.at,
        fields={"api": "data", "data_set": str(row.data_set), "count": row.n},
    )


def _stored(records: Sequence[StatisticsRecord]) -> None:
    HourlyRequests.objects.note_recorded({record.row: record.version for record in records})


REQUESTS = StatisticsSource(type="requests", changed=_changed, stored=_stored)
