"""What runs in the background and leaves a row: clean-up by its rules, and steps over many rows."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone


class Trigger(models.TextChoices):
    CLOCK = "clock"
    PERSON = "person"
    COMMAND = "command"


class RetentionRun(models.Model):
    """One run of one rule of clean-up: what it removed, and whether it came to its end. Source: Staff console §2.17.

    detail: {"removed": {name of a service or data set: number}, "errors": {name: why something stayed}}
    holder: the process whose turn it is, and `seen_at` when it was last heard of, by the database's clock.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    rule = models.CharField(max_length=40)
    trigger = models.CharField(max_length=10, choices=Trigger.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    removed = models.PositiveBigIntegerField(default=0)
    detail = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    holder = models.CharField(max_length=36, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "operations_retention_run"
        verbose_name = "run of clean-up"
        verbose_name_plural = "clean-up"
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["rule"], condition=models.Q(finished_at__isnull=True), name="retention_run_one_at_a_time"
            )
        ]
        indexes = [
            models.Index(fields=["-started_at"], name="retention_run_at"),
            models.Index(fields=["rule", "-started_at"], name="retention_run_rule"),
        ]

    def __str__(self) -> str:
        return f"Run {str(self.id)[:8]} of {self.rule}"

    @property
    def title(self) -> str:
        return f"{self.rule.replace('-', ' ').capitalize()}, {timezone.localtime(self.started_at):%-d %b %Y, %H:%M %Z}"


class BackgroundStep(models.Model):
    """A step over more rows than a request should change: what is to be done, and how far it has come (trap T11).

    id: made with the form, so that a form sent twice starts one step
    kind: names what does it, see `config.console.background.kinds`; arguments: what the form held besides the rows
    rows: the ids as they were confirmed; position: how many have had their turn; changed: how many it changed
    way_back: address of the page the step was taken on
    holder, seen_at: see `config.console.turns`
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    network_address = models.GenericIPAddressField(null=True, blank=True)
    arguments = models.JSONField(default=dict)
    rows = models.JSONField(default=list)
    way_back = models.CharField(max_length=255)
    total = models.PositiveBigIntegerField()
    position = models.PositiveBigIntegerField(default=0)
    changed = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    holder = models.CharField(max_length=36, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "operations_background_step"
        verbose_name = "background job"
        verbose_name_plural = "background jobs"
        ordering = ["-started_at"]
        indexes = [models.Index(fields=["-started_at"], name="background_step_at")]

    def __str__(self) -> str:
        return f"Step {str(self.id)[:8]}: {self.kind}"

    @property
    def title(self) -> str:
        return self.kind.replace("-", " ").capitalize()
