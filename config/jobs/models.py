"""The rows of jobs with their progress: runs of retention rules and bulk jobs. One worker at a time has a lease."""

import uuid
from datetime import timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from config import audit, formats
from config.audit import Actor
from config.audit.models import ActorKind
from config.jobs.registry import Batch

LEASE_SECONDS = 120  # longer than any batch
FORGOTTEN_AFTER = timedelta(seconds=30)  # no worker has taken it: the queue has lost the wake-up
CLOSED_ACCOUNT = "The account that started it may no longer sign in."


class Trigger(models.TextChoices):
    CLOCK = "clock"
    PERSON = "person"
    COMMAND = "command"


class JobRunQuerySet(models.QuerySet[Any]):  # Any: either model of runs
    def abandoned(self) -> Self:
        """Return the unfinished runs whose worker has died or has never started."""
        return self.filter(finished_at=None, seen_at__lt=Now() - timedelta(seconds=LEASE_SECONDS))

    def left_behind(self) -> Self:
        """Return the unfinished runs that need a new wake-up: the queue has lost it, or their worker has died."""
        forgotten = Q(holder="", seen_at__lt=Now() - FORGOTTEN_AFTER)
        return self.filter(finished_at=None).filter(forgotten) | (
            self.abandoned() if self.model.resumes else self.none()
        )


class JobRun(models.Model):
    """One run of one job, with its progress and its result.

    by: the person who started it; null for a run that no person started, or if the account is gone
    holder, seen_at: see `config.queue.lease.Lease`
    resumes: an interrupted run continues, because each batch and its progress are one transaction
    """

    resumes: ClassVar[bool]

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    holder = models.CharField(max_length=36, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    objects = JobRunQuerySet.as_manager()

    class Meta:
        abstract = True
        app_label = "operations"  # the console's migrations create the tables

    def __str__(self) -> str:
        return f"Run {str(self.id)[:8]} of {self.job_name}"

    @property
    def job_name(self) -> str:
        raise NotImplementedError

    @property
    def actor(self) -> Actor:
        """Return the person who started it, for the audit."""
        if self.by is None:
            return audit.CLOCK
        name, ip_address = self.by.get_username(), getattr(self, "ip_address", None)
        return Actor(kind=ActorKind.USER, id=str(self.by.pk), label=name, ip_address=ip_address)

    @property
    def took(self) -> str:
        """Return how long the run took, in words."""
        if self.finished_at is None:
            return "not over"
        return formats.duration(max((self.finished_at - self.started_at).total_seconds(), 0))

    def add(self, batch: Batch, errors: dict[str, str]) -> dict[str, Any]:
        """Add the result of a batch and the errors so far. Return the changed columns."""
        raise NotImplementedError

    def forbidden(self) -> str:
        """Return why the run may not continue, or a blank text."""
        return ""


class RetentionRun(JobRun):
    """One run of one retention rule: what it removed. Source: docs/reference/console.md §2.17.

    detail: {"removed": {name of a service or data set: number}, "errors": {name: why rows were not removed}}
    """

    resumes = False

    rule = models.CharField(max_length=40)
    trigger = models.CharField(max_length=10, choices=Trigger.choices)
    removed = models.PositiveBigIntegerField(default=0)
    detail = models.JSONField(default=dict)

    class Meta(JobRun.Meta):
        abstract = False
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

    @property
    def title(self) -> str:
        return f"{self.rule.replace('-', ' ').capitalize()}, {formats.full(self.started_at)}"

    @property
    def job_name(self) -> str:
        return self.rule

    def add(self, batch: Batch, errors: dict[str, str]) -> dict[str, Any]:
        places = self.detail.get("removed", {})
        if batch.number:
            places[batch.label] = places.get(batch.label, 0) + batch.number
        self.removed += batch.number
        self.detail = {"removed": places, **({"errors": errors} if errors else {})}
        return {"removed": self.removed, "detail": self.detail}

    def record_end(self, error: str) -> None:
        """Record in the audit what the run has removed, unless the clock started it and it found nothing."""
        if self.trigger == Trigger.CLOCK and not self.removed and not error:
            return
        after = {"rule": self.rule, "removed": self.removed, **({"error": error} if error else {})}
        actor = audit.COMMAND if self.trigger == Trigger.COMMAND else self.actor
        verb = "failed" if error else "ran"
        audit.record(actor, verb, object_kind="retentionrun", object_id=self.pk, after=after)


class BulkJobRun(JobRun):
    """A run of a bulk job, which a worker does, with its arguments and its progress.

    id: part of the form, so that a form that is sent twice starts one run
    kind: the name of its job; arguments: the other values of the form
    rows: the confirmed ids; position: the number of rows that are done; changed: the number that it changed
    way_back: URL of the page on which the job was started
    """

    resumes = True

    kind = models.CharField(max_length=40)
    ip_address = models.GenericIPAddressField(null=True, blank=True)
    arguments = models.JSONField(default=dict)
    rows = models.JSONField(default=list)
    way_back = models.CharField(max_length=255)
    total = models.PositiveBigIntegerField()
    position = models.PositiveBigIntegerField(default=0)
    changed = models.PositiveBigIntegerField(default=0)

    class Meta(JobRun.Meta):
        abstract = False
        db_table = "operations_bulk_job_run"
        verbose_name = "background job"
        verbose_name_plural = "background jobs"
        ordering = ["-started_at"]
        indexes = [models.Index(fields=["-started_at"], name="bulk_job_run_at")]

    @property
    def title(self) -> str:
        return self.kind.replace("-", " ").capitalize()

    @property
    def job_name(self) -> str:
        return self.kind

    @property
    def author(self) -> str:
        """Return the author that a changed row stores."""
        return audit.author_of(self.by) if self.by else ""

    def add(self, batch: Batch, errors: dict[str, str]) -> dict[str, Any]:
        self.position += batch.passed
        self.changed += batch.number
        return {"position": self.position, "changed": self.changed}

    def forbidden(self) -> str:
        return "" if self.by is not None and self.by.is_active else CLOSED_ACCOUNT
