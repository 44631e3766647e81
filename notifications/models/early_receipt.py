"""Receipts that came before the row knew of whom.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §9.
"""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from notifications.models.notification import Notification

KEPT_FOR = timedelta(hours=1)


class EarlyReceiptQuerySet(models.QuerySet["EarlyReceipt"]):
    def with_message(self) -> Self:
        """Return those whose message is known by now, in the order they came."""
        meant = Notification.objects.exclude(provider_reference="").filter(provider_reference=OuterRef("reference"))
        named = Notification.objects.filter(id=OuterRef("notification_id"))
        known = Q(Exists(meant.filter(provider=OuterRef("provider")))) | Q(
            Exists(named.filter(provider=OuterRef("provider")))
        )
        return self.filter(known).order_by("received_at")

    def forget_old(self) -> int:
        """Drop what no message was found for. Returns how many."""
        return self.filter(received_at__lt=timezone.now() - KEPT_FOR).delete()[0]


class EarlyReceipt(models.Model):
    """One receipt as its provider's adapter has read it; notification_id: our own, where the provider gave it back."""

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
