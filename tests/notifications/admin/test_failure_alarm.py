"""A service's page offers an alarm on its failed messages. Source: docs/reference/alarms.md §5."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets import tasks
from datasets.alarms import measures, watching
from datasets.models import Alarm, AlarmMessage
from notifications.jobs import counting
from notifications.models import Role, Service, Status
from tests.datasets.making import make_data_set
from tests.factories import make_notification, make_service, make_template
from tests.people import browser_of, colleague, make_person

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
    assert "Tell me when failures pass 5 %" in first.get(address(service, "change")).content.decode()

    for browser in (first, second, second):
        page = browser.post(url, follow=True).content.decode()
        assert "You get an email when more than 5 %" in page

    alarm = Alarm.objects.get()
    assert (alarm.name, alarm.limit, str(alarm.data_set)) == ("Failures of Tides", 5, "signalbox/messages")
    assert len(alarm.email_addresses) == 2
    assert "2 people get a message when more than 5 %" in page
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
