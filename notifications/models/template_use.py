"""The use of templates by API keys: the names of the values that the calls of a day sent, without the values, and the
calls that fail since a change of the template.

Source: docs/reference/console.md §3.2.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256
from uuid import UUID

from django.db import models
from django.db.models import F
from django.utils import timezone

from config.utc_days import today
from notifications.models.api_key import ApiKey
from notifications.models.template import Template

DAYS_KEPT = 31


class TemplateUseQuerySet(models.QuerySet["TemplateUse"]):
    def add(self, rows: "Sequence[TemplateUse]") -> None:
        """Add the calls of these rows to the stored rows of the same template, key, day and names."""
        same = ("template_id", "key_id", "day", "names_hash")
        kept = (*same, "names_sent", "language")
        empty = [TemplateUse(**{name: getattr(row, name) for name in kept}) for row in rows]
        self.bulk_create(empty, ignore_conflicts=True)
        for row in rows:
            mine = self.filter(**{name: getattr(row, name) for name in same})
            mine.update(calls=F("calls") + row.calls)

    def to_forget(self) -> "TemplateUseQuerySet":
        """Return the rows that are no longer kept, oldest first."""
        return self.filter(day__lt=_first_day()).order_by("day")


class TemplateUse(models.Model):
    """The accepted calls of one key with one template on one UTC day, in one language, with values of the same names.

    names_sent: the names in the form in which they are compared, sorted; values that are null are left out
    language: the one that the calls asked for, or empty; it is part of names_hash
    """

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="uses", db_index=False)
    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="template_uses")
    day = models.DateField()
    names_sent = models.JSONField()
    language = models.CharField(max_length=35, blank=True, default="", db_default="")
    names_hash = models.CharField(max_length=64)
    calls = models.PositiveIntegerField(default=0)

    objects = TemplateUseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["template", "key", "day", "names_hash"], name="template_use_unique")
        ]
        indexes = [models.Index(fields=["day"], name="template_use_day")]

    def __str__(self) -> str:
        return f"Calls on {self.day}"


class FailingCallsQuerySet(models.QuerySet["FailingCalls"]):
    def add(self, numbers: Mapping[tuple[UUID, UUID, date], int]) -> None:
        """Add these numbers of failed calls, by template, key and day."""
        some = sorted(numbers.items())  # sorted, so that two processes never deadlock
        rows = [FailingCalls(template_id=template, key_id=key, day=day) for (template, key, day), _ in some]
        self.bulk_create(rows, ignore_conflicts=True)
        for (template, key, day), number in some:
            mine = self.filter(template=template, key=key, day=day)
            mine.update(calls=F("calls") + number, last_at=timezone.now())

    def to_forget(self) -> "FailingCallsQuerySet":
        """Return the rows that are no longer kept, oldest first."""
        return self.filter(day__lt=_first_day()).order_by("day")


class FailingCalls(models.Model):
    """The calls of one key on one UTC day that lacked a placeholder with which the template was published anyway.

    last_at: when the last of them was stored, seconds after the call
    """

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="failing_calls", db_index=False)
    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="failing_calls")
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(default=timezone.now)

    objects = FailingCallsQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "failing calls"
        constraints = [models.UniqueConstraint(fields=["template", "key", "day"], name="failing_calls_unique")]
        indexes = [models.Index(fields=["day"], name="failing_calls_day")]

    def __str__(self) -> str:
        return f"Failing calls on {self.day}"


def _first_day() -> date:
    return today() - timedelta(days=DAYS_KEPT)


def hash_of(names: Sequence[str], language: str = "") -> str:
    """Return the hash of a sorted list of names, which may be too long for an index, and of the language."""
    return sha256(json.dumps([*names, *([{"language": language}] if language else [])]).encode()).hexdigest()
