"""Migrations merge the rows that a new constraint forbids, before they add it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.accounts.identities import SignOnIdentity
from notifications.models import Service, TeamMember
from tests.factories import make_service
from tests.people import make_person

BEFORE = [("notifications", "0076_empty_lists_of_new_messages"), ("operations", "0025_sign_on_identity")]


@pytest.fixture
def earlier(transactional_db: None) -> Iterator[Any]:
    """The models before the constraints."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    migrate_all()


def migrate_all() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_rows_that_stand_twice_are_merged(earlier: Any) -> None:
    jo, services = make_person("jo"), earlier.get_model("notifications", "Service").objects
    limits = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}
    tides, _ = (services.create(name=name, **limits) for name in ("Tides", "tides"))
    members = earlier.get_model("notifications", "TeamMember").objects
    for number, roles in enumerate((["see_activity"], ["manage_service"], [])):
        email = f"jo{number}@example.org"
        members.create(service=tides, user_id=jo.pk, roles=roles, email_address=email, normalised_email=email)
    identities = earlier.get_model("operations", "SignOnIdentity").objects
    for subject in ("jo-1", "jo-2"):
        identities.create(user_id=jo.pk, issuer="https://id.example.org", subject=subject)

    migrate_all()

    member = TeamMember.objects.get(user=jo)
    assert (member.email_address, member.roles) == ("jo0@example.org", ["manage_service", "see_activity"])
    assert list(TeamMember.objects.filter(user=None).values_list("roles", flat=True)) == [[], []]
    assert dict(Service.objects.values_list("name", "has_own_name")) == {"Tides": True, "tides": False}
    assert SignOnIdentity.objects.get().subject == "jo-1"
    make_service(name="TIDES")
