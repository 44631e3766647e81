"""Compare the definition of a template with the stored template, check it, and store the difference.

The API, `manage.py templates` and imports call this. Source: docs/reference/template-files.md §2.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.db import transaction

from config.invalid import InvalidValue
from notifications import errors
from notifications.attachments.intake import CheckedFile
from notifications.attachments.scanning import NoVerdict
from notifications.models import Channel, Service, Template, TemplateVersion, VersionState
from notifications.rendering import placeholders
from notifications.submission.templates import breaks, changing, fixed_files
from notifications.submission.templates.breaks import BreakingChange
from notifications.submission.templates.changing import Editor
from notifications.submission.templates.fixed_files import Changes
from notifications.template_definitions.definition import OPTIONS, TEXT, Definition, FixedFile
from notifications.validation import names, tags, templates

NO_FILES: Changes = MappingProxyType({})


class DefinitionInvalid(ValueError):
    """A definition breaks rules. errors: pairs of field and reason"""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in errors))
        self.errors = errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What happens to a changed text.

    state: PUBLISHED, TEST for test keys only, or DRAFT
    may_break: publish it although some calls do not send a value for a new placeholder
    """

    state: VersionState = VersionState.PUBLISHED
    may_break: bool = False
    note: str = ""


def definition_of(template: Template, version: TemplateVersion, *, with_files: bool = False) -> Definition:
    """Return a stored template with the text of a version. with_files: and its fixed files, else without any"""
    return Definition(
        id=template.pk,
        type=template.type,
        archived=template.archived_at is not None,
        tags=template.tag_names(),
        files=fixed_files.stored(template) if with_files else {},
        **{name: getattr(version, name) for name in TEXT},
        **{name: getattr(template, name) for name in OPTIONS},
    )


def checked(definition: Definition, stored: Definition | None) -> Definition:
    """Return the definition as it is stored. Raises DefinitionInvalid. Stored values stay valid, as in the editor."""
    found: list[tuple[str, str]] = []
    name = definition.name
    if stored is None or name != stored.name:
        try:
            name = names.parse_name(name)
        except InvalidValue as error:
            found.append(("name", str(error)))
    if stored is not None and definition.type != stored.type:
        found.append(("type", "A template cannot change its type."))
    if stored is not None and stored.redact_personalisation and not definition.redact_personalisation:
        found.append(("redact_personalisation", "This cannot be turned off."))
    is_text_message = definition.type == Channel.SMS
    of_text = templates.find_errors(definition.subject, definition.content, is_text_message=is_text_message)
    found += [
        (field, error)
        for field, error in of_text
        if stored is None or getattr(definition, field) != getattr(stored, field)
    ]
    tags_now = definition.tags
    try:
        tags_now = tags.parse_tags(definition.tags)
    except InvalidValue as error:
        found.append(("tags", str(error)))
    if stored is None or definition.text() != stored.text():
        found += errors_of_further_texts(definition)
    if found:
        raise DefinitionInvalid(found)
    return replace(definition, name=name, tags=tags_now)


def checked_files(
    service: Service, files: Mapping[str, FixedFile], stored: Mapping[str, FixedFile]
) -> tuple[dict[str, FixedFile], Changes]:
    """Return the files of a definition as they are stored, and the changes. Raises DefinitionInvalid.

    Files that are already stored are not checked again.
    """
    with errors_of_files():
        templates.check_files(files.keys())
    kept = set(map(placeholders.key, files))
    changes: dict[str, CheckedFile | None] = {name: None for name in stored if placeholders.key(name) not in kept}
    after, found = dict(files), []
    for name, file in files.items():
        if stored.get(name) == file:
            continue
        try:
            changes[name] = one = fixed_files.check_one(service, file)
            after[name] = fixed_files.fixed(one, path=file.path)
        except errors.NotificationError as error:
            found.append(("files", f"{name}: {'; '.join(one.message for one in error.errors)}"))
        except NoVerdict:
            found.append(("files", fixed_files.AWAY))
    if found:
        raise DefinitionInvalid(found)
    return after, changes


def errors_of_further_texts(definition: Definition) -> list[tuple[str, str]]:
    """Return the errors of defaults and translations as pairs of field and reason."""
    found = []
    further = [text or "" for one in definition.translations for text in (one["subject"], one["content"])]
    try:
        templates.check_defaults(definition.defaults, definition.subject or "", definition.content, *further)
    except InvalidValue as error:
        found.append(("defaults", str(error)))
    try:
        is_text_message = definition.type == Channel.SMS
        templates.check_translations(definition.language, definition.translations, is_text_message=is_text_message)
    except InvalidValue as error:
        found.append(("translations", str(error)))
    return found


