"""Days in UTC, which counts, limits and retention are about."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone


def today() -> date:
    return day_of(timezone.now())


def day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def start_of_day_before(days: int) -> datetime:
    """Return the start of the day that was so many days before today."""
    return timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days)


def start_of(day: date) -> datetime:
    return datetime.combine(day, time(tzinfo=UTC))
