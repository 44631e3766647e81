"""Imports of files into data sets, with their progress, and saved settings for the next file."""

from datetime import timedelta
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from config.audit import Actor
from config.audit.models import ActorKind
from config.jobs.models import JobRun, JobRunQuerySet
from config.jobs.registry import Batch
from datasets.models.access_token import AccessToken
from datasets.models.data_set import DataSet

KEPT = timedelta(days=7)  # the file, its rejected rows and the import itself


class ImportState(models.TextChoices):
    READING = "reading"
    NEEDS_ANSWERS = "needs_answers", "Waits for you"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


WORKING = (ImportState.READING, ImportState.RUNNING)
UNFINISHED = (*WORKING, ImportState.NEEDS_ANSWERS, ImportState.PAUSED)
OVER = (ImportState.FINISHED, ImportState.FAILED, ImportState.CANCELLED)


class DataImportQuerySet(JobRunQuerySet):
    def unfinished(self) -> "DataImportQuerySet":
        return self.filter(state__in=UNFINISHED)

    def to_wake(self) -> "DataImportQuerySet":
        """Return the imports that need a new wake-up: the queue has lost it, or their worker has died."""
        return self.filter(state__in=WORKING).left_behind()

    def to_delete(self) -> "DataImportQuerySet":
        """Return the imports whose time is over. One that works is never deleted."""
        return self.exclude(state__in=WORKING).filter(changed_at__lt=Now() - KEPT)


class DataImport(JobRun):
    """One file on its way into a data set. Source: docs/reference/imports.md.

    token: the access token that sent it; null if a person or a command did
    label: who started it, as the audit shows it; ip_address: from where
    waits: for a person who looks at the preview, also without questions
    encrypted_key: the key of its files in the file store
    given: the settings as given; settings: complete, with what was recognised
    encrypted_details: questions, preview, names of columns and the first rejections, which hold values of the file
    position: the number of the last row that was stored; total: all rows of the table
    changed_at: the last change by a caller, or the end
    """

    resumes: ClassVar[bool] = True

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="imports")
    token = models.ForeignKey(AccessToken, null=True, on_delete=models.SET_NULL, related_name="+")
    label = models.CharField(max_length=150, blank=True)
    ip_address = models.GenericIPAddressField(null=True)
    state = models.CharField(max_length=13, choices=ImportState, default=ImportState.READING)
    is_dry_run = models.BooleanField(default=False)
    waits = models.BooleanField(default=False)
    file_name = models.CharField(max_length=255, blank=True)
    file_bytes = models.BigIntegerField()
    has_rejected_file = models.BooleanField(default=False)
    encrypted_key = models.BinaryField()
    given = models.JSONField(default=dict)
    settings = models.JSONField(default=dict)
    encrypted_details = models.BinaryField(null=True)
    total = models.BigIntegerField(default=0)
    position = models.BigIntegerField(default=0)
    stored = models.BigIntegerField(default=0)
    new = models.BigIntegerField(default=0)
    replaced = models.BigIntegerField(default=0)
    rejected = models.BigIntegerField(default=0)
    left_out = models.BigIntegerField(default=0)
    is_converted = models.BooleanField(default=False)
    changed_at = models.DateTimeField(db_default=Now())

    objects = DataImportQuerySet.as_manager()  # type: ignore[misc]  # the base class has another

    class Meta(JobRun.Meta):
        abstract = False
        app_label = "datasets"
        ordering = ["-started_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ImportState.values), name="data_import_state_known"),
            models.CheckConstraint(
                condition=Q(state__in=UNFINISHED) | Q(finished_at__isnull=False), name="data_import_over_has_an_end"
            ),
        ]
        indexes = [models.Index(fields=["data_set", "-started_at", "-id"], name="data_import_in_time")]

    def __str__(self) -> str:
        return f"import {self.pk}"

    @property
    def job_name(self) -> str:
        return "import"

    @property
    def actor(self) -> Actor:
        kind = ActorKind.TOKEN if self.token_id else ActorKind.USER if self.by_id else ActorKind.COMMAND
        return Actor(kind=kind, id=str(self.token_id or self.by_id or ""), label=self.label, ip_address=self.ip_address)

    @property
    def progress(self) -> float:
        """Return the part of the rows that is stored, rejected or left out, from 0 to 1."""
        if self.state == ImportState.FINISHED:
            return 1.0
        done = self.stored + (self.rejected + self.left_out if self.position else 0)
        return round(min(done / self.total, 1.0), 4) if self.total else 0.0

    def add(self, batch: Batch, errors: dict[str, str]) -> dict[str, Any]:
        """Add what the batch has stored. The work has set `position`, `new` and `replaced`."""
        self.stored += batch.number
        return {name: getattr(self, name) for name in ("position", "stored", "new", "replaced")}


class SavedImportSettings(models.Model):
    """Settings of imports that a person or a caller has saved for the next file of a data set."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="saved_import_settings")
    name = models.CharField(max_length=60)
    settings = models.JSONField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["data_set", "name"], name="saved_import_settings_name_unique")]

    def __str__(self) -> str:
        return self.name
