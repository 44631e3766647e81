"""Count the attempts of callbacks in memory, and store the counts every few seconds.

Source: docs/reference/statistics.md §6.
"""

from django.utils import timezone

from config.metrics import registry
from config.metrics.registry import PendingCounts, storing
from notifications.models import CallbackDelivery, CallKind, CallResult, CallsOfHour, HourlyCalls

_pending: PendingCounts[CallsOfHour] = PendingCounts()


def count(delivery: CallbackDelivery, result: CallResult) -> None:
    """Count one attempt. Test events are not counted."""
    if delivery.is_test:
        return
    at = timezone.now().replace(minute=0, second=0, microsecond=0)
    event = delivery.event_type.value
    _pending.add(CallsOfHour(delivery.endpoint.service_id, at, CallKind.CALLBACK, event, result))


def store_pending() -> None:
    if counts := _pending.take():
        with storing(lambda: _pending.give_back(counts)):
            HourlyCalls.objects.add(counts)


registry.also_flush(store_pending)
