"""Limit the inbox to what a caller may see: staff by their roles; test suites and local developers see everything.

Source: docs/reference/running.md §9; docs/reference/console.md §1.3.
"""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest

from config.accounts import scope
from config.rest.request import has_bearer_token
from config.web.ip_addresses import is_local
from notifications.models import Notification, Role, SandboxMessage, Service, TeamMember


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The permissions of a caller in the inbox. Staff without a service see nothing.

    is_whole: whether the caller sees every message unmasked and may delete messages
    roles: the roles of other callers by the id of the service
    """

    is_whole: bool
    roles: dict[UUID, frozenset[Role]]

    def rows(self) -> QuerySet[SandboxMessage]:
        """Return the messages that the caller may see. Only operators see emails of no service, such as invites."""
        if self.is_whole:
            return SandboxMessage.objects.all()
        sent = Notification.objects.filter(service__in=self._services_with(Role.SEE_ACTIVITY))
        return SandboxMessage.objects.filter(notification_id__in=sent.values("id"))

    def services(self) -> QuerySet[Service]:
        if self.is_whole:
            return Service.objects.all()
        return Service.objects.filter(pk__in=self._services_with(Role.SEE_ACTIVITY))

    def sees_recipients(self, message: Notification | None) -> bool:
        """Return whether recipients, links and redacted details of a message are shown."""
        return self.is_whole or (
            message is not None and Role.SEE_RECIPIENTS in self.roles.get(message.service_id, frozenset())
        )

    def _services_with(self, role: Role) -> list[UUID]:
        return [service_id for service_id, held in self.roles.items() if role in held]


EVERYTHING = Sight(is_whole=True, roles={})


def of(request: HttpRequest) -> Sight | None:
    """Return the permissions of a caller, or None if the caller must sign in or send a token."""
    if has_bearer_token(request, settings.SANDBOX_TOKEN):
        return EVERYTHING
    user = request.user
    if user.is_active and user.is_staff:
        is_operator = scope.is_operator(request)
        return Sight(is_whole=is_operator, roles={} if is_operator else TeamMember.objects.roles_of(user.pk))
    return EVERYTHING if is_local(request) else None
