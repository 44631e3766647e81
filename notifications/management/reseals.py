"""Sealed cells of the sending area, for `manage.py rotate_keys`: sealed anew under the newest of FIELD_KEYS.

Source: Security and reliability §1.
"""

from collections.abc import Callable

from django.db import models

from config import sealing
from config.console.models import Invite
from notifications.models import ApiKey, Attachment, CallbackEndpoint, Notification, SandboxMessage

BATCH = 500


def reseals() -> dict[str, Callable[[], int]]:
    """Return, by table.column, what seals every cell of it and says how many there were."""
    cells: list[tuple[type[models.Model], str]] = [
        (ApiKey, "sealed_secret"),
        (CallbackEndpoint, "sealed_bearer_token"),
        (CallbackEndpoint, "sealed_signing_secret"),
        (CallbackEndpoint, "sealed_old_signing_secret"),
        (SandboxMessage, "sealed"),
        (Notification, "sealed_outgoing"),
        (Attachment, "name_sealed"),
        (Invite, "sealed_token"),
    ]
    return {f"{model._meta.model_name}.{column}": _resealer(model, column) for model, column in cells}


def _resealer(model: type[models.Model], column: str) -> Callable[[], int]:
    def reseal() -> int:
        count = 0
        rows = model._default_manager.exclude(**{column: None}).only("pk", column).order_by("pk")
        for row in rows.iterator(BATCH):
            sealed = bytes(getattr(row, column))
            # Only where it is still what was read: what somebody has sealed meanwhile is under the newest key already.
            model._default_manager.filter(pk=row.pk, **{column: sealed}).update(**{column: sealing.reseal(sealed)})
            count += 1
        return count

    return reseal
