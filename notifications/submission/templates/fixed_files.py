"""Fixed files of templates: uploaded once, and sent to each recipient with a link and a key of their own.

Source: docs/reference/files.md §2.3.
"""

import base64
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from config import audit
from config.audit import Actor
from config.invalid import InvalidValue
from notifications import errors
from notifications.attachments import intake, validation
from notifications.attachments.intake import CheckedFile
from notifications.attachments.validation import FileRequest
from notifications.models import Service, Template, VersionState
from notifications.models.template_file import TemplateFile
from notifications.rendering import placeholders
from notifications.submission.policy import console_url
from notifications.submission.templates import TemplateText, text_of
from notifications.template_definitions.definition import FixedFile
from notifications.validation import templates

AWAY = "The virus scanner does not answer. Try again in a few minutes."

Changes = Mapping[str, CheckedFile | None]  # by placeholder; None: the file is removed


def with_files(template: TemplateText, personalisation: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a send with the fixed files of its text, in the form of files of a request.

    A fixed file replaces a value that the send gives for its placeholder.
    """
    used = template.used_files
    ids = [UUID(options["id"]) for options in used.values()]
    contents = {str(row.pk): row.encoded() for row in TemplateFile.objects.filter(pk__in=ids)}
    fixed = {placeholders.key(name) for name in used}
    values = {name: value for name, value in personalisation.items() if placeholders.key(name) not in fixed}
    return values | {name: _object(options, contents) for name, options in used.items() if options["id"] in contents}


def check_none(template: TemplateText) -> None:
    """Raise TemplateHasFiles if the text has fixed files: only single emails can have them."""
    if template.used_files:
        raise errors.TemplateHasFiles


def check(service: Service, requests: Mapping[str, FileRequest]) -> dict[str, CheckedFile]:
    """Validate and scan files of a template, by placeholder, as the files of a send.

    Raises FilesNotSetUp, InvalidFile and NoVerdict.
    """
    if not requests:
        return {}
    if not service.file_contact:
        raise errors.FilesNotSetUp(settings_url=console_url(service))
    return dict(zip(requests, intake.check(list(requests.values())), strict=True))


def check_one(service: Service, file: FixedFile) -> CheckedFile:
    """Validate and scan one file. Raises InvalidRequest and the errors of `check`."""
    encoded = base64.b64encode(file.data).decode()
    options = {name: getattr(file, name) for name in ("filename", "confirm_email_before_download", "retention_period")}
    [checked] = check(service, {"": validation.parse({"file": encoded, **options})}).values()
    return checked


def fixed(file: CheckedFile, *, path: str) -> FixedFile:
    """Return a checked file as a definition has it."""
    return FixedFile(data=file.data, path=path, **options_as_sent(_options_of(file)))


def check_changes(template: Template, changes: Changes) -> None:
    """Raise InvalidValue if the names break rules, or if there are too many files after the changes."""
    templates.check_files(changes.keys())
    after = {placeholders.key(name): name for name in [*template.fixed_files, *changes]}
    for name, file in changes.items():
        if file is None:
            after.pop(placeholders.key(name))
    templates.check_files(after.values())


def check_unused(template: Template, name: str) -> None:
    """Raise InvalidValue if the published text, or one for test keys, has the placeholder."""
    unpublished = template.versions.filter(state__in=[VersionState.TEST, VersionState.DRAFT])
    for version in [template.published(), *unpublished.select_related("template")]:
        text = text_of(version)
        if any(placeholders.key(name) in text.in_language(code).names for code in version.languages):
            raise InvalidValue(
                f"Version {version.number} has the placeholder (({name})). Publish a text without it first."
            )


def put(template: Template, changes: Changes, actor: Actor) -> None:
    """Store the new and the different files of a locked template."""
    for name, file in changes.items():
        if file is not None and not _is_stored(template, name, file):
            add(template, name, file, actor)


def take_out(template: Template, changes: Changes, actor: Actor) -> None:
    """Delete the removed files of a locked template. Raises InvalidValue if a text in use has a placeholder."""
    for name, file in changes.items():
        if file is None and _stored_names(template, name):
            check_unused(template, name)
            remove(template, name, actor)


def stored(template: Template) -> dict[str, FixedFile]:
    """Return the files of a template with their contents."""
    return {
        name: FixedFile(data=TemplateFile.objects.get(pk=options["id"]).data(), **options_as_sent(options))
        for name, options in template.fixed_files.items()
    }


def read(template: Template, file_id: UUID) -> dict[str, Any] | None:  # Any: JSON
    """Return a file in the form of files of a request, or None if the template has no such file."""
    for options in template.fixed_files.values():
        if options["id"] == str(file_id):
            return _object(options, {options["id"]: TemplateFile.objects.get(pk=file_id).encoded()})
    return None


def add(template: Template, name: str, file: CheckedFile, actor: Actor) -> None:
    """Store a checked file for a placeholder, instead of an earlier one. The caller has locked the template."""
    before = _without(template, name)
    row = TemplateFile.of(template, file.data)
    row.save(force_insert=True)
    template.fixed_files[name] = {"id": str(row.pk), **_options_of(file)}
    template.save(update_fields=["fixed_files"])
    after = {"placeholder": name, "size_bytes": len(file.data)}
    audit.record(actor, "added_file", template, before={"replaced": bool(before)}, after=after)


def remove(template: Template, name: str, actor: Actor) -> None:
    """Delete the file of a placeholder. Files of accepted messages stay. The caller has locked the template."""
    _without(template, name)
    template.save(update_fields=["fixed_files"])
    audit.record(actor, "removed_file", template, before={"placeholder": name})


def copy(template: Template, to: Template) -> None:
    """Store the files of a template for its copy."""
    for name, options in template.fixed_files.items():
        content = TemplateFile.objects.get(pk=options["id"]).data()
        row = TemplateFile.of(to, content)
        row.save(force_insert=True)
        to.fixed_files[name] = {**options, "id": str(row.pk)}
    if to.fixed_files:
        to.save(update_fields=["fixed_files"])


def _without(template: Template, name: str) -> dict[str, Any] | None:  # Any: JSON
    """Delete the file of a placeholder, and return what is known of it."""
    removed = [template.fixed_files.pop(known) for known in _stored_names(template, name)]
    TemplateFile.objects.filter(pk__in=[options["id"] for options in removed]).delete()
    return removed[0] if removed else None


def _stored_names(template: Template, name: str) -> list[str]:
    return [known for known in template.fixed_files if placeholders.key(known) == placeholders.key(name)]


def _is_stored(template: Template, name: str, file: CheckedFile) -> bool:
    known = template.fixed_files.get(name)
    if known is None or {**known, **_options_of(file)} != known:
        return False
    return TemplateFile.objects.get(pk=known["id"]).data() == file.data


def _options_of(file: CheckedFile) -> dict[str, Any]:  # Any: JSON
    return {
        "filename": file.name,
        "size_bytes": len(file.data),
        "asks_for_email_address": file.asks_for_email_address,
        "weeks": file.weeks,
    }


def options_as_sent(options: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Return the options of a stored file as a request names them."""
    return {
        "filename": options["filename"],
        "confirm_email_before_download": options["asks_for_email_address"],
        "retention_period": f"{options['weeks']} weeks",
    }


def _object(options: Mapping[str, Any], contents: Mapping[str, str]) -> dict[str, object]:  # Any: JSON
    return {"file": contents[options["id"]], **options_as_sent(options)}
