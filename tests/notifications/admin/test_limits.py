"""The limits of a service: their use, lasting and temporary changes, and emails.

Source: docs/reference/console.md §3.9.
"""

import uuid
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from notifications import tasks
from notifications.delivery import notices
from notifications.jobs import limits
from notifications.models import (
    Channel,
    DailyCounter,
    LimitChange,
    LimitKind,
    LimitNotice,
    RefusedCalls,
    Role,
    SandboxMessage,
    Service,
    ServiceLimit,
    TeamMember,
)
from notifications.submission import usage
from tests import factories
from tests.cleaning import clean_up
from tests.notifications.calling import make_caller
from tests.people import colleague

pytestmark = pytest.mark.django_db

PAGE = "/admin/notifications/limits/"


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides", daily_limit_email=1000)


def page_of(service: Service, page: str = "limits") -> str:
    return reverse(f"admin:notifications_service_{page}", args=[service.pk])


def form(service: Service, **fields: Any) -> dict[str, Any]:
    service.refresh_from_db()
    return {**{limit.value: getattr(service, limit.value) for limit in ServiceLimit}, "reason": "census", **fields}


def today() -> Any:
    return timezone.localdate(timezone=UTC)


def let_time_pass() -> None:
    LimitChange.objects.temporary().update(until=timezone.now() - timedelta(seconds=1))
    tasks.watch_limits()


def use(service: Service, kind: LimitKind, count: int) -> None:
    DailyCounter.objects.update_or_create(service=service, day=today(), kind=kind, defaults={"count": count})
    tasks.watch_limits()


def mails() -> list[tuple[str, str]]:
    for pk in notices.KINDS["limit"].waiting():
        tasks.mail_notice("limit", str(pk))
    return sorted((row.content.to, row.content.subject) for row in SandboxMessage.objects.all())


def test_a_temporary_change_returns_by_itself(console, service):
    console.post(page_of(service), form(service, daily_limit_email=5000, last_day=today().isoformat()))

    change = LimitChange.objects.get()
    assert (change.limit, change.former, change.value, change.returns_to) == ("daily_limit_email", 1000, 5000, 1000)
    assert change.until.astimezone(UTC).date() == today() + timedelta(days=1)
    assert Service.objects.get().daily_limit_email == 5000
    assert "then 1,000 again" in console.get(f"{PAGE}{service.pk}/", follow=True).content.decode().replace("\xa0", " ")

    tasks.watch_limits()
    assert Service.objects.get().daily_limit_email == 5000
    let_time_pass()

    assert Service.objects.get().daily_limit_email == 1000
    event = AuditEvent.objects.filter(object_kind="service").latest("at")
    assert (event.actor_kind, event.before, event.after) == (
        "clock",
        {"daily_limit_email": 5000},
        {"daily_limit_email": 1000},
    )


def test_a_lasting_change_ends_a_temporary_one(console, service):
    console.post(page_of(service), form(service, daily_limit_email=5000, last_day=today().isoformat()))
    console.post(page_of(service), form(service, daily_limit_email=2000))

    let_time_pass()

    assert Service.objects.get().daily_limit_email == 2000
    assert not LimitChange.objects.temporary().exists()


def test_a_second_temporary_change_returns_to_the_lasting_value(console, service):
    for value in (5000, 7000):
        console.post(page_of(service), form(service, daily_limit_email=value, last_day=today().isoformat()))

    let_time_pass()

    assert Service.objects.get().daily_limit_email == 1000


def test_an_operator_ends_temporary_changes_early(console, service):
    console.post(page_of(service), form(service, daily_limit_email=5000, last_day=today().isoformat()))

    console.post(page_of(service, "return-limits"), {"reason": "the mailing is done"})

    assert Service.objects.get().daily_limit_email == 1000
    assert AuditEvent.objects.latest("at").reason == "the mailing is done"
    assert "no temporary limits" in console.get(page_of(service, "return-limits")).content.decode()


