"""Alarms: the rule, state and messages. Source: docs/reference/alarms.md."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from datasets.models.data_set import DataSet
from datasets.models.saved_query import SavedQuery
from datasets.validation import GRACE_MINUTES, INTERVAL_MINUTES

DEFAULT_TEXT = "((alarm)): ((measure)) of ((data set)) is ((value)), ((condition)) ((limit)).\n\n((page))"
GIVE_UP_AFTER = timedelta(hours=24)


class AlarmMeasure(models.TextChoices):
    """The figure that a rule reads. `datasets.alarms.measures` computes it."""

    MINUTES = "minutes", "Minutes since the last write"
    LATE = "late", "Lateness in minutes"
    RECORDS = "records", "Number of records"
    EMPTIED = "emptied", "Minutes since the last emptying"
    DRIFT = "drift", "Differences from the schema in two days"
    SHARE = "share", "Share in percent"
    QUERY = "query", "Value of a saved query"
    CHANGE = "change", "Change of a saved query in percent"


OF_QUERIES = (AlarmMeasure.QUERY, AlarmMeasure.CHANGE)


class AlarmCondition(models.TextChoices):
    ABOVE = "above", "above"
    BELOW = "below", "below"
    BEYOND = "beyond", "further from 0 than"


class AlarmQuerySet(models.QuerySet["Alarm"]):
    def on_services(self, ids: Collection[str]) -> Self:
        """Return the alarms on the failed messages of these services."""
        of_services = Q(share__whole__service_id__0__in=list(ids))
        return self.filter(of_services, measure=AlarmMeasure.SHARE, data_set__is_of_product=True)


class Alarm(models.Model):
    """A rule, and whether it is raised.

    share: for AlarmMeasure.SHARE only; `datasets.validation.check_share` describes it
    saved_query: for OF_QUERIES only; a query of the same data set
    limit: the value that the measure must exceed, or fall below; with BEYOND, its size without the sign must exceed it
    grace_minutes: how long the condition must hold before the alarm is raised
    interval_minutes: the shortest time between two messages that it is raised
    quiet_from, quiet_until: local times between which no message is sent, or null
    muted_until: no message is sent before this time
    message: the text of messages, with placeholders
    met_since: since when the condition holds, while the alarm is not raised
    raised_at: since when the alarm is raised; null while it is not
    notified_at: when people got the message that it is raised, until they get the one about its end; else null
    last_notified_at: when people last got a message that it is raised
    """

    recipient_fields = ("email_addresses", "phone_numbers")

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="alarms")
    name = models.CharField(max_length=100)
    measure = models.CharField(max_length=7, choices=AlarmMeasure.choices)
    share = models.JSONField(null=True)
    saved_query = models.ForeignKey(SavedQuery, null=True, blank=True, on_delete=models.RESTRICT, related_name="alarms")
    condition = models.CharField(max_length=6, choices=AlarmCondition.choices)
    limit = models.FloatField()
    grace_minutes = models.PositiveIntegerField(default=0)
    interval_minutes = models.PositiveIntegerField(default=60)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    muted_until = models.DateTimeField(null=True, blank=True)
    email_addresses = models.JSONField(default=list, blank=True)
    phone_numbers = models.JSONField(default=list, blank=True)
    message = models.TextField(default=DEFAULT_TEXT)
    value = models.FloatField(null=True, editable=False)
    met_since = models.DateTimeField(null=True, editable=False)
    raised_at = models.DateTimeField(null=True, editable=False)
    notified_at = models.DateTimeField(null=True, editable=False)
    last_notified_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    objects = AlarmQuerySet.as_manager()

    class Meta:
        ordering = ["data_set__group__name", "data_set__type__name", "name"]
        constraints = [
            models.UniqueConstraint(fields=["data_set", "name"], name="alarm_name_unique"),
            models.CheckConstraint(
                condition=Q(measure="share", share__isnull=False) | (~Q(measure="share") & Q(share=None)),
                name="alarm_share_of_measure",
            ),
            models.CheckConstraint(
                condition=Q(measure__in=OF_QUERIES, saved_query__isnull=False)
                | (~Q(measure__in=OF_QUERIES) & Q(saved_query=None)),
                name="alarm_query_of_measure",
            ),
            models.CheckConstraint(
                condition=Q(quiet_from=None, quiet_until=None) | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="alarm_quiet_hours_both",
            ),
            models.CheckConstraint(
                condition=Q(grace_minutes__range=(GRACE_MINUTES[0], GRACE_MINUTES[-1])), name="alarm_grace_range"
            ),
            models.CheckConstraint(
                condition=Q(interval_minutes__range=(INTERVAL_MINUTES[0], INTERVAL_MINUTES[-1])),
                name="alarm_interval_range",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def audit_scope(self) -> dict[str, int]:
        return {"data_set_id": self.data_set_id}

    @property
    def is_raised(self) -> bool:
        return self.raised_at is not None

    @property
    def measured(self) -> str:
        """Return the measure in words, with the name of its saved query.

        >>> Alarm(measure="change", saved_query=SavedQuery(name="Visits")).measured
        'Change of “Visits” in percent'
        """
        label = str(AlarmMeasure(self.measure).label)
        return label.replace("a saved query", f"“{self.saved_query}”") if self.saved_query else label

    @property
    def service_ids(self) -> frozenset[str]:
        """Return the ids of the services whose statistics the alarm watches, or none for any other alarm."""
        if self.saved_query is not None:
            return frozenset(self.saved_query.services or ())
        if not self.data_set.is_of_product:
            return frozenset()
        wanted = (self.share or {}).get("whole", {}).get("service_id", [])
        return frozenset(map(str, wanted[:1])) if len(wanted) == 1 else frozenset()

    def is_quiet(self, now: datetime) -> bool:
        """Return whether messages wait: in the quiet hours, or while the alarm is muted."""
        if self.muted_until is not None and now < self.muted_until:
            return True
        if self.quiet_from is None or self.quiet_until is None:
            return False
        at = timezone.localtime(now).time()
        if self.quiet_from < self.quiet_until:
            return bool(self.quiet_from <= at < self.quiet_until)
        return bool(at >= self.quiet_from or at < self.quiet_until)


class AlarmMessageQuerySet(models.QuerySet["AlarmMessage"]):
    def due(self) -> Self:
        return self.filter(send_at__lte=Now())

    def claim(self, pk: Any, *, until: timedelta) -> bool:
        """Claim a due message until then, by the clock of the database. Return False if it is not due any more."""
        return bool(self.due().filter(pk=pk).update(send_at=Now() + until))


class AlarmMessage(models.Model):
    """One message to one person. The row is deleted when a provider has it, or after GIVE_UP_AFTER.

    channel: as in `config.own_messages.OwnChannel`; send_at: when it is due, by the clock of the database
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    alarm = models.ForeignKey(Alarm, on_delete=models.CASCADE, related_name="messages")
    channel = models.CharField(max_length=5)
    recipient = models.CharField(max_length=400)
    subject = models.CharField(max_length=250)
    text = models.TextField()
    send_at = models.DateTimeField(db_default=Now())
    created_at = models.DateTimeField(db_default=Now())

    objects = AlarmMessageQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["send_at"], name="alarm_message_due")]

    def __str__(self) -> str:
        return f"Alarm message {str(self.pk)[:8]}"
