"""Report events of data sets. Source: docs/callbacks.md."""

from typing import Any

from django.dispatch import receiver

from config.data_sets import DataSetChange, FreshnessChange, WriteListener, data_set_changed, freshness_changed
from notifications.models import CallbackDelivery, CallbackEndpoint, CallbackEvent


@receiver(freshness_changed)
def store(change: FreshnessChange, **kwargs: Any) -> None:  # Any: the arguments of the signal
    """Create the callbacks in the transaction that records the change."""
    CallbackDelivery.objects.owe_data_set(change)


@receiver(data_set_changed)
def store_change(change: DataSetChange, **kwargs: Any) -> None:  # Any: the arguments of the signal
    """Create the callbacks in the transaction that records the event."""
    CallbackDelivery.objects.owe_change(change)


def _data_sets() -> set[int]:
    endpoints = CallbackEndpoint.objects.wanting(CallbackEvent.DATA_SET_WRITTEN).filter(service__active=True)
    return {pk for chosen in endpoints.values_list("data_sets", flat=True) for pk in chosen}


LISTENER = WriteListener(data_sets=_data_sets)
