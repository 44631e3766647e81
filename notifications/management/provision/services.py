"""Provision services: change the stored rows to match a document. A second run changes nothing."""

import uuid

from django.conf import settings
from django.utils import timezone

from config.areas import DocumentErrors
from config.management.declarations import DeclaredRow, read
from notifications.management.provision import audit
from notifications.management.provision.changes import Changes
from notifications.management.provision.declarations import ServiceDeclaration
from notifications.management.provision.keys import provision_api_keys, provision_callbacks
from notifications.management.provision.people import provision_guest_list, provision_team
from notifications.management.provision.senders import provision_reply_to_addresses, provision_sms_senders
from notifications.management.provision.stored import StoredServices
from notifications.management.provision.sync import Sync
from notifications.management.provision.templates import provision_templates
from notifications.models import GoLiveRequest, GoLiveState, Permission, ReplyToAddress, Service, ServiceLimit
from notifications.validation import services
from notifications.validation.daily_limits import new_daily_limits

_PARTS = (
    provision_team,
    provision_guest_list,
    provision_sms_senders,
    provision_reply_to_addresses,
    provision_templates,
    provision_api_keys,
    provision_callbacks,
)


def provision(value: object, errors: DocumentErrors) -> object:
    """Apply the list under `services` inside the caller's transaction, and return it with ids and keys.

    If there are errors, store nothing and return the value unchanged.
    """
    declared = read(value, "services", ServiceDeclaration(), errors)
    stored, changes = StoredServices(declared), Changes()
    versions_before = dict(stored.versions)
    seen: set[uuid.UUID] = set()
    for entry in declared:
        _provision_one(entry, stored, changes, seen)
    if errors.lines:
        return value
    changes.save()
    live = [service.pk for service in stored.services.values() if service.live]
    asked = GoLiveRequest.objects.filter(service__in=live)
    asked.answer(GoLiveState.MADE_LIVE, text="", by=settings.PROVISION_AUTHOR)
    audit.record(changes, versions_before)
    return [entry.completed for entry in declared]


def _provision_one(entry: DeclaredRow, stored: StoredServices, changes: Changes, seen: set[uuid.UUID]) -> None:
    identifier, name = entry.values.get("id"), entry.values.get("name")
    namesakes = [service for service in stored.services.values() if service.name == name]
    if identifier is None and len(namesakes) > 1:
        entry.refuse("name", f"{len(namesakes)} services have this name: give the id")
        return
    service = stored.services.get(identifier) if identifier else next(iter(namesakes), None)
    if service is not None and service.id in seen:
        entry.refuse("id" if identifier else "name", "is given twice")
        return
    _check_name(entry, service, stored)
    lacked_reply_to = service is not None and _lacks_reply_to(service, stored)
    if service is None:
        entry.require("name")
        service = _new_service(entry)
        changes.add(service)
    seen.add(service.id)
    columns = {field.name for field in Service._meta.concrete_fields} - {"id"}
    values = {name: entry.values[name] for name in columns & entry.values.keys()}
    if "name" in values and (service._state.adding or service.name != values["name"]):
        values["has_own_name"] = not stored.names_like(values["name"], but=service)
    for limit in ServiceLimit.values:
        temporary = stored.temporary_limits.get((service.pk, limit))
        if temporary is not None and limit in values:
            changes.change(temporary, returns_to=values.pop(limit))
    changes.change(service, **values)
    if service.active == (service.archived_at is not None):
        changes.change(service, archived_at=None if service.active else timezone.now())
    stored.add_service(service)
    entry.completed["id"] = str(service.id)
    for provision_rows in _PARTS:
        provision_rows(Sync(service, stored, changes), entry)
    if _lacks_reply_to(service, stored) and not lacked_reply_to:
        entry.refuse("live", services.NEEDS_REPLY_TO)


def _check_name(entry: DeclaredRow, service: Service | None, stored: StoredServices) -> None:
    """Add an error if another service has the new name, regardless of case.

    With an id, a document may repeat exactly the same name, which creates a copy of a service.
    """
    name = entry.values.get("name")
    if name is None or (service is not None and service.name == name):
        return
    copied = {name} if "id" in entry.values else set()
    entry.check("name", services.check_service_name_is_new, name, stored.names_like(name, but=service) - copied)


def _lacks_reply_to(service: Service, stored: StoredServices) -> bool:
    return services.lacks_reply_to(
        live=service.live,
        active=service.active,
        sends_email=Permission.EMAIL in service.permissions,
        has_reply_to=any(row.archived_at is None for row in stored.of(ReplyToAddress, service)),
    )


def _new_service(entry: DeclaredRow) -> Service:
    """Return a new row with the default limits."""
    return Service(
        id=entry.values.get("id") or uuid.uuid4(),
        name=entry.values.get("name", ""),
        rate_limit_per_minute=settings.RATE_LIMIT_PER_MINUTE,
        created_by=settings.PROVISION_AUTHOR,
        **new_daily_limits(live=entry.values.get("live", False)),
    )