def test_a_service_that_goes_live_during_a_temporary_change_gets_the_higher_limit_afterwards(console, settings):
    settings.DAILY_LIMIT_TRIAL, settings.DAILY_LIMIT_EMAIL = 50, 9000
    service = factories.make_service(live=False, daily_limit_email=50, permissions=["sms"])
    console.post(page_of(service), form(service, daily_limit_email=400, last_day=today().isoformat()))

    console.post(page_of(service, "go-live"), {"reason": "ready"})
    assert (Service.objects.get().live, Service.objects.get().daily_limit_email) == (True, 400)
    let_time_pass()

    assert Service.objects.get().daily_limit_email == 9000


@pytest.mark.parametrize(("days", "is_valid"), [(-1, False), (0, True), (366, True), (367, False)])
def test_the_last_day_is_today_or_within_a_year(console, service, days, is_valid):
    day = (today() + timedelta(days=days)).isoformat()

    answer = console.post(page_of(service), form(service, daily_limit_email=1, last_day=day))

    assert (answer.status_code == 302) is is_valid
    assert LimitChange.objects.exists() is is_valid


def test_the_page_shows_use_refusals_and_requests_of_the_last_minute():
    caller = make_caller(daily_limit_sms=1, rate_limit_per_minute=2)
    template = factories.make_template(caller.service, Channel.SMS, "Hello")
    statuses = [caller.send_sms(template).status_code for _ in range(3)]
    usage.store_pending()
    member = colleague(caller.service, Role.SEE_ACTIVITY)

    page = member.get(PAGE).content.decode()

    assert statuses == [201, 429, 429]
    assert set(RefusedCalls.objects.values_list("limit", "count")) == {
        (ServiceLimit.SMS.value, 1),
        (ServiceLimit.RATE.value, 1),
    }
    assert "1 of 1 today, 1 call refused" in page
    assert "2 of 2 in the last minute" in page
    assert "1 call was refused today" in page
    assert "Change limits" not in page


def test_80_and_100_percent_are_each_mailed_once_a_day(service):
    TeamMember.objects.filter(pk=factories.make_team_member(service, "boss@example.org").pk).update(
        roles=[Role.MANAGE_SERVICE.value]
    )
    use(service, LimitKind.EMAIL, 799)
    assert mails() == []

    for count in (800, 950):
        use(service, LimitKind.EMAIL, count)
        assert mails() == [("boss@example.org", "Tides has used 80% of its daily limit for emails")]
    for count in (1000, 1000):
        use(service, LimitKind.EMAIL, count)
        assert mails()[1:] == [("boss@example.org", "Tides has used all of its daily limit for emails")]
    assert not LimitNotice.objects.exclude(mail_at=None).exists()


def test_old_counts_and_notices_are_removed(service):
    long_ago = today() - timedelta(days=31)
    RefusedCalls.objects.create(service=service, day=long_ago, limit=ServiceLimit.SMS, count=1)
    LimitNotice.objects.create(service=service, day=long_ago, kind=LimitKind.SMS, percent=80, count=8, limit=10)
    RefusedCalls.objects.create(service=service, day=today(), limit=ServiceLimit.SMS, count=1)

    assert clean_up("limit-uses").removed == 2


def test_an_operator_without_a_chosen_service_sees_all_services(console, service):
    DailyCounter.objects.create(service=service, day=today(), kind=LimitKind.EMAIL, count=850)
    factories.make_service(name="Buses")

    page = console.get(PAGE).content.decode()

    assert page.index("Tides</a>") < page.index("Buses</a>")
    assert "85%" in page


def test_only_people_of_the_service_see_its_limits(service):
    stranger = colleague(factories.make_service(), Role.MANAGE_SERVICE)
    sender = colleague(service, Role.SEND_MESSAGES)

    assert stranger.get(f"{PAGE}{service.pk}/").status_code == 404
    assert stranger.get(f"{PAGE}{uuid.uuid4()}/").status_code == 404
    assert stranger.get(page_of(service, "return-limits")).status_code == 404
    assert sender.get(PAGE).status_code == 403
    assert colleague(service, Role.MANAGE_SERVICE).get(page_of(service, "return-limits")).status_code == 403


def test_an_equal_value_is_no_change(service):
    assert not limits.change(service, {ServiceLimit.EMAIL: 1000}, audit.CLOCK, "", "same", None)
    assert not LimitChange.objects.exists()
