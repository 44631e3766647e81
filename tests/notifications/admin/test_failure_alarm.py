"""A service's page offers an alarm on its failed messages. Source: docs/reference/alarms.md §5."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets import tasks
from datasets.alarms import measures, notifying, watching
from datasets.models import Alarm, AlarmMessage
from notifications.jobs import counting
from notifications.models import Role, Service, Status, TeamMember
from tests.datasets.making import make_data_set
from tests.factories import make_notification, make_service, make_template
from tests.people import browser_of, colleague, join, make_person

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, 30, tzinfo=UTC)


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


def address(service: Service, page: str = "failure-alarm") -> str:
    return reverse(f"admin:notifications_service_{page}", args=[service.pk])


def test_one_click_makes_the_alarm_and_a_second_person_joins_it(service: Service) -> None:
    first, second = (colleague(service, Role.MANAGE_SERVICE, Role.SEE_ACTIVITY) for _ in range(2))
    url = address(service)
    assert "Tell me when failures pass 5%" in first.get(address(service, "change")).content.decode()

    for browser in (first, second, second):
        page = browser.post(url, follow=True).content.decode()
        assert "You get an email when more than 5%" in page

    alarm = Alarm.objects.get()
    assert (alarm.name, alarm.limit, str(alarm.data_set)) == ("Failures of Tides", 5, "signalbox/messages")
    assert len(alarm.email_addresses) == 2
    assert "2 people get a message when more than 5%" in page
    verbs = AuditEvent.objects.filter(object_kind="alarm").values_list("verb", flat=True)
    assert set(verbs) == {"created", "changed"}


def test_the_alarm_is_raised_when_more_than_five_percent_of_an_hour_fail(service: Service) -> None:
    template = make_template(service)
    with time_machine.travel(NOW, tick=False) as clock:
        colleague(service, Role.MANAGE_SERVICE).post(address(service))
        for number in range(25):
            status = Status.TECHNICAL_FAILURE if number < 2 else Status.DELIVERED
            make_notification(template, status=status, created_at=NOW)
        make_notification(make_template(make_service()), status=Status.TECHNICAL_FAILURE, created_at=NOW)
        counting.count_recent()
        tasks.store_statistics()
        watching.check_alarms()
        alarm = Alarm.objects.get()
        assert (alarm.value, alarm.is_raised) == (8, True)
        assert [one.subject for one in AlarmMessage.objects.all()] == ["Alarm: Failures of Tides"]

        clock.shift(timedelta(hours=1))

        assert measures.value_of(alarm, datetime.now(UTC)) is None


def raise_alarm(alarm: Alarm) -> list[str]:
    """Let the alarm begin, and return who gets a message."""
    alarm.raised_at, alarm.notified_at, alarm.last_notified_at = NOW, None, None
    notifying.notify(alarm, NOW)
    return sorted(AlarmMessage.objects.values_list("recipient", flat=True))


@pytest.fixture
def mia(service: Service) -> User:
    """A manager of the service who watches its failed messages."""
    person = make_person("mia")
    join(person, service, Role.MANAGE_SERVICE)
    browser_of(person).post(address(service))
    return person


def lose_the_role(person: User) -> None:
    TeamMember.objects.filter(user=person).update(roles=[Role.SEE_ACTIVITY])


def leave_the_team(person: User) -> None:
    TeamMember.objects.filter(user=person).delete()


def leave(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_active=False)


@pytest.mark.parametrize("go", [lose_the_role, leave_the_team, leave])
def test_a_manager_who_may_not_change_the_service_any_more_gets_no_email(
    service: Service, mia: User, go: Callable[[User], None]
) -> None:
    """Not even one that waits for a provider. The address of the team, which is no account, still gets it."""
    join(make_person("noa"), service, Role.MANAGE_SERVICE)
    alarm = Alarm.objects.get()
    alarm.email_addresses += ["Noa@example.org", "team@example.org"]
    alarm.save()
    assert raise_alarm(alarm) == ["Noa@example.org", "mia@example.org", "team@example.org"]

    go(mia)

    assert notifying.send_due() == 2
    assert not AlarmMessage.objects.exists()
    assert raise_alarm(Alarm.objects.get()) == ["Noa@example.org", "team@example.org"]


def test_a_manager_of_all_data_sets_hears_of_it_without_a_role(service: Service, mia: User) -> None:
    leave_the_team(mia)
    alarm = Alarm.objects.get()
    assert raise_alarm(alarm) == []

    mia.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))

    assert raise_alarm(alarm) == ["mia@example.org"]


def test_managers_of_the_service_open_its_alarm_and_nobody_else_does(service: Service, mia: User) -> None:
    page = f"/admin/datasets/alarm/{Alarm.objects.get().pk}/change/"
    other = make_service(name="Locks")
    assert colleague(service, Role.MANAGE_SERVICE).get(page).status_code == 200
    assert colleague(service, Role.SEE_ACTIVITY).get(page).status_code == 403
    assert colleague(other, Role.MANAGE_SERVICE).get(page).status_code == 404

    lose_the_role(mia)

    assert browser_of(mia).get(page).status_code == 403


def test_a_person_without_a_role_cannot_make_it(service: Service) -> None:
    url = address(service)

    assert browser_of(make_person()).post(url).status_code in (403, 404)
    assert colleague(service, Role.SEE_ACTIVITY).post(url).status_code == 403
    assert not Alarm.objects.exists()


def test_without_statistics_the_page_says_so(service: Service) -> None:
    make_data_set("signalbox", "messages")
    url = address(service)

    page = colleague(service, Role.MANAGE_SERVICE).post(url).content.decode()

    assert "has no statistics to watch" in page
    assert not Alarm.objects.exists()
