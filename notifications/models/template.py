"""Templates and their versions. The text of a version never changes; every edit creates a new version."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.models import Max, Q
from django.utils import timezone

from notifications.models.channel import Channel
from notifications.models.service import Service
from notifications.validation.languages import DEFAULT_LANGUAGE


class VersionState(models.TextChoices):
    """Which callers use a version.

    PUBLISHED: callers with any key; the newest one is the `current_version` of its template
    TEST: test keys, instead of the current version
    DRAFT: test keys that name the draft
    REPLACED: nobody; a draft that was replaced or discarded before its publication
    """

    PUBLISHED = "published", "published"
    TEST = "test", "test keys only"
    DRAFT = "draft", "draft"
    REPLACED = "replaced", "not published"


class Template(models.Model):
    """A template. Its text is in `current_version`.

    samples: the values with which the editor fills placeholders: `{name: {"kind", "value"}}`; never sent
    fixed_files: by placeholder: `{name: {"id", "filename", "size_bytes", "asks_for_email_address", "weeks"}}`
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
    fixed_files = models.JSONField(default=dict, db_default={}, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=320, blank=True, editable=False)
    updated_at = models.DateTimeField(null=True, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name", "type"]

    def __str__(self) -> str:
        return self.name

    def published(self) -> "TemplateVersion":
        """Return the version that callers use."""
        return self.versions.get(number=self.current_version)

    def newest(self) -> "TemplateVersion":
        """Return the version that staff edit next: the draft, else that of test keys, else the published one."""
        return self.versions.exclude(state=VersionState.REPLACED).order_by("-number")[0]

    def last_number(self) -> int:
        """Return the highest number of all versions, drafts included."""
        last: int = self.versions.aggregate(last=Max("number"))["last"]
        return last

    def tag_names(self) -> list[str]:
        return [tag.name for tag in self.tags.all()]

    # The callers of these methods have locked the row of the template.

    def set_tags(self, names: Sequence[str]) -> None:
        """Replace the tags. names: as `parse_tags` returns them"""
        self.tags.exclude(name__in=names).delete()
        self.tags.bulk_create([TemplateTag(template=self, name=name) for name in names], ignore_conflicts=True)

    def save_draft(self, text: dict[str, Any], *, note: str, author: str) -> "TemplateVersion":  # Any: columns
        """Store a text as the draft, instead of an earlier draft, and return it."""
        self.versions.filter(state=VersionState.DRAFT).update(state=VersionState.REPLACED)
        return self.versions.create(
            number=self.last_number() + 1, state=VersionState.DRAFT, note=note, created_by=author, **text
        )

    def publish(self, version: "TemplateVersion") -> None:
        """Make the newest version the current one. It replaces the draft and the version of test keys."""
        self._replace_unpublished(version)
        version.change_state(VersionState.PUBLISHED)
        self.name, self.current_version, self.updated_at = version.name, version.number, timezone.now()
        self.save(update_fields=["name", "current_version", "updated_at"])

    def publish_for_test_keys(self, version: "TemplateVersion") -> None:
        """Make the newest version the one of test keys. It replaces the draft and the version of test keys."""
        self._replace_unpublished(version)
        version.change_state(VersionState.TEST)

    def _replace_unpublished(self, version: "TemplateVersion") -> None:
        unpublished = self.versions.filter(state__in=[VersionState.DRAFT, VersionState.TEST])
        unpublished.exclude(pk=version.pk).update(state=VersionState.REPLACED)


class TemplateTag(models.Model):
    """A word that groups templates in the list, in lower case."""

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="tags", db_index=False)
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["template", "name"], name="template_tag_unique")]

    def __str__(self) -> str:
        return self.name


class TemplateVersion(models.Model):
    """One text of a template, exactly as given: no trimming, no line-end conversion.

    defaults: the values of placeholders that a send leaves out: `{name: text}`
    language: of `subject` and `content`, such as `en`
    translations: the same text in further languages: `[{"language", "subject", "content"}]`
    breaks_without: the placeholders, in the form in which they are compared, that some callers did not send when the
        version, or an earlier one with the same placeholder, was published anyway
    """

    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(
        max_length=9,
        choices=VersionState.choices,
        default=VersionState.PUBLISHED,
        db_default=VersionState.PUBLISHED,
        editable=False,
    )
    name = models.CharField(max_length=255)
    subject = models.TextField(null=True, blank=True)  # noqa: DJ001  null for a text message, "" for an empty subject
    content = models.TextField()
    unsubscribe_link = models.BooleanField(default=False)
    defaults = models.JSONField(default=dict, db_default={}, editable=False)
    language = models.CharField(max_length=35, default=DEFAULT_LANGUAGE, db_default=DEFAULT_LANGUAGE, editable=False)
    translations = models.JSONField(default=list, db_default=[], editable=False)
    breaks_without = models.JSONField(default=list, db_default=[], editable=False)
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=320, blank=True, editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["template", "number"], name="template_version_number_unique"),
            models.UniqueConstraint(fields=["template"], condition=Q(state="draft"), name="template_one_draft"),
            models.UniqueConstraint(fields=["template"], condition=Q(state="test"), name="template_one_for_test_keys"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.number}"

    @property
    def is_unpublished(self) -> bool:
        """Return whether the version is a draft, or is used by test keys only."""
        return self.state in (VersionState.DRAFT, VersionState.TEST)

    @property
    def languages(self) -> list[str]:
        """Return the codes of all languages, first the one of `content`."""
        return [self.language, *(one["language"] for one in self.translations)]

    def change_state(self, state: VersionState) -> None:
        self.state = state
        self.save(update_fields=["state"])

    def words(self) -> dict[str, object]:
        """Return the fields that the audit compares between two versions."""
        return {
            "name": self.name,
            "subject": self.subject,
            "content": self.content,
            "unsubscribe_link": self.unsubscribe_link,
            "defaults": self.defaults,
            "language": self.language,
            "translations": self.translations,
        }
