"""Provision the team and the guest list. A given list replaces the stored one; people in both keep their row."""

from collections.abc import Iterator

from config.management.declarations import DeclaredRow
from notifications.management.provision.sync import Sync, by
from notifications.models import GuestListEntry, RecipientKind, TeamMember


def provision_team(sync: Sync, declared: DeclaredRow) -> None:
    if "team" not in declared.values:
        return
    members = declared.entries("team")
    for member in members:
        address, number = member.values["email_address"], member.values.get("phone_number")
        member.values = {
            "email_address": address.given,
            "normalised_email": address.normalised,
            "phone_number": number.given if number else "",
            "normalised_phone": number.normalised if number else "",
        }
    sync.sync(TeamMember, members, by("normalised_email"), blamed=("email_address",), replaces=True)


def provision_guest_list(sync: Sync, declared: DeclaredRow) -> None:
    if "guest_list" in declared.values:
        sync.sync(GuestListEntry, _guests(declared), by("kind", "normalised"), replaces=True)


def _guests(declared: DeclaredRow) -> Iterator[DeclaredRow]:
    for key, kind in (("email_addresses", RecipientKind.EMAIL), ("phone_numbers", RecipientKind.PHONE)):
        for index, guest in enumerate(declared.values["guest_list"].get(key, ())):
            columns = {"kind": kind, "value": guest.given, "normalised": guest.normalised}
            yield DeclaredRow(f"{declared.path}.guest_list.{key}[{index}]", columns, {}, declared.errors)
