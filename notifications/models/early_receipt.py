"""Delivery receipts that arrived before their message was recorded as sent.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §9.
"""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models.notification import Notification

KEPT_FOR = timedelta(hours=1)


class EarlyReceiptQuerySet(models.QuerySet["EarlyReceipt"]):
    def with_message(self) -> Self:
        """Return the receipts whose message is now known, in order of arrival."""
        meant = Notification.objects.exclude(provider_reference="").filter(provider_reference=OuterRef("reference"))
        named = Notification.objects.filter(id=OuterRef("notification_id"))
        known = Q(Exists(meant.filter(provider=OuterRef("provider")))) | Q(
            Exists(named.filter(provider=OuterRef("provider")))
        )
        return self.filter(known).order_by("received_at")

    def forget_old(self) -> int:
        """Delete receipts older than KEPT_FOR, and return their number."""
        return self.filter(received_at__lt=Now() - KEPT_FOR).delete()[0]


class EarlyReceipt(models.Model):
    """One delivery receipt, parsed by the provider's adapter.

    notification_id: the id of the message, if the provider returns it; otherwise `reference` identifies the message
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    provider = models.CharField(max_length=60)
    reference = models.CharField(max_length=255, blank=True)
    notification_id = models.UUIDField(null=True)
    outcome = models.CharField(max_length=20)
    code = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField(null=True)
    received_at = models.DateTimeField(default=timezone.now)

    objects = EarlyReceiptQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Early receipt {str(self.id)[:8]}"
