"""Roles in services by the groups of a sign-in provider: the grant "Pay: see_activity, send_messages" of OIDC_ROLES.

Source: docs/reference/security.md §5.
"""

from collections.abc import Set

import structlog
from django.contrib.auth.models import User

from config import mailboxes
from config.accounts import single_sign_on
from notifications.models import Role, Service, TeamMember

log = structlog.get_logger()


def apply(user: User, known: Set[str], own: Set[str]) -> None:
    """Set the person's roles in each service that OIDC_ROLES names. The last manager of a service stays."""
    roles: dict[str, set[str]] = {}
    for grant in known:
        name, colon, listed = grant.partition(":")
        if colon:
            wanted = {role.strip() for role in listed.split(",")} if grant in own else set()
            roles.setdefault(name.strip(), set()).update(wanted)
    for name, wanted in sorted(roles.items()):
        service = Service.objects.filter(name__iexact=name, active=True).first()
        if service is None:
            log.warning("sign_on.unknown_service")
        else:
            _set_roles(user, service, [role for role in Role.values if role in wanted])


def _set_roles(user: User, service: Service, roles: list[str]) -> None:
    own = TeamMember.objects.filter(service=service)
    key = mailboxes.key_of(user.email)
    member = own.filter(user=user).first() or (own.filter(normalised_email=key).first() if key else None)
    if member is None:
        member = TeamMember(service=service, email_address=user.email, normalised_email=key)
    elif member.user_id not in (None, user.pk):
        log.warning("sign_on.email_address_of_another_member", service_id=str(service.pk))
        return
    before = list(member.roles) if member.user_id else []
    if before == roles:
        return
    if Role.MANAGE_SERVICE in before and Role.MANAGE_SERVICE not in roles and member.is_last_manager():
        log.warning("sign_on.last_manager_kept", service_id=str(service.pk))
        return
    member.user, member.roles = user, roles
    member.save()
    single_sign_on.note_change(member, before={"roles": before}, after={"roles": roles})


GROUP_ACCESS = single_sign_on.GroupAccess(apply=apply)
