"""The rule that a service keeps its last manager. Source: docs/reference/console.md §1.3."""

from notifications.models import Role, Service, TeamMember

SOMEONE_MUST = "Someone must be able to manage this service."


def is_last(member: TeamMember) -> bool:
    """Return whether no other member with an active account has the role *Manage service*.

    The check locks the service, so that two managers cannot remove each other at the same time.
    """
    Service.objects.select_for_update().get(pk=member.service_id)
    holders = TeamMember.objects.filter(service_id=member.service_id, user__is_active=True)
    able = {row.pk for row in holders if Role.MANAGE_SERVICE in row.roles}
    return able == {member.pk}
