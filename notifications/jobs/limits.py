"""Change the limits of a service for good or for a time, and note which daily limits are nearly used up.

The columns of `Service` are the values in force, and submission reads only them.
Source: docs/reference/console.md §3.9.
"""

from collections.abc import Mapping
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from config import audit, utc_days
from notifications.models import DailyCounter, LimitChange, LimitNotice, Service, ServiceLimit
from notifications.models.limit import LimitKind
from notifications.models.limit_change import DAILY_LIMITS

PERCENTAGES = (100, 80)  # of a daily limit; each is mailed once a day

log = structlog.get_logger()


def change(
    service: Service,
    values: Mapping[ServiceLimit, int],
    actor: audit.Actor,
    author: str,
    reason: str,
    until: datetime | None,
) -> bool:
    """Set these limits and return whether any of them changed.

    until: when the lasting values apply again, for a temporary change. A lasting change ends a temporary one.
    """
    with transaction.atomic():
        stored = Service.objects.select_for_update().get(pk=service.pk)
        current = temporary(stored)
        before = {limit: _value(stored, limit) for limit in values}
        changed = {limit: value for limit, value in values.items() if value != before[limit]}
        for limit, value in changed.items():
            lasting = current[limit].returns_to if limit in current else before[limit]
            if limit in current:
                _end(current[limit].pk)
            LimitChange.objects.create(
                service=stored,
                limit=limit,
                former=before[limit],
                value=value,
                reason=reason,
                until=until,
                returns_to=lasting if until else None,
                created_by=author,
            )
        if changed:
            _set(stored, changed, {limit: before[limit] for limit in changed}, actor, reason)
    return bool(changed)


def return_now(service: Service, actor: audit.Actor, reason: str) -> None:
    """End the temporary changes of a service."""
    with transaction.atomic():
        Service.objects.select_for_update().get(pk=service.pk)
        for row in temporary(service).values():
            _return(row, actor, reason)


def return_due() -> int:
    """End the temporary changes whose time is over, and return their number."""
    ended = 0
    for pk, service_id in list(LimitChange.objects.due().values_list("pk", "service_id")):
        with transaction.atomic():
            Service.objects.select_for_update().get(pk=service_id)
            row = LimitChange.objects.due().filter(pk=pk).first()  # another worker may have ended it
            if row is not None:
                _return(row, audit.CLOCK, f"The change “{row.reason}” has ended.")
                ended += 1
    return ended


def temporary(service: Service) -> dict[ServiceLimit, LimitChange]:
    """Return the temporary changes in force, by their limit."""
    return {ServiceLimit(row.limit): row for row in LimitChange.objects.temporary().filter(service=service)}


def lasting(service: Service) -> dict[ServiceLimit, int]:
    """Return the limits without temporary changes."""
    current = temporary(service)
    return {
        limit: (current[limit].returns_to or 0) if limit in current else _value(service, limit)
        for limit in ServiceLimit
    }


def set_lasting(service: Service, values: Mapping[ServiceLimit, int]) -> dict[ServiceLimit, int]:
    """Store these lasting values of limits that have a temporary change. Return the others, which apply at once."""
    current = temporary(service)
    for limit in values.keys() & current.keys():
        LimitChange.objects.filter(pk=current[limit].pk).update(returns_to=values[limit])
    return {limit: value for limit, value in values.items() if limit not in current}


def note_used() -> int:
    """Store a notice for each daily limit that has reached 80% or 100% today, and return the number of new ones."""
    today = utc_days.today()
    counters = DailyCounter.objects.filter(day=today, count__gt=0, service__active=True).select_related("service")
    known = set(LimitNotice.objects.filter(day=today).values_list("service_id", "kind", "percent"))
    made = []
    for row in counters:
        limit = _value(row.service, DAILY_LIMITS[LimitKind(row.kind)])
        reached = next((percent for percent in PERCENTAGES if limit and 100 * row.count >= percent * limit), None)
        if reached is not None and (row.service_id, row.kind, reached) not in known:
            made.append(
                LimitNotice(
                    service_id=row.service_id,
                    day=today,
                    kind=row.kind,
                    percent=reached,
                    count=row.count,
                    limit=limit,
                    mail_at=Now(),
                )
            )
    LimitNotice.objects.bulk_create(made, ignore_conflicts=True)
    return len(made)


def _return(row: LimitChange, actor: audit.Actor, reason: str) -> None:
    """Apply the lasting value again. The caller has locked the service."""
    service, limit = Service.objects.get(pk=row.service_id), ServiceLimit(row.limit)
    _end(row.pk)
    before, value = _value(service, limit), row.returns_to or 0
    if value != before:
        _set(service, {limit: value}, {limit: before}, actor, reason)
    log.info("limit.returned", service_id=str(service.pk), limit=limit.value, value=value)


def _end(pk: int) -> None:
    LimitChange.objects.filter(pk=pk).update(ended_at=timezone.now())


def _set(
    service: Service,
    values: Mapping[ServiceLimit, int],
    before: Mapping[ServiceLimit, int],
    actor: audit.Actor,
    reason: str,
) -> None:
    Service.objects.filter(pk=service.pk).update(**{limit.value: value for limit, value in values.items()})
    audit.record(
        actor,
        "changed",
        service,
        before={limit.value: value for limit, value in before.items()},
        after={limit.value: value for limit, value in values.items()},
        reason=reason,
    )


def _value(service: Service, limit: ServiceLimit) -> int:
    value: int = getattr(service, limit.value)
    return value