def find_break(template: Template, definition: Definition) -> BreakingChange | None:
    """Return how publishing the text would break calls. Calls need not send the files of the definition."""
    after = copy(template)
    after.fixed_files = {name: {} for name in definition.files}
    return breaks.find(template, TemplateVersion(template=after, **definition.text()))


def create(
    service: Service, definition: Definition, editor: Editor, *, note: str = "", files: Changes = NO_FILES
) -> Template:
    """Store a checked definition as a new template, with its id if it has one. It is published at once.

    files: checked, by placeholder
    """
    columns = {**definition.options(), **({"id": definition.id} if definition.id else {})}
    with transaction.atomic():
        template = changing.create(service, Channel(definition.type), definition.text(), editor, note=note, **columns)
        changing.change_tags(template, definition.tags, editor)
        fixed_files.put(template, files, editor.actor)
        if definition.archived:
            changing.set_archived([template], editor.actor, is_archived=True)
    return template


def change(
    template: Template, definition: Definition, editor: Editor, how: Publication, *, files: Changes = NO_FILES
) -> None:
    """Store what differs from a locked template. The definition and the files are checked.

    A text that is already used, or that is already the draft, makes no new version.
    Raises TemplateBreaksCalls, and DefinitionInvalid if files cannot be changed, with no change.
    """
    with transaction.atomic(), errors_of_files():
        fixed_files.check_changes(template, files)
        fixed_files.put(template, files, editor.actor)
        changing.change_options(template, definition.options(), editor)
        changing.change_tags(template, definition.tags, editor)
        if definition.archived is (template.archived_at is None):
            changing.set_archived([template], editor.actor, is_archived=definition.archived)
        _save_text(template, definition.text(), editor, how)
        fixed_files.take_out(template, files, editor.actor)


@contextmanager
def errors_of_files() -> Iterator[None]:
    """Turn InvalidValue into DefinitionInvalid."""
    try:
        yield
    except InvalidValue as error:
        raise DefinitionInvalid([("files", str(error))]) from error


def _save_text(template: Template, text: dict[str, Any], editor: Editor, how: Publication) -> None:
    published, newest = template.published(), template.newest()
    replaced = newest if how.state == VersionState.DRAFT else published
    text = {**replaced.words(), **text}  # a definition does not have all columns
    is_stored = _is_text_of(newest, text)
    if is_stored and (how.state == VersionState.DRAFT or newest.state in (how.state, VersionState.PUBLISHED)):
        return
    if how.state == VersionState.PUBLISHED and _is_text_of(published, text):
        return
    if how.state == VersionState.DRAFT:
        changing.save_draft(template, text, editor, note=how.note)
        return
    version = newest if is_stored else template.save_draft(text, note=how.note, author=editor.author)
    broken = breaks.find(template, version)
    if how.state == VersionState.TEST:
        changing.publish_for_test_keys(template, version, editor, missing=broken.names if broken else ())
        return
    if broken and not how.may_break:
        raise errors.TemplateBreaksCalls(**words_of(broken))
    changing.publish(template, version, editor, missing=broken.names if broken else ())


def words_of(broken: BreakingChange) -> dict[str, str]:
    """Return the words of TemplateBreaksCalls."""
    return {
        "names": ", ".join(broken.names),
        "keys": ", ".join(key.name for key in broken.keys if key.missing),
        "failing": str(broken.failing_yesterday),
        "calls": str(broken.yesterday),
    }


def _is_text_of(version: TemplateVersion, text: dict[str, Any]) -> bool:
    return all(getattr(version, name) == value for name, value in text.items())


def matching(service: Service, definition: Definition, own: Sequence[Template]) -> Template | None:
    """Return the service's template with the id of a definition, else the one with its name and type, or None.

    own: the templates of the service; of templates with the same name, those in use come first
    """
    by_id = next((template for template in own if template.pk == definition.id), None)
    namesakes = [row for row in own if (row.name, row.type) == (definition.name, definition.type)]
    return by_id or next(iter(sorted(namesakes, key=lambda row: (row.archived_at is not None, row.created_at))), None)
