"""Days in UTC, which counts, limits and retention are about."""

from datetime import UTC, date, datetime, time

from django.utils import timezone


def today() -> date:
    return day_of(timezone.now())


def day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def start_of(day: date) -> datetime:
    return datetime.combine(day, time(tzinfo=UTC))
