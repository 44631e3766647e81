"""Accounts with roles in a service, and clients that are signed in with them."""

import uuid

from django.contrib.auth.models import User
from django.test import Client

from notifications.models import Role, Service, TeamMember
from notifications.recipients import normalise


def make_person(name: str = "") -> User:
    """Return an account that may sign in to the console and has no permission."""
    name = name or f"person-{uuid.uuid4().hex[:8]}"
    return User.objects.create_user(name, f"{name}@example.org", "a-long-password-1", is_staff=True)


def join(user: User, service: Service, *roles: Role) -> TeamMember:
    """Add an account to a service's team with these roles."""
    return TeamMember.objects.create(
        service=service,
        user=user,
        email_address=user.email,
        normalised_email=normalise(user.email),
        roles=[role.value for role in roles],
    )


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def colleague(service: Service, *roles: Role, name: str = "") -> Client:
    """Return the client of a new person with only these roles in this service."""
    user = make_person(name)
    join(user, service, *roles)
    return browser_of(user)
