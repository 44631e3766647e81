"""The people to whom Signalbox writes about a service: its managers, and the operators of the installation."""

import contextlib
from collections.abc import Iterable, Iterator

from django.contrib.auth import get_user_model

from notifications.models import Role, Service, TeamMember
from notifications.recipients import email as email_addresses
from notifications.recipients.email import InvalidEmailAddress


def managers_of(service: Service) -> list[str]:
    """Return the email addresses of the managers of a service or, if it has none, of the operators."""
    team = TeamMember.objects.filter(service=service).order_by("created_at")
    managers = [member.email_address for member in team if Role.MANAGE_SERVICE in member.roles and member.email_address]
    return list(_ascii(managers)) or operators()


def operators() -> list[str]:
    """Return the email addresses of the operators who can sign in."""
    accounts = get_user_model().objects.filter(is_superuser=True, is_active=True)
    return list(_ascii(accounts.order_by("pk").values_list("email", flat=True)))


def _ascii(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        with contextlib.suppress(InvalidEmailAddress):
            yield email_addresses.parse(text).ascii
