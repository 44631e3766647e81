"""Events of data sets, as callbacks report them. Source: docs/callbacks.md."""

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

KEPT_FOR = timedelta(days=30)


class DataSetEventQuerySet(models.QuerySet["DataSetEvent"]):
    def to_forget(self) -> Self:
        """Return the events that are no longer kept, oldest first."""
        return self.filter(created_at__lt=Now() - KEPT_FOR).order_by("created_at")


class DataSetEvent(models.Model):
    """One change of a data set, with its values at that moment. The data set may be deleted meanwhile.

    See `config.data_sets.FreshnessChange` for the columns, and DataSetChange for `details`, which other events have.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    data_set_id = models.BigIntegerField()
    name = models.CharField(max_length=150)
    path = models.CharField(max_length=150)
    state = models.CharField(max_length=20, blank=True)
    last_write_at = models.DateTimeField(null=True)
    expected_every_seconds = models.PositiveIntegerField(null=True)
    details = models.JSONField(default=dict, db_default={})
    created_at = models.DateTimeField()

    objects = DataSetEventQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="data_set_event_created")]

    def __str__(self) -> str:
        return f"Data set event {str(self.id)[:8]}"
