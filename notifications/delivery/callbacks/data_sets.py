"""Report data sets that became late or recovered. Source: docs/callbacks.md."""

from typing import Any

from django.dispatch import receiver

from config.data_sets import FreshnessChange, freshness_changed
from notifications.models import CallbackDelivery


@receiver(freshness_changed)
def store(change: FreshnessChange, **kwargs: Any) -> None:  # Any: the arguments of the signal
    """Create the callbacks in the transaction that records the change."""
    CallbackDelivery.objects.owe_data_set(change)
