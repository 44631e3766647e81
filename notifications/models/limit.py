"""Count messages against the daily limits of services and keys and, without Redis, requests against the rate limit.

Source: docs/reference/sending-api.md §13.
"""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from django.db import models

from config.databases.prepared import Condition, Statement
from notifications.models.api_key import ApiKey
from notifications.models.service import Service


class LimitKind(models.TextChoices):
    SMS = "sms"
    EMAIL = "email"
    INTERNATIONAL_SMS = "international_sms"


class DailyCounterQuerySet(models.QuerySet["DailyCounter"]):
    """The two prepared statements of a send. The ORM took longer to compose them than the database to run them."""

    def spent(self, service_id: UUID, day: date, kind: LimitKind) -> int:
        row = _SPENT.first(service_id, day, kind.value)
        return row[0] if row else 0

    def spend(self, service_id: UUID, day: date, kind: LimitKind, number: int, *, limit: int) -> bool:
        """Count a number of messages like `spending_one`: all of them or none."""
        free = self.filter(service_id=service_id, day=day, kind=kind, count__lte=limit - number)
        return free.update(count=models.F("count") + number) > 0

    def return_one(self, service_id: UUID, day: date, kinds: Sequence[LimitKind]) -> None:
        """Count one message less of each kind."""
        for kind in kinds:
            self.give_back(service_id, day, kind, 1)

    def give_back(self, service_id: UUID, day: date, kind: LimitKind, number: int) -> None:
        """Count a number of messages less."""
        if number:
            counted = self.filter(service_id=service_id, day=day, kind=kind, count__gte=number)
            counted.update(count=models.F("count") - number)


class DailyCounter(models.Model):
    """Messages accepted on one UTC day. A conditional update raises it, so parallel requests never exceed the limit."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    kind = models.CharField(max_length=17, choices=LimitKind.choices)
    count = models.PositiveIntegerField(default=0)

    objects = DailyCounterQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "day", "kind"], name="daily_counter_unique")]

    def __str__(self) -> str:
        return f"{self.kind} on {self.day}"


class KeyCounterQuerySet(models.QuerySet["KeyCounter"]):
    def spent(self, key_id: UUID, day: date) -> int:
        row = self.filter(key=key_id, day__gte=day).first()
        return row.count if row else 0

    def spend(self, key_id: UUID, day: date, number: int, *, limit: int) -> bool:
        """Count a number of messages: all of them or none. Return whether the limit has room for them.

        The row of a former day begins again with the first message of a new one.
        """
        if number > limit:
            return False
        own = self.filter(key=key_id)
        room, former = own.filter(day__gte=day, count__lte=limit - number), own.filter(day__lt=day)
        more = models.F("count") + number
        if room.update(count=more) or former.update(day=day, count=number):
            return True
        # Either the limit is reached, the row is missing, or another request has begun the day in between.
        self.bulk_create([KeyCounter(key_id=key_id, day=day)], ignore_conflicts=True)
        return room.update(count=more) > 0


class KeyCounter(models.Model):
    """Messages accepted from one key on one UTC day, the newest. Only keys with a daily limit have a row."""

    key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, primary_key=True, related_name="counter")
    day = models.DateField()
    count = models.PositiveIntegerField(default=0)

    objects = KeyCounterQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Messages on {self.day}"


_KEY = [DailyCounter._meta.get_field(name) for name in ("service", "day", "kind")]
_COUNT = DailyCounter._meta.get_field("count")
_TABLE, _OWN = DailyCounter._meta.db_table, "service_id = %s AND day = %s AND kind = %s"
_SPENT = Statement(f"SELECT count FROM {_TABLE} WHERE {_OWN}", _KEY)  # noqa: S608  constants only
_SPEND = Statement(
    f"UPDATE {_TABLE} SET count = count + 1 WHERE {_OWN} AND count < %s",  # noqa: S608  constants only
    [*_KEY, _COUNT],
)


def spending_one(service_id: UUID, day: date, kind: LimitKind, *, limit: int) -> Condition:
    """Return the UPDATE that counts one more message. It changes no row if the limit is reached or no row exists."""
    return Condition(update=_SPEND, values=(service_id, day, kind.value, limit))


class RateSlot(models.Model):
    """Requests accepted in one slice of the sliding minute, for one service and key type.

    key_type: with `-dry` at its end for dry runs, which have a window of their own
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    key_type = models.CharField(max_length=8)
    slot = models.BigIntegerField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "key_type", "slot"], name="rate_slot_unique")]

    def __str__(self) -> str:
        return f"{self.key_type} requests in slot {self.slot}"
