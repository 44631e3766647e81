"""What has been spent: messages a day, and requests in the last minute where there is no Redis.

Source: the sending contract §13.
"""

from django.db import models

from notifications.models.api_key import KeyType
from notifications.models.service import Service


class LimitKind(models.TextChoices):
    SMS = "sms"
    EMAIL = "email"
    INTERNATIONAL_SMS = "international_sms"


class DailyCounter(models.Model):
    """Messages accepted on one UTC day. Raised by a conditional update, so parallel requests never pass the limit."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    kind = models.CharField(max_length=17, choices=LimitKind.choices)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "day", "kind"], name="daily_counter_unique")]

    def __str__(self) -> str:
        return f"{self.kind} on {self.day}"


class RateSlot(models.Model):
    """Requests that passed in one slice of the sliding minute, for one service and key type."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    slot = models.BigIntegerField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "key_type", "slot"], name="rate_slot_unique")]

    def __str__(self) -> str:
        return f"{self.key_type} requests in slot {self.slot}"
