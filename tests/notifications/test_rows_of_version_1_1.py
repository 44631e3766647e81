"""Rows of version 1.1 after all later migrations: merged where a constraint makes them equal, and counted by hour.

One test walks the migrations back and forward once, because each walk takes several seconds.
"""

from collections.abc import Iterator
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.accounts.identities import SignOnIdentity
from notifications.jobs import counting, sums
from notifications.models import CountedDay, GuestListEntry, HourlyCount, Service, Suppression, TeamMember, Template
from tests.factories import make_service
from tests.people import make_person

BEFORE = [("notifications", "0001_version_1_1"), ("operations", "0001_version_1_1")]
LIMITS = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}
FORMER, KEY = "kay@bücher.example", "kay@xn--bcher-kva.example"
AT = (timezone.now() - timedelta(days=3)).astimezone(UTC).replace(hour=14, minute=5)


@pytest.fixture
def earlier(transactional_db: None) -> Iterator[Any]:
    """The models of version 1.1."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    migrate_all()


def migrate_all() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_rows_of_version_1_1(earlier: Any) -> None:
    make_rows_that_stand_twice(earlier)
    make_rows_of_a_mailbox(earlier)
    make_daily_counts(earlier)

    migrate_all()

    check_rows_that_stand_twice()
    check_rows_of_a_mailbox()
    check_counts()

    MigrationExecutor(connection).migrate(BEFORE)

    kept = earlier.get_model("notifications", "Suppression").objects.filter(lifted_at=None)
    assert sorted(kept.values_list("normalised_recipient", flat=True)) == ["ana@example.org", FORMER]


def make_rows_that_stand_twice(earlier: Any) -> None:
    jo, services = make_person("jo"), earlier.get_model("notifications", "Service").objects
    tides, _ = (services.create(name=name, **LIMITS) for name in ("Tides", "tides"))
    members = earlier.get_model("notifications", "TeamMember").objects
    for number, roles in enumerate((["see_activity"], ["manage_service"], [])):
        email = f"jo{number}@example.org"
        members.create(service=tides, user_id=jo.pk, roles=roles, email_address=email, normalised_email=email)
    identities = earlier.get_model("operations", "SignOnIdentity").objects
    for subject in ("jo-1", "jo-2"):
        identities.create(user_id=jo.pk, issuer="https://id.example.org", subject=subject)


def check_rows_that_stand_twice() -> None:
    of_tides = TeamMember.objects.filter(service__name="Tides")
    member = of_tides.get(user__username="jo")
    assert (member.email_address, member.roles) == ("jo0@example.org", ["manage_service", "see_activity"])
    assert list(of_tides.filter(user=None).values_list("roles", flat=True)) == [[], []]
    names = Service.objects.filter(name__iexact="tides").values_list("name", "has_own_name")
    assert dict(names) == {"Tides": True, "tides": False}
    assert SignOnIdentity.objects.get().subject == "jo-1"
    make_service(name="TIDES")


def make_rows_of_a_mailbox(earlier: Any) -> None:
    service = earlier.get_model("notifications", "Service").objects.create(name="Books", **LIMITS)
    later = timezone.now() + timedelta(days=9)
    lists = {name: earlier.get_model("notifications", name).objects for name in ("TeamMember", "GuestListEntry")}
    suppressions = earlier.get_model("notifications", "Suppression").objects
    for key in (KEY, FORMER, "kay@bu\u0308cher.example"):
        lists["TeamMember"].create(service=service, email_address=key, normalised_email=key)
        lists["GuestListEntry"].create(service=service, kind="email", value=key, normalised=key)
    for key, expires_at in ((KEY, later), (FORMER, None), ("ana@example.org", None)):
        row = {"service": service, "channel": "email", "reason": "manual", "source": "api", "expires_at": expires_at}
        suppressions.create(recipient=key, normalised_recipient=key, **row)


def check_rows_of_a_mailbox() -> None:
    assert GuestListEntry.objects.get().normalised == KEY
    of_books = TeamMember.objects.filter(service__name="Books")
    assert of_books.filter(normalised_email=KEY).count() == 1
    assert of_books.count() == 3
    active = Suppression.objects.active().values_list("normalised_recipient", "recipient", "expires_at")
    assert sorted(active) == [("ana@example.org", "ana@example.org", None), (KEY, FORMER, None)]
    assert Suppression.objects.filter(normalised_recipient=KEY).count() == 2


def make_daily_counts(earlier: Any) -> None:
    """Store a count of five messages, of which two are not deleted yet, and one of a service without messages."""
    names = ("Service", "Template", "Notification", "DailyCount", "CountedDay")
    services, templates, messages, counts, days = (earlier.get_model("notifications", name).objects for name in names)
    service, silent = (services.create(name=name, **LIMITS) for name in ("Gates", "Silent"))
    template, other = (templates.create(service=one, name="Gate code", type="sms") for one in (service, silent))
    what = {"channel": "sms", "key_type": "live", "status": "delivered"}
    counts.create(day=AT.date(), n=5, deleted=3, units=9, deleted_units=7, service=service, template=template, **what)
    counts.create(day=AT.date() - timedelta(days=1), n=1, service=silent, template=other, **what)
    days.create(service=service, day=AT.date(), counted_at=timezone.now(), is_settled=True)
    for _ in range(2):
        messages.create(
            service=service, template=template, template_version=1, recipient="a", normalised_recipient="a", body="",
            parts=1, rate_multiplier=1, created_at=AT, sent_at=AT, completed_at=AT, provider="smpp", **what,
        )  # fmt: skip


def check_counts() -> None:
    """Deleted messages stay in the figures, the others move to their hours, and a service can be deleted."""
    first, by = AT.date(), ("day", "status")
    assert sums.messages(by, first=first) == {(first, "delivered"): 5}
    assert not CountedDay.objects.get().is_settled
    counting.count_recent()
    assert sums.messages(by, first=first) == {(first, "delivered"): 5}
    assert sums.messages(by, first=first, value="units") == {(first, "delivered"): 9}
    hours = HourlyCount.objects.filter(service__name="Gates")
    assert {(row.hour, row.provider): (row.n, row.deleted) for row in hours} == {(0, ""): (3, 3), (14, "smpp"): (2, 0)}

    silent = HourlyCount.objects.filter(service__name="Silent")
    assert silent.count() == 1
    Template.objects.get(service__name="Silent").service.delete()
    assert not silent.exists()
