"""Tests of the URLs that callers give for one-click unsubscribes. Source: docs/reference/console.md §3.7."""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models.service import Service

KEPT_FOR = timedelta(days=90)
MOST_AN_HOUR = 10  # of a service


class UnsubscribeProbeQuerySet(models.QuerySet["UnsubscribeProbe"]):
    def has_room(self, service: Service) -> bool:
        """Return whether the service may test a URL now."""
        return self.filter(service=service, created_at__gt=timezone.now() - timedelta(hours=1)).count() < MOST_AN_HOUR

    def last_of_each_origin(self, service: Service) -> "dict[str, UnsubscribeProbe]":
        """Return the last test of each origin."""
        return {probe.origin: probe for probe in self.filter(service=service).order_by("created_at")}

    def to_forget(self) -> Self:
        return self.filter(created_at__lt=Now() - KEPT_FOR).order_by("created_at")


class UnsubscribeProbe(models.Model):
    """The result of one POST to a caller's URL. The URL itself may name a recipient, so only its origin is kept.

    origin: scheme and host, such as https://lists.example.org
    status: the HTTP status of the response, or None without one
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="unsubscribe_probes", db_index=False)
    origin = models.CharField(max_length=300)
    notification_id = models.UUIDField()
    status = models.PositiveIntegerField(null=True)
    is_accepted = models.BooleanField()
    sentence = models.CharField(max_length=500)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.CharField(max_length=255, blank=True)

    objects = UnsubscribeProbeQuerySet.as_manager()

    class Meta:
        verbose_name = "test of an unsubscribe URL"
        verbose_name_plural = "tests of unsubscribe URLs"
        indexes = [
            models.Index(fields=["service", "created_at"], name="unsubscribe_probe_list"),
            models.Index(fields=["created_at"], name="unsubscribe_probe_old"),
        ]

    def __str__(self) -> str:
        return f"Test of an unsubscribe URL {str(self.id)[:8]}"
