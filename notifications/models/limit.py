"""What has been spent: messages a day, and requests in the last minute where there is no Redis.

Source: the sending contract §13.
"""

from datetime import date
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models

from config.inserting import Condition
from notifications.models.api_key import KeyType
from notifications.models.service import Service


class LimitKind(models.TextChoices):
    SMS = "sms"
    EMAIL = "email"
    INTERNATIONAL_SMS = "international_sms"


class DailyCounterQuerySet(models.QuerySet["DailyCounter"]):
    """Both questions of a send as SQL: the ORM took longer to say them than the database to answer."""

    def spent(self, service_id: UUID, day: date, kind: LimitKind) -> int:
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(_SPENT, _key(service_id, day, kind))
            row = cursor.fetchone()
        return row[0] if row else 0

    def spend_one(self, service_id: UUID, day: date, kind: LimitKind, *, limit: int) -> bool:
        """Count one more where fewer than `limit` are; False also where there is no row yet."""
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(_SPEND, (*_key(service_id, day, kind), limit))
            return bool(cursor.rowcount)

    def spending_one(self, service_id: UUID, day: date, kind: LimitKind, *, limit: int) -> Condition:
        """Return what `spend_one` does, for a row that may be stored only with it."""
        return Condition(update=_SPEND, parameters=(*_key(service_id, day, kind), limit))


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


_SERVICE, _DAY = DailyCounter._meta.get_field("service"), DailyCounter._meta.get_field("day")
_OWN = "service_id = %s AND day = %s AND kind = %s"
_SPENT = f"SELECT count FROM {DailyCounter._meta.db_table} WHERE {_OWN}"  # noqa: S608  our own words alone
_SPEND = f"UPDATE {DailyCounter._meta.db_table} SET count = count + 1 WHERE {_OWN} AND count < %s"  # noqa: S608  likewise


def _key(service_id: UUID, day: date, kind: LimitKind) -> tuple[Any, Any, str]:
    """Return the values of a row's key as this database takes them; Any: untyped in Django."""
    connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` looks it up anew for each of its attributes
    prepared = (field.get_db_prep_value(value, connection) for field, value in ((_SERVICE, service_id), (_DAY, day)))
    return (*prepared, kind.value)


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
