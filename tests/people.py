"""Accounts with roles in a service, and clients that are signed in with them."""

import uuid

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from config.accounts.sessions import SessionStore
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
    """Return a client that is signed in.

    The session is stored directly. `force_login` also runs what a sign-in does to an account, in 13 statements.
    """
    now = timezone.now().timestamp()
    session = SessionStore()
    session.update(
        {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[-1],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
            **dict.fromkeys(("began_at", "seen_at", "proved_at"), now),
            "ip_address": None,
            "user_agent": "",
        }
    )
    session.save()
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


def colleague(service: Service, *roles: Role, name: str = "") -> Client:
    """Return the client of a new person with only these roles in this service."""
    user = make_person(name)
    join(user, service, *roles)
    return browser_of(user)
