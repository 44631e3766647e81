"""The due callbacks, as a queue for `Drain`."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from notifications.delivery.callbacks import call
from notifications.models import CallbackDelivery


class DueCallbacks:
    """Serves endpoints round robin. A batch is one callback, because an endpoint may take 5 s to answer."""

    def claim(self, size: int, served: Sequence[UUID]) -> list[CallbackDelivery]:
        delivery = CallbackDelivery.objects.claim_next(served)
        return [delivery] if delivery else []

    def owner_of(self, item: CallbackDelivery) -> UUID:
        return item.endpoint_id

    def work(self, item: CallbackDelivery) -> timedelta | None:
        return call.make(item)

    def record(self) -> None:
        """Do nothing: `call.make` has recorded the result."""

    def put_back(self, items: Sequence[CallbackDelivery]) -> None:
        """Do nothing: the only callback of a batch is always started."""
