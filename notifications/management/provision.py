"""Services as files: make the rows say what a document says. Running it twice changes nothing."""

import uuid

from django.conf import settings
from django.utils import timezone

from config.management.parts import Faults
from notifications.management import changes_audit
from notifications.management.changes import Changes
from notifications.management.declarations import ServiceDeclaration
from notifications.management.existing import Existing
from notifications.management.provision_keys import provision_api_keys, provision_callbacks
from notifications.management.provision_people import provision_guest_list, provision_team
from notifications.management.provision_senders import provision_reply_to_addresses, provision_sms_senders
from notifications.management.provision_templates import provision_templates
from notifications.management.reading import read_services
from notifications.models import Permission, Service
from notifications.validation import services
from notifications.validation.daily_limits import new_daily_limits
from notifications.validation.services import NEEDS_REPLY_TO, check_service_name_is_new

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
    versions_before = dict(existing.versions)
    changes = Changes()
    seen: set[uuid.UUID] = set()
    for declaration in declared:
        _provision_one(declaration, existing, changes, seen)
    if faults.lines:
        return value
    changes.save()
    changes_audit.record(changes, versions_before)
    return [declaration.entry.completed for declaration in declared]


def _provision_one(declaration: ServiceDeclaration, existing: Existing, changes: Changes, seen: set[uuid.UUID]) -> None:
    entry = declaration.entry
    namesakes = existing.services_by_name[declaration.name or ""]
    if declaration.id is None and len(namesakes) > 1:
        entry.refuse("name", f"{len(namesakes)} services have this name: give the id")
        return
    service = existing.services.get(declaration.id) if declaration.id else next(iter(namesakes), None)
    if service is not None and service.id in seen:
        entry.refuse("id" if declaration.id else "name", "is given twice")
        return
    _check_name(declaration, service, existing)
    lacked_reply_to = service is not None and _lacks_reply_to(service, existing)
    if service is None and declaration.name is None:
        entry.require("name")
        return
    if service is None:
        service = _new_service(declaration)
        changes.add(service, service)
        existing.services[service.id] = service
        namesakes.append(service)
    seen.add(service.id)
    _update(service, declaration, changes)
    existing.note_name(service)
    entry.completed["id"] = str(service.id)
    for provision_rows in _PARTS:
        provision_rows(service, declaration, existing, changes)
    if _lacks_reply_to(service, existing) and not lacked_reply_to:
        entry.refuse("live", NEEDS_REPLY_TO)


def _check_name(declaration: ServiceDeclaration, service: Service | None, existing: Existing) -> None:
    """Refuse a new name that another service has in whatever case.

    A document that gives ids may repeat a name letter for letter: that is how copies of one service are made.
    """
    name = declaration.name
    if name is None or (service is not None and service.name == name):
        return
    others = existing.names_like(name, but=service)
    copied = {name} if declaration.id else set()
    declaration.entry.check("name", check_service_name_is_new, name, others - copied)


def _lacks_reply_to(service: Service, existing: Existing) -> bool:
    return services.lacks_reply_to(
        live=service.live,
        active=service.active,
        sends_email=service.may(Permission.EMAIL),
        has_reply_to=any(row.archived_at is None for row in existing.reply_to_addresses.of(service)),
    )


def _update(service: Service, declaration: ServiceDeclaration, changes: Changes) -> None:
    name = {"name": declaration.name} if declaration.name else {}
    changes.change(service, service, **name, **declaration.fields)
    if service.active == (service.archived_at is not None):
        changes.change(service, service, archived_at=None if service.active else timezone.now())


def _new_service(declaration: ServiceDeclaration) -> Service:
    """Return a row with the limits new services get."""
    return Service(
        id=declaration.id or uuid.uuid4(),
        name=declaration.name or "",
        rate_limit_per_minute=settings.RATE_LIMIT_PER_MINUTE,
        created_by=settings.PROVISION_AUTHOR,
        **new_daily_limits(live=bool(declaration.fields.get("live", False))),
    )
