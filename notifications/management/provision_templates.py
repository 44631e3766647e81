"""Templates of a provisioned service: found by id, else by name and type. Other words make the next version."""

import uuid

from django.conf import settings
from django.utils import timezone

from notifications.management.changes import Changes
from notifications.management.declarations import ServiceDeclaration, TemplateDeclaration
from notifications.management.existing import Existing
from notifications.models import Channel, Service, Template, TemplateVersion


def provision_templates(
    service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes
) -> None:
    seen: set[uuid.UUID] = set()
    for declared in declaration.templates:
        template = _find(service, declared, existing)
        if template is not None and template.service_id != service.id:
            declared.entry.refuse("id", "belongs to another service")
        elif template is not None and template.id in seen:
            declared.entry.refuse("id" if declared.id else "name", "is given twice")
        elif _fits(declared, template):
            template = template or _new(service, declared, existing, changes)
            _update(service, template, declared, existing, changes)
            seen.add(template.id)
            declared.entry.completed["id"] = str(template.id)


def _find(service: Service, declared: TemplateDeclaration, existing: Existing) -> Template | None:
    if declared.id is not None:
        return existing.templates.by_id.get(declared.id)
    namesakes = [
        template
        for template in existing.templates.of(service)
        if (template.name, template.type) == (declared.name, declared.type)
    ]
    in_use = [template for template in namesakes if template.archived_at is None]
    found = in_use or namesakes
    if len(found) > 1:
        declared.entry.refuse("name", f"{len(found)} templates have this name and type: give the id")
    return next(iter(found), None)


def _fits(declared: TemplateDeclaration, template: Template | None) -> bool:
    """Note what keeps the declaration from being stored: a new row needs everything, a type never changes."""
    faults_before = len(declared.entry.faults.lines)
    channel = template.type if template else declared.type
    if template is None:
        declared.entry.require("type", "name", "content", *(["subject"] if channel == Channel.EMAIL else []))
    elif declared.type not in (None, channel):
        declared.entry.refuse("type", "cannot be changed")
    if channel == Channel.SMS and declared.subject is not None:
        declared.entry.refuse("subject", "is for emails only")
    if channel == Channel.SMS and declared.unsubscribe_link:
        declared.entry.refuse("unsubscribe_link", "is for emails only")
    return len(declared.entry.faults.lines) == faults_before


def _new(service: Service, declared: TemplateDeclaration, existing: Existing, changes: Changes) -> Template:
    template = Template(
        id=declared.id or uuid.uuid4(),
        service=service,
        type=declared.type or "",
        name=declared.name or "",
        created_by=settings.PROVISION_AUTHOR,
    )
    changes.add(service, template)
    existing.templates.of(service).append(template)
    existing.templates.by_id[template.id] = template
    return template


def _update(
    service: Service, template: Template, declared: TemplateDeclaration, existing: Existing, changes: Changes
) -> None:
    current = existing.versions.get(template.id)
    words = {
        "name": declared.name,
        "subject": declared.subject,
        "content": declared.content,
        "unsubscribe_link": declared.unsubscribe_link,
    }
    kept = {column: getattr(current, column) for column in words} if current else {"unsubscribe_link": False}
    wanted = kept | {column: value for column, value in words.items() if value is not None}
    if wanted != kept:
        number = current.number + 1 if current else 1
        version = TemplateVersion(template=template, number=number, created_by=settings.PROVISION_AUTHOR, **wanted)
        changes.add(service, version)
        changes.change(
            service,
            template,
            name=version.name,
            current_version=number,
            updated_at=timezone.now() if current else None,
        )
    if declared.archived is not None and declared.archived == (template.archived_at is None):
        changes.change(service, template, archived_at=timezone.now() if declared.archived else None)
