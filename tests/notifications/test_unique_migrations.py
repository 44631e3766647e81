"""Migrations merge the rows that a new constraint or a new key of a mailbox makes equal."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.accounts.identities import SignOnIdentity
from notifications.models import GuestListEntry, Service, Suppression, TeamMember
from tests.factories import make_service
from tests.people import make_person

BEFORE = [("notifications", "0001_version_1_1"), ("operations", "0001_version_1_1")]
FORMER, KEY = "kay@bücher.example", "kay@xn--bcher-kva.example"


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


def test_rows_of_a_mailbox_get_its_key_and_their_former_key_on_the_way_back(earlier: Any) -> None:
    service = make_service_of(earlier)
    later = timezone.now() + timedelta(days=9)
    lists = {name: earlier.get_model("notifications", name).objects for name in ("TeamMember", "GuestListEntry")}
    suppressions = earlier.get_model("notifications", "Suppression").objects
    for key in (KEY, FORMER, "kay@bu\u0308cher.example"):
        lists["TeamMember"].create(service=service, email_address=key, normalised_email=key)
        lists["GuestListEntry"].create(service=service, kind="email", value=key, normalised=key)
    for key, expires_at in ((KEY, later), (FORMER, None), ("ana@example.org", None)):
        row = {"service": service, "channel": "email", "reason": "manual", "source": "api", "expires_at": expires_at}
        suppressions.create(recipient=key, normalised_recipient=key, **row)

    migrate_all()

    assert GuestListEntry.objects.get().normalised == KEY
    assert TeamMember.objects.filter(normalised_email=KEY).count() == 1
    assert TeamMember.objects.count() == 3
    active = Suppression.objects.active().values_list("normalised_recipient", "recipient", "expires_at")
    assert sorted(active) == [("ana@example.org", "ana@example.org", None), (KEY, FORMER, None)]
    assert Suppression.objects.filter(normalised_recipient=KEY).count() == 2

    MigrationExecutor(connection).migrate(BEFORE)

    kept = suppressions.filter(lifted_at=None).values_list("normalised_recipient", flat=True)
    assert sorted(kept) == ["ana@example.org", FORMER]


def make_service_of(apps: Any) -> Any:
    limits = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}
    return apps.get_model("notifications", "Service").objects.create(name="Tides", **limits)
