"""The counts of messages as records of the data set `signalbox/messages`. Source: docs/reference/statistics.md §5."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import quote

from django.conf import settings

from config.statistics import StatisticsRecord, StatisticsSource
from config.utc_days import start_of
from notifications.jobs.durations import MEDIAN, SLOW, within
from notifications.models.hourly_count import HourlyCount


def hour_of(row: HourlyCount) -> datetime:
    return start_of(row.day) + timedelta(hours=row.hour)


def _changed(most: int) -> list[StatisticsRecord]:
    rows = HourlyCount.objects.to_record().select_related("service", "template")[:most]
    return [_record(row) for row in rows]


def _record(row: HourlyCount) -> StatisticsRecord:
    parts = (row.service_id, row.template_id, row.key_type, row.status, quote(row.provider, safe="") or "-")
    return StatisticsRecord(
        row=row.pk,
        version=row.version,
        id="/".join([f"{hour_of(row):%Y-%m-%dT%HZ}", *map(str, parts)]),
        at=hour_of(row),
        fields=fields_of(row),
    )


def fields_of(row: HourlyCount) -> dict[str, str | int | float | None]:
    """Return the fields of a record by name; None for times without a delivery."""
    times = {int(time): number for time, number in row.times.items()}
    return {
        "service": row.service.name,
        "service_id": str(row.service_id),
        "channel": row.channel,
        "template": row.template.name,
        "template_id": str(row.template_id),
        "key_type": row.key_type,
        "status": row.status,
        "provider": row.provider,
        "count": row.n,
        "parts": row.units,
        "cost": float(row.units * settings.SMS_RATE),
        "seconds_p50": within(times, MEDIAN),
        "seconds_p95": within(times, SLOW),
    }


def _stored(records: Sequence[StatisticsRecord]) -> None:
    HourlyCount.objects.note_recorded({record.row: record.version for record in records})


MESSAGES = StatisticsSource(type="messages", changed=_changed, stored=_stored)
