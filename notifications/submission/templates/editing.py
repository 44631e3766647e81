"""Change a template by the API: the properties of a request replace the stored ones.

Source: docs/reference/sending-api.md §17.5.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction

from notifications import errors
from notifications.attachments.validation import FileRequest
from notifications.models import Service, Template, TemplateVersion, VersionState
from notifications.submission.templates import definitions, fixed_files
from notifications.submission.templates.changing import Editor
from notifications.submission.templates.definitions import DefinitionInvalid, Publication, definition_of
from notifications.submission.templates.fixed_files import Changes
from notifications.template_definitions.definition import TEXT, Definition
from notifications.validation import templates

GivenFiles = Mapping[str, FileRequest | None]  # by placeholder; None: the file is removed

API_NAMES = {"content": "body"}  # as in the record of a template


def find(service: Service, template_id: UUID) -> Template:
    """Return a template of the service. Raises NoResultFound."""
    template = Template.objects.filter(service=service, pk=template_id).first()
    if template is None:
        raise errors.NoResultFound
    return template


def add(service: Service, definition: Definition, editor: Editor, *, note: str, files: GivenFiles) -> Template:
    """Store a new template. Raises InvalidRequest and errors of files."""
    wanted = _checked(definition, None)
    return definitions.create(service, wanted, editor, note=note, files=_checked_files(service, files))


def change(
    service: Service,
    template_id: UUID,
    given: Mapping[str, Any],
    editor: Editor,
    how: Publication,
    *,
    names_state: bool,
    files: GivenFiles,
) -> Template:
    """Replace the given fields of a template.

    Raises NoResultFound, InvalidRequest, TemplateBreaksCalls and errors of files.

    names_state: whether the request states what happens to the text, instead of leaving it to the default
    """
    changes = _checked_files(service, files)  # before the transaction: the scanner takes its time
    with transaction.atomic(), _as_api_errors():
        template = Template.objects.select_for_update().get(pk=find(service, template_id).pk)
        stored = definition_of(template, _base(template, given, how, names_state=names_state))
        wanted = _checked(replace(stored, **given), stored)
        definitions.change(template, wanted, editor, how, files=changes)
    return template


def _base(template: Template, given: Mapping[str, Any], how: Publication, *, names_state: bool) -> TemplateVersion:
    """Return the version whose text the request changes.

    A draft is changed only by a request for a draft, and published only by a request without a text of its own.
    """
    has_text = any(name in given for name in TEXT)
    is_for_newest = how.state == VersionState.DRAFT or (names_state and not has_text)
    return template.newest() if is_for_newest else template.published()


def _checked(definition: Definition, stored: Definition | None) -> Definition:
    with _as_api_errors():
        return definitions.checked(definition, stored)


def _checked_files(service: Service, given: GivenFiles) -> Changes:
    with _as_api_errors(), definitions.errors_of_files():
        templates.check_files(given.keys())
    checked = fixed_files.check(service, {name: file for name, file in given.items() if file is not None})
    return {name: checked.get(name) for name in given}


@contextmanager
def _as_api_errors() -> Iterator[None]:
    try:
        yield
    except DefinitionInvalid as error:
        found = [errors.TemplateInvalid(name=API_NAMES.get(name, name), reason=reason) for name, reason in error.errors]
        raise errors.InvalidRequest(found) from error
