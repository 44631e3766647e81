"""Somebody must be able to manage a service: the last one keeps the role. Source: Staff console §1.3."""

from notifications.models import Role, Service, TeamMember

SOMEONE_MUST = "Someone must be able to manage this service."


def is_last(member: TeamMember) -> bool:
    """Say whether nobody else holds *Manage service* with an account that may sign in.

    Looks under a lock of the service: two people who take the role from each other at once are judged in turn.
    """
    Service.objects.select_for_update().get(pk=member.service_id)
    holders = TeamMember.objects.filter(service_id=member.service_id, user__is_active=True)
    able = {row.pk for row in holders if Role.MANAGE_SERVICE in row.roles}
    return able == {member.pk}
