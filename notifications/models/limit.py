"""What has been spent: messages a day, and requests in the last minute where there is no Redis.

Source: docs/reference/sending-api.md §13.
"""

from datetime import date
from uuid import UUID

from django.db import models

from config.databases.prepared import Condition, Statement
from notifications.models.api_key import KeyType
from notifications.models.service import Service


class LimitKind(models.TextChoices):
    SMS = "sms"
    EMAIL = "email"
    INTERNATIONAL_SMS = "international_sms"


class DailyCounterQuerySet(models.QuerySet["DailyCounter"]):
    """The two statements of a send, prepared: the ORM took longer to compose them than the database to answer."""

    def spent(self, service_id: UUID, day: date, kind: LimitKind) -> int:
        row = _SPENT.first(service_id, day, kind.value)
        return row[0] if row else 0

    def spend_one(self, service_id: UUID, day: date, kind: LimitKind, *, limit: int) -> bool:
        """Count one more where fewer than `limit` are; False also where there is no row yet."""
        return bool(_SPEND.run(service_id, day, kind.value, limit))

    def spending_one(self, service_id: UUID, day: date, kind: LimitKind, *, limit: int) -> Condition:
        """Return what `spend_one` does, for a row that may be stored only with it."""
        return Condition(update=_SPEND, values=(service_id, day, kind.value, limit))


class DailyCounter(models.Model):
    """Messages accepted on one UTC day. Raised by a conditional update, so parallel requests never pass the limit."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    kind = models.CharField(max_length=17, choices=LimitKind.choices)
    count = models.PositiveIntegerField(default=0)

    objects = DailyCounterQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "day", "kind"], name="daily_counter_unique")]

    def __str__(self) -> str:
        return f"{self.kind} on {self.day}"


_KEY = [DailyCounter._meta.get_field(name) for name in ("service", "day", "kind")]
_COUNT = DailyCounter._meta.get_field("count")
_TABLE, _OWN = DailyCounter._meta.db_table, "service_id = %s AND day = %s AND kind = %s"
_SPENT = Statement(f"SELECT count FROM {_TABLE} WHERE {_OWN}", _KEY)  # noqa: S608  our own words alone
_SPEND = Statement(
    f"UPDATE {_TABLE} SET count = count + 1 WHERE {_OWN} AND count < %s",  # noqa: S608  likewise
    [*_KEY, _COUNT],
)


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
