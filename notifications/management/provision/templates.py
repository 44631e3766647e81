"""Provision templates. They are identified by id, else by name and type. A different text creates a new version."""

from typing import Any

from django.conf import settings
from django.utils import timezone

from config.management.declarations import DeclaredRow
from notifications.management.provision.changes import TagChange
from notifications.management.provision.sync import Rows, Sync
from notifications.models import Channel, Template, TemplateVersion, VersionState
from notifications.submission.templates import definitions
from notifications.template_definitions.definition import TEXT, Definition
from notifications.validation import tags, templates
from notifications.validation.languages import DEFAULT_LANGUAGE


def provision_templates(sync: Sync, declared: DeclaredRow) -> None:
    def check(entry: DeclaredRow, template: Template | None, others: Rows) -> None:
        _check(entry, template, _words(sync.stored.versions.get(template.pk) if template else None))

    for entry, template in sync.sync(
        Template, declared.entries("templates"), _by_name_and_type, check=check, blamed=("name",)
    ):
        entry.completed["id"] = str(template.pk)
        _update(sync, template, entry.values)


def _by_name_and_type(entry: DeclaredRow, known: Rows) -> Any:
    wanted = (entry.values.get("name"), entry.values.get("type"))
    namesakes = [template for template in known if (template.name, template.type) == wanted]
    found = [template for template in namesakes if template.archived_at is None] or namesakes
    if len(found) > 1:
        entry.refuse("name", f"{len(found)} templates have this name and type: give the id")
    return next(iter(found), None)


def _check(entry: DeclaredRow, template: Template | None, current: dict[str, Any]) -> None:
    """Add the errors that prevent storing the entry: a new template needs all values, and a type cannot change."""
    values = entry.values
    channel = template.type if template else values.get("type")
    if template is None:
        entry.require("type", "name", "content", *(["subject"] if channel == Channel.EMAIL else []))
    elif values.get("type") not in (None, channel):
        entry.refuse("type", "cannot be changed")
    if channel == Channel.SMS and "subject" in values:
        entry.refuse("subject", "is for emails only")
    if channel == Channel.SMS and values.get("unsubscribe_link"):
        entry.refuse("unsubscribe_link", "is for emails only")
    new = {name: values[name] for name in TEXT if name in values and values[name] != current.get(name)}
    if channel == Channel.EMAIL and "subject" in new:
        entry.check("subject", templates.check_subject, new["subject"])
    if channel is not None and "content" in new:
        entry.check("content", templates.check_content, new["content"], is_text_message=channel == Channel.SMS)
    if channel is not None and new and "content" in (wanted := current | new):
        definition = Definition(type=channel, **{"name": "", **wanted})
        for name, error in definitions.errors_of_further_texts(definition):
            entry.refuse(name, error)
    if "tags" in values:
        entry.check("tags", tags.parse_tags, values["tags"])


def _update(sync: Sync, template: Template, values: dict[str, Any]) -> None:
    current = sync.stored.versions.get(template.pk)
    kept = _words(current)
    wanted = kept | {name: values[name] for name in TEXT if name in values}
    if wanted != kept:
        number = sync.stored.last_numbers.get(template.pk, 0) + 1
        sync.changes.add(
            TemplateVersion(template=template, number=number, created_by=settings.PROVISION_AUTHOR, **wanted)
        )
        sync.changes.change(template, current_version=number, updated_at=timezone.now() if current else None)
        for version in sync.stored.unpublished[template.pk]:
            sync.changes.change(version, state=VersionState.REPLACED)
    if "tags" in values:
        before, after = sync.stored.tags[template.pk], tags.parse_tags(values["tags"])
        if after != before:
            sync.changes.tags.append(TagChange(template=template, before=before, after=after))
    if values.get("archived", template.archived_at is not None) == (template.archived_at is None):
        sync.changes.change(template, archived_at=timezone.now() if values["archived"] else None)


def _words(version: TemplateVersion | None) -> dict[str, Any]:
    if version is not None:
        return version.words()
    return {"unsubscribe_link": False, "defaults": {}, "language": DEFAULT_LANGUAGE, "translations": []}
