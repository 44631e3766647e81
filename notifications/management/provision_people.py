"""Team and guest list of a provisioned service: given, they are replaced as a whole, and who stays keeps the row."""

from django.conf import settings

from notifications.management.changes import Changes
from notifications.management.declarations import ServiceDeclaration
from notifications.management.existing import Existing
from notifications.models import GuestListEntry, Service, TeamMember


def provision_team(service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes) -> None:
    if declaration.team is None:
        return
    members = {member.normalised_email: member for member in existing.team.of(service)}
    for declared in declaration.team:
        member = members.pop(declared.email_address.normalised, None)
        if member is None:
            member = TeamMember(
                service=service,
                normalised_email=declared.email_address.normalised,
                created_by=settings.PROVISION_AUTHOR,
            )
            changes.add(service, member)
        number = declared.phone_number
        changes.change(
            service,
            member,
            email_address=declared.email_address.given,
            phone_number=number.given if number else "",
            normalised_phone=number.normalised if number else "",
        )
    for former in members.values():
        changes.remove(service, former)


def provision_guest_list(
    service: Service, declaration: ServiceDeclaration, existing: Existing, changes: Changes
) -> None:
    if declaration.guests is None:
        return
    entries = {(entry.kind, entry.normalised): entry for entry in existing.guest_list.of(service)}
    for guest in declaration.guests:
        entry = entries.pop((guest.kind, guest.normalised), None)
        if entry is None:
            entry = GuestListEntry(
                service=service, kind=guest.kind, normalised=guest.normalised, created_by=settings.PROVISION_AUTHOR
            )
            changes.add(service, entry)
        changes.change(service, entry, value=guest.given)
    for former in entries.values():
        changes.remove(service, former)
