"""Services as files: make the rows say what a document says. Running it twice changes nothing.

Source: the sending contract §22.
"""

import uuid

from django.conf import settings
from django.utils import timezone

from config.console import audit
from config.management.parts import Faults
from notifications.management.changes import Changes
from notifications.management.declarations import ServiceDeclaration
from notifications.management.existing import Existing
from notifications.management.provision_keys import provision_api_keys, provision_callbacks
from notifications.management.provision_people import provision_guest_list, provision_team
from notifications.management.provision_senders import provision_reply_to_addresses, provision_sms_senders
from notifications.management.provision_templates import provision_templates
from notifications.management.reading import read_services
from notifications.models import Service

_PARTS = (
    provision_team,
    provision_guest_list,
    provision_sms_senders,
    provision_reply_to_addresses,
    provision_templates,
    provision_api_keys,
    provision_callbacks,
)


def provision(value: object, faults: Faults) -> object:
    """Apply the list under `services` inside the caller's transaction and return it completed.

    With a fault nothing is stored here, and the value is returned as it came.
    """
    declared = read_services(value, faults)
    if faults.lines:
        return value
    existing = Existing(declared)
    changes = Changes()
    seen: set[uuid.UUID] = set()
    for declaration in declared:
        service = _service(declaration, existing, changes)
        if service is None:
            continue
        if service.id in seen:
            declaration.entry.refuse("id" if declaration.id else "name", "is given twice")
            continue
        seen.add(service.id)
        for provision_rows in _PARTS:
            provision_rows(service, declaration, existing, changes)
    if faults.lines:
        return value

    changes.save()
    for service_id, kinds in changes.touched.items():
        audit.record(
            audit.COMMAND,
            "provision",
            object_kind="service",
            object_id=service_id,
            service_id=service_id,
            after={"changed": sorted(kinds)},
        )
    return [declaration.entry.completed for declaration in declared]


def _service(declaration: ServiceDeclaration, existing: Existing, changes: Changes) -> Service | None:
    """Return the row, found or new; None where the document names it badly."""
    entry = declaration.entry
    namesakes = existing.services_by_name[declaration.name or ""]
    if declaration.id is None and len(namesakes) > 1:
        entry.refuse("name", f"{len(namesakes)} services have this name: give the id")
        return None
    service = existing.services.get(declaration.id) if declaration.id else next(iter(namesakes), None)
    if service is None and declaration.name is None:
        entry.require("name")
        return None
    if service is None:
        service = _new_service(declaration)
        changes.add(service, service)
        existing.services[service.id] = service
        namesakes.append(service)
    name = {"name": declaration.name} if declaration.name else {}
    changes.change(service, service, **name, **declaration.fields)
    if service.active == (service.archived_at is not None):
        changes.change(service, service, archived_at=None if service.active else timezone.now())
    entry.completed["id"] = str(service.id)
    return service


def _new_service(declaration: ServiceDeclaration) -> Service:
    """A row with the limits new services get: a trial's are low, except for international texts."""
    is_live = bool(declaration.fields.get("live", False))
    return Service(
        id=declaration.id or uuid.uuid4(),
        name=declaration.name or "",
        rate_limit_per_minute=settings.RATE_LIMIT_PER_MINUTE,
        daily_limit_sms=settings.DAILY_LIMIT_SMS if is_live else settings.DAILY_LIMIT_TRIAL,
        daily_limit_email=settings.DAILY_LIMIT_EMAIL if is_live else settings.DAILY_LIMIT_TRIAL,
        daily_limit_international_sms=settings.DAILY_LIMIT_INTERNATIONAL_SMS,
        created_by=settings.PROVISION_AUTHOR,
    )
