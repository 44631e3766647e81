"""What is left of messages that are gone: how many, and how they ended.

Source: the sending contract §21; Staff console §2.1.
"""

from typing import Any

from django.db import models
from django.db.models import F

from notifications.models.api_key import KeyType
from notifications.models.notification import Channel
from notifications.models.service import Service
from notifications.models.status import Status
from notifications.models.template import Template


class DailyCountQuerySet(models.QuerySet["DailyCount"]):
    def add(self, n: int, **what: Any) -> None:  # Any: values of the columns that name a count
        """Count `n` more; inside the transaction that deletes them."""
        named = self.filter(**what)
        if not named.update(n=F("n") + n):
            self.bulk_create([DailyCount(**what)], ignore_conflicts=True)  # somebody else may be making it too
            named.update(n=F("n") + n)


class DailyCount(models.Model):
    """Deleted messages of one UTC day, by template, key type and last status: no recipient, content or reference."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey(Template, on_delete=models.CASCADE)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    status = models.CharField(max_length=20, choices=Status.choices)
    n = models.PositiveIntegerField(default=0)

    objects = DailyCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["service", "day", "template", "key_type", "status"], name="daily_count_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.n} messages of {self.day}"
