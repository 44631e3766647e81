"""Fixed files of templates: uploaded once, and sent to each recipient with a link and a key of their own.

Source: docs/reference/files.md §2.3.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from config import audit
from config.audit import Actor
from notifications import errors
from notifications.attachments.intake import CheckedFile
from notifications.models import Template
from notifications.models.template_file import TemplateFile
from notifications.rendering import placeholders
from notifications.submission.templates import TemplateText


def with_files(template: TemplateText, personalisation: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a send with the fixed files of its text, in the form of files of a request.

    A fixed file replaces a value that the send gives for its placeholder.
    """
    used = template.used_files
    if not used:
        return dict(personalisation)
    ids = [UUID(options["id"]) for options in used.values()]
    contents = {str(row.pk): row.encoded() for row in TemplateFile.objects.filter(pk__in=ids)}
    fixed = {placeholders.key(name) for name in used}
    values = {name: value for name, value in personalisation.items() if placeholders.key(name) not in fixed}
    return values | {name: _object(options, contents) for name, options in used.items() if options["id"] in contents}


def check_none(template: TemplateText) -> None:
    """Raise TemplateHasFiles if the text has fixed files: only single emails can have them."""
    if template.used_files:
        raise errors.TemplateHasFiles


def add(template: Template, name: str, file: CheckedFile, actor: Actor) -> None:
    """Store a checked file for a placeholder, instead of an earlier one. The caller has locked the template."""
    before = _without(template, name)
    row = TemplateFile.of(template, file.data)
    row.save(force_insert=True)
    template.fixed_files[name] = {
        "id": str(row.pk),
        "filename": file.name,
        "size_bytes": len(file.data),
        "asks_for_email_address": file.asks_for_email_address,
        "weeks": file.weeks,
    }
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
    same = [known for known in template.fixed_files if placeholders.key(known) == placeholders.key(name)]
    removed = [template.fixed_files.pop(known) for known in same]
    TemplateFile.objects.filter(pk__in=[options["id"] for options in removed]).delete()
    return removed[0] if removed else None


def _object(options: Mapping[str, Any], contents: Mapping[str, str]) -> dict[str, object]:  # Any: JSON
    return {
        "file": contents[options["id"]],
        "filename": options["filename"],
        "confirm_email_before_download": options["asks_for_email_address"],
        "retention_period": f"{options['weeks']} weeks",
    }
