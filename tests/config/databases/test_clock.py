"""A process with a wrong clock deletes nothing. Source: docs/reference/running.md §13."""

import re
import sys
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from config.databases import clock
from config.health import health_checks, readiness
from config.jobs import retention, rules
from config.jobs.models import Trigger
from notifications.delivery.claiming import claim_due
from notifications.delivery.hand_over import HandOver
from notifications.models import Channel, Notification, Status
from tests.factories import make_notification

MONTH = timedelta(days=31)
FAST = """
import runpy, sys
from datetime import datetime, timedelta, UTC
import time_machine
time_machine.travel(datetime.now(UTC) + timedelta(days={days}), tick=True).start()
sys.argv = ["manage.py", *{arguments}]
runpy.run_path("manage.py", run_name="__main__")
"""


def ahead(length: timedelta) -> time_machine.travel:
    return time_machine.travel(timezone.now() + length)


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "is_far"), [(0, False), (40, False), (-40, False), (80, True), (-80, True)])
def test_a_difference_of_more_than_a_minute_is_too_much(seconds: int, is_far: bool) -> None:
    with ahead(timedelta(seconds=seconds)):
        assert clock.is_far(clock.difference()) == is_far


@pytest.mark.django_db
@pytest.mark.parametrize("name", [rule.name for rule in rules.registered()])
def test_no_rule_removes_anything_while_the_clock_is_wrong(name: str) -> None:
    message = make_notification(status=Status.DELIVERED)
    rule = rules.named(name)
    assert rule

    with ahead(MONTH * 12):
        row = retention.run(rule, Trigger.CLOCK)

    assert row.removed == 0
    assert row.error.startswith("Nothing was removed: the clock is ")
    assert row.error.endswith(" s ahead of the database.")
    assert Notification.objects.filter(pk=message.pk).exists()


@pytest.mark.django_db
def test_doctor_readiness_and_the_overview_state_a_wrong_clock(console) -> None:
    with ahead(timedelta(minutes=-3)):
        found, failed = health_checks.time(), readiness.failures()
    with ahead(timedelta(seconds=90)):
        page = console.get("/admin/").content.decode()
    right = console.get("/admin/").content.decode()

    assert found.seen == "180 s from the database's"
    assert found.fix.endswith("Until then, this machine deletes nothing.")
    assert "time" in failed
    assert "time" not in readiness.failures()
    assert "s ahead of the database. A machine with a wrong clock deletes nothing." in page
    assert "A machine with a wrong clock" not in right


@pytest.mark.django_db
def test_the_database_decides_when_a_message_is_sent_and_expires() -> None:
    """A worker whose clock is a month ahead gave up every message that it claimed."""
    message = make_notification(status=Status.CREATED, channel=Channel.EMAIL)

    with ahead(MONTH):
        (claim,) = claim_due(Channel.EMAIL, 1)
        hand_over = HandOver(claim)
        now = claim.now()

    assert abs(now - timezone.now()) < timedelta(seconds=30)
    assert hand_over._last_chance > now
    assert claim.notification.pk == message.pk


def test_a_worker_a_month_ahead_keeps_the_messages(start_service) -> None:
    service = start_service()
    assert service.manage("demo").returncode == 0
    before = service.manage("sweep", "old-messages", "--preview").stdout.splitlines()[0]

    fast = service.start("fast", sys.executable, "-c", FAST.format(days=31, arguments=["sweep", "old-messages"]))
    fast.process.wait(120)

    # 31 days are 2,678,400 seconds, less the moment between the two readings
    assert re.search(r"Nothing was removed: the clock is 267\d{4} s ahead", fast.tail())
    assert service.manage("sweep", "old-messages", "--preview").stdout.splitlines()[0] == before
