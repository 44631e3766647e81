"""The counts of requests and callbacks as records of data sets. Source: docs/reference/statistics.md §6."""

from collections.abc import Sequence
from functools import partial

from config.statistics import StatisticsRecord, StatisticsSource
from notifications.models.hourly_calls import CallKind, HourlyCalls

_NAMES = {CallKind.REQUEST: "key_type", CallKind.CALLBACK: "event"}


def _changed(kind: CallKind, most: int) -> list[StatisticsRecord]:
    rows = HourlyCalls.objects.to_record().filter(kind=kind).select_related("service")[:most]
    return [_record(kind, row) for row in rows]


def _record(kind: CallKind, row: HourlyCalls) -> StatisticsRecord:
    fields = {"service": row.service.name, "service_id": str(row.service_id), _NAMES[kind]: row.name}
    return StatisticsRecord(
        row=row.pk,
        version=row.version,
        id=f"{row.at:%Y-%m-%dT%HZ}/{row.service_id}/{row.name}/{row.result}",
        at=row.at,
        fields={
            **({"api": "sending"} if kind == CallKind.REQUEST else {}),
            **fields,
            "result": row.result,
            "count": row.n,
        },
    )


def _stored(records: Sequence[StatisticsRecord]) -> None:
    HourlyCalls.objects.note_recorded({record.row: record.version for record in records})


REQUESTS, CALLBACKS = (
    StatisticsSource(type=type, changed=partial(_changed, kind), stored=_stored)
    for type, kind in (("requests", CallKind.REQUEST), ("callbacks", CallKind.CALLBACK))
)
