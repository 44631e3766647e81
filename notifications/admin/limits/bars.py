"""The use of a service's limits today, from counters. No message rows are read."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from config import formats
from config.utc_days import start_of, today
from notifications.jobs import limits
from notifications.models import DailyCounter, KeyType, LimitChange, LimitKind, RefusedCalls, Service, ServiceLimit
from notifications.models.limit_change import DAILY_LIMITS
from notifications.submission import rate

_WARN_FROM, _FULL = 80, 100  # percent
_TITLES = {
    ServiceLimit.EMAIL: "Emails",
    ServiceLimit.SMS: "Text messages",
    ServiceLimit.INTERNATIONAL_SMS: "International text messages",
}
_KEYS = {KeyType.LIVE: "Live keys", KeyType.TEAM: "Team keys", KeyType.TEST: "Test keys"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The use of one limit. used: None if it is not known; refused: None if it is not counted by this bar"""

    title: str
    used: int | None
    limit: int
    unit: str
    refused: int | None = None
    temporary: LimitChange | None = None

    @property
    def percent(self) -> int:
        """Return the share that is used, from 0 to 100. A limit of 0 is used up."""
        if not self.limit:
            return _FULL
        return min(_FULL, (self.used or 0) * 100 // self.limit)

    @property
    def tone(self) -> str:
        return "bad" if self.percent >= _FULL else "warn" if self.percent >= _WARN_FROM else ""

    @property
    def sentence(self) -> str:
        used = "An unknown number" if self.used is None else formats.number(self.used)
        return f"{used} of {formats.number(self.limit)} {self.unit}"


def of_days(service: Service) -> list[Bar]:
    """Return a bar for each daily limit."""
    now = today()
    used = dict(DailyCounter.objects.filter(service=service, day=now).values_list("kind", "count"))
    refused = _refused(service)
    temporary = limits.temporary(service)
    order = (LimitKind.EMAIL, LimitKind.SMS, LimitKind.INTERNATIONAL_SMS)
    return [
        Bar(
            title=_TITLES[limit],
            used=used.get(kind, 0),
            limit=getattr(service, limit.value),
            unit="today",
            refused=refused.get(limit, 0),
            temporary=temporary.get(limit),
        )
        for kind, limit in ((kind, DAILY_LIMITS[kind]) for kind in order)
    ]


def of_minute(service: Service) -> list[Bar]:
    """Return a bar for each type of key, with the requests of the last minute."""
    limit = service.rate_limit_per_minute
    return [
        Bar(title=title, used=rate.passed_lately(service.pk, key_type.value), limit=limit, unit="in the last minute")
        for key_type, title in _KEYS.items()
    ]


def refused_by_rate(service: Service) -> int:
    """Return the number of calls that the rate limit refused today."""
    return _refused(service).get(ServiceLimit.RATE, 0)


def highest_shares(services: Q | None = None) -> dict[UUID, tuple[int, str]]:
    """Return the highest share of a daily limit that each service has used today, with its title, by service id.

    services: a condition with the prefix `service`; None for all that are not archived
    """
    found: dict[UUID, tuple[int, str]] = {}
    rows = DailyCounter.objects.filter(services or Q(service__active=True), day=today(), count__gt=0)
    for row in rows.select_related("service"):
        limit = DAILY_LIMITS[LimitKind(row.kind)]
        bar = Bar(title=_TITLES[limit], used=row.count, limit=getattr(row.service, limit.value), unit="today")
        found[row.service_id] = max(found.get(row.service_id, (0, "")), (bar.percent, bar.title))
    return found


def time_to_reset() -> str:
    """Return the time until the daily limits start again, such as "3 h 12 min"."""
    midnight = start_of(today() + timedelta(days=1))
    return formats.duration((midnight - timezone.now()).total_seconds())


def _refused(service: Service) -> dict[str, int]:
    return dict(RefusedCalls.objects.filter(service=service, day=today()).values_list("limit", "count"))
