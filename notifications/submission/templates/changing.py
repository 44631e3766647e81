"""Save, publish and archive templates, each with its audit event. Callers have locked the row of the template.

Source: docs/reference/console.md §3.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from config import audit
from config.audit import Actor, changes
from notifications.models import Channel, Service, Template, TemplateVersion
from notifications.rendering import placeholders
from notifications.submission import templates
from notifications.submission.templates import fixed_files

Text = Mapping[str, Any]  # the columns of a version: name, subject, content and so on

MAX_NOTE_CHARACTERS = 255  # of the column

_COPIED = ("redact_personalisation", "respect_quiet_hours", "samples")


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """A person, an API key or a command that changes templates. author: stored with each version"""

    actor: Actor
    author: str


def create(
    service: Service, channel: Channel, text: Text, editor: Editor, *, note: str = "", **columns: Any
) -> Template:
    """Store a new template, published at once. columns: of the template itself"""
    template = Template(service=service, type=channel, name=text["name"], created_by=editor.author, **columns)
    template.save(force_insert=True)
    template.versions.create(number=1, note=note, created_by=editor.author, **text)
    audit.record(editor.actor, "created", template, after=changes.snapshot(template), reason=note)
    return template


def copy(template: Template, service: Service, editor: Editor, *, name: str) -> Template:
    """Store a new template of a service with the text of the published version, its options, tags and samples."""
    version = template.published()
    columns = {name: getattr(template, name) for name in _COPIED}
    note = f"Copy of “{template.name}” of {template.service.name}, version {version.number}"
    text = {**version.words(), "name": name}
    copied = create(service, Channel(template.type), text, editor, note=note[:MAX_NOTE_CHARACTERS], **columns)
    copied.set_tags(template.tag_names())
    fixed_files.copy(template, copied)
    after = {"copy": str(copied.pk), "service": service.name, "version": version.number}
    audit.record(editor.actor, "copied", template, after=after)
    return copied


def save_draft(template: Template, text: Text, editor: Editor, *, note: str = "") -> TemplateVersion:
    """Store a text as the draft."""
    version = template.save_draft(dict(text), note=note, author=editor.author)
    record_draft(template, version, editor)
    return version


def record_draft(template: Template, version: TemplateVersion, editor: Editor) -> None:
    """Record that a version is the draft."""
    _record(editor, "saved_draft", template, version)


def publish(template: Template, version: TemplateVersion, editor: Editor, *, missing: Sequence[str] = ()) -> None:
    """Publish a version for all keys. missing: the placeholders that some callers do not send"""
    _record(editor, "published", template, version, missing=missing)
    _note_breaks(template, version, missing)
    template.publish(version)


def publish_for_test_keys(
    template: Template, version: TemplateVersion, editor: Editor, *, missing: Sequence[str] = ()
) -> None:
    """Publish a version for test keys only. missing: the placeholders that some callers do not send"""
    _record(editor, "published_for_test_keys", template, version, missing=missing)
    template.publish_for_test_keys(version)


def change_options(template: Template, options: Mapping[str, Any], editor: Editor) -> None:
    """Store the columns of the template that differ: they belong to no version."""
    was = {name: getattr(template, name) for name in options}
    was, now = changes.difference(was, dict(options))
    if not now:
        return
    for name, value in now.items():
        setattr(template, name, value)
    template.save(update_fields=list(now))
    if now.pop("redact_personalisation", False):
        was.pop("redact_personalisation")
        audit.record(editor.actor, "redacted", template)
    if now:
        audit.record(editor.actor, "changed", template, before=was, after=now)


def change_tags(template: Template, names: Sequence[str], editor: Editor) -> None:
    """Replace the tags. names: as `parse_tags` returns them"""
    was, now = template.tag_names(), list(names)
    if now != was:
        template.set_tags(now)
        audit.record(editor.actor, "changed", template, before={"tags": was}, after={"tags": now})


def set_archived(templates: Sequence[Template], actor: Actor, *, is_archived: bool) -> None:
    """Archive or restore templates."""
    moment = timezone.now() if is_archived else None
    Template.objects.filter(pk__in=[template.pk for template in templates]).update(archived_at=moment)
    verb = "archived" if is_archived else "restored"
    for template in templates:
        template.archived_at = moment
        audit.record(actor, verb, template, before={"archived": not is_archived}, after={"archived": is_archived})


def _note_breaks(template: Template, version: TemplateVersion, missing: Sequence[str]) -> None:
    """Store which placeholders calls may lack from now on, so that calls that fail are counted.

    Those of earlier changes count on while the text has them.
    """
    text = templates.text_of(version)
    languages = [None, *(str(one["language"]) for one in text.translations)]
    required = {name for language in languages for name in text.in_language(language).required}
    earlier = required.intersection(template.published().breaks_without)
    version.breaks_without = sorted(earlier.union(map(placeholders.key, missing)))
    version.save(update_fields=["breaks_without"])
    if not earlier:
        template.failing_calls.all().delete()


def _record(
    editor: Editor, verb: str, template: Template, version: TemplateVersion, *, missing: Sequence[str] = ()
) -> None:
    """Record how the text differs from the published one, before the version is published."""
    published = template.published()
    was, now = changes.difference(published.words(), version.words())
    further = {"breaks_calls_without": list(missing)} if missing else {}
    was, now = {"version": published.number, **was}, {"version": version.number, **now, **further}
    audit.record(editor.actor, verb, template, before=was, after=now, reason=version.note)
