"""Templates and their versions. A version never changes; every edit creates a new version."""

import uuid

from django.db import models
from django.utils import timezone

from notifications.models.channel import Channel
from notifications.models.service import Service


class Template(models.Model):
    """A template. Its text is in `current_version`.

    samples: the values with which the editor fills placeholders: `{name: {"kind", "value"}}`; never sent
    redact_personalisation: staff see `hidden` instead of personalisation, in earlier messages too; cannot be undone
    respect_quiet_hours: whether single messages wait for the end of the service's quiet hours, as bulk messages do
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="templates")
    type = models.CharField(max_length=5, choices=Channel.choices)
    name = models.CharField(max_length=255)
    current_version = models.PositiveIntegerField(default=1, editable=False)
    redact_personalisation = models.BooleanField(default=False)
    respect_quiet_hours = models.BooleanField(default=False, db_default=False)
    samples = models.JSONField(default=dict, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=320, blank=True, editable=False)
    updated_at = models.DateTimeField(null=True, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name", "type"]

    def __str__(self) -> str:
        return self.name


class TemplateVersion(models.Model):
    """One text of a template, exactly as given: no trimming, no line-end conversion."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=255)
    subject = models.TextField(null=True, blank=True)  # noqa: DJ001  null for a text message, "" for an empty subject
    content = models.TextField()
    unsubscribe_link = models.BooleanField(default=False)
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=320, blank=True, editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["template", "number"], name="template_version_number_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.number}"

    def words(self) -> dict[str, object]:
        """Return the fields that the audit compares between two versions."""
        return {
            "name": self.name,
            "subject": self.subject,
            "content": self.content,
            "unsubscribe_link": self.unsubscribe_link,
        }
