"""The page Reports: messages and costs by month, failures by reason, times to deliver, each with a CSV file."""

import html
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from datasets import store
from datasets.models import DataSet
from notifications.admin.statistics import tables
from notifications.jobs import counting
from notifications.models import (
    CallKind,
    CallResult,
    CallsOfHour,
    Channel,
    HourlyCalls,
    HourlyCount,
    KeyType,
    Role,
    Status,
    TeamMember,
)
from tests import factories
from tests.cleaning import clean_up
from tests.people import browser_of, colleague, join, make_person

PAGE, SWITCH = "/admin/notifications/statistics/", "/admin/switch-service/"
NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


@pytest.fixture
def service():
    return factories.make_service(name="Tides", retention_days=3)


@pytest.fixture
def text(service):
    return factories.make_template(service, Channel.SMS, name="Gate code")


def count(template, day, status, n, units=0):
    HourlyCount.objects.create(hour=9,
        service=template.service, day=day, channel=template.type, template=template, key_type=KeyType.LIVE,
        status=status, n=n, units=units,
    )  # fmt: skip


def rows(browser, slug):
    (table,) = [one["table"] for one in browser.get(PAGE).context["tables"] if one["table"].slug == slug]
    return table.rows


def test_messages_are_summed_by_month_and_template_newest_first(service, text):
    email = factories.make_template(service, name="=Tide table")
    count(text, NOON.date(), Status.DELIVERED, 7)
    count(text, NOON.date() - timedelta(days=1), Status.PERMANENT_FAILURE, 2)
    count(text, NOON.date(), Status.CANCELLED, 1)
    count(email, NOON.date() - timedelta(days=20), Status.SENDING, 4)
    count(email, NOON.date() - timedelta(days=366), Status.SENDING, 9)
    count(factories.make_template(factories.make_service()), NOON.date(), Status.DELIVERED, 5)
    browser = colleague(service, Role.SEE_ACTIVITY)

    assert rows(browser, "messages") == [
        ("2026-07", "Tides", "Text message", "Gate code", 10, 0, 7, 2),
        ("2026-06", "Tides", "Email", "=Tide table", 4, 4, 0, 0),
    ]
    page = browser.get(PAGE).content.decode()
    assert "July 2026 so far: 10 messages. June 2026: 4 messages." in page
    assert '<td data-label="Month">June 2026</td>' in page
    lines = browser.get(f"{PAGE}messages.csv").getvalue().decode().splitlines()
    assert lines[0] == "Month,Service,Channel,Template,Messages,Delivering,Delivered,Failed"
    assert lines[2] == "2026-06,Tides,Email,'=Tide table,4,4,0,0"


def test_parts_are_charged_and_outlive_the_messages(service, text, clock, settings):
    settings.SMS_RATE = Decimal("0.02")
    factories.make_notification(text, status=Status.DELIVERED, sent_at=NOON, parts=3, rate_multiplier=2)
    factories.make_notification(text, status=Status.TECHNICAL_FAILURE, parts=5, rate_multiplier=1)
    factories.make_notification(text, key_type=KeyType.TEST, status=Status.DELIVERED, sent_at=NOON, parts=1)
    counting.count_day(service.pk, NOON.date())
    assert tables.of_services([service])[1].rows == [("2026-07", "Tides", 2, 6, "0.12")]

    clock.move_to(NOON + timedelta(days=8))
    clean_up("old-messages")
    counting.count_day(service.pk, NOON.date())
    assert tables.of_services([service])[1].rows == [("2026-07", "Tides", 2, 6, "0.12")]


def test_messages_deleted_before_their_day_was_counted_are_charged(service, text, clock):
    factories.make_notification(text, status=Status.DELIVERED, sent_at=NOON, parts=3, rate_multiplier=2)
    clock.move_to(NOON + timedelta(days=8))

    clean_up("old-messages")

    assert list(HourlyCount.objects.values_list("n", "units")) == [(1, 6)]


def test_failures_have_the_reasons_of_the_message_log(service, text):
    factories.make_notification(text, status=Status.PERMANENT_FAILURE)
    factories.make_notification(text, status=Status.PERMANENT_FAILURE)
    factories.make_notification(text, status=Status.TEMPORARY_FAILURE)
    factories.make_notification(text, status=Status.DELIVERED)
    factories.make_notification(text, status=Status.TEMPORARY_FAILURE, created_at=NOON - timedelta(days=8))
    counting.count_recent()

    assert rows(colleague(service, Role.SEE_ACTIVITY), "failures") == [
        ("Text message", "Not delivered", "permanent-failure", 2),
        ("Text message", "Not accepted for now", "temporary-failure", 1),
    ]


def test_each_number_of_failures_links_to_its_messages(service, text):
    for status in (Status.PERMANENT_FAILURE, Status.PERMANENT_FAILURE, Status.TEMPORARY_FAILURE, Status.DELIVERED):
        factories.make_notification(text, status=status)
    counting.count_recent()
    browser = colleague(service, Role.SEE_ACTIVITY)

    links = re.findall(r'href="([^"]+)">(\d+)</a></td>', browser.get(PAGE).content.decode())

    found = [len(browser.get(html.unescape(url)).context["cl"].result_list) for url, _ in links]
    assert found == [int(number) for _, number in links] == [2, 1]


def test_times_are_the_median_and_the_95th_percentile_of_each_provider(service, text):
    for seconds in range(1, 101):
        factories.make_notification(
            text, status=Status.DELIVERED, provider="gateway", due_at=NOON, sent_at=NOON,
            completed_at=NOON + timedelta(seconds=seconds),
        )  # fmt: skip
    factories.make_notification(text, status=Status.DELIVERED)  # a test number: no provider
    counting.count_day(service.pk, NOON.date())

    assert rows(colleague(service, Role.SEE_ACTIVITY), "times") == [
        ("gateway", "Text message", 100, "50 seconds", "1 minute 35 seconds")
    ]


def test_the_file_of_all_hours_has_the_counts_of_the_persons_services(service, text):
    for template in (text, factories.make_template(factories.make_service(name="Locks"))):
        factories.make_notification(
            template, status=Status.DELIVERED, provider="gateway", sent_at=NOON, due_at=NOON,
            completed_at=NOON + timedelta(seconds=3), parts=2, rate_multiplier=1,
        )  # fmt: skip
    counting.count_recent()

    lines = colleague(service, Role.SEE_ACTIVITY).get(f"{PAGE}hours.csv").getvalue().decode().splitlines()

    assert lines == [
        "hour,service,service_id,channel,template,template_id,key_type,status,provider,count,parts,cost,seconds_p50,"
        "seconds_p95",
        f"2026-07-20T12:00Z,Tides,{service.pk},sms,Gate code,{text.pk},live,delivered,gateway,1,2,0.0,3.0,3.0",
    ]


def calls_of(service, number):
    key = CallsOfHour(service.pk, NOON, CallKind.REQUEST, "live", CallResult.ACCEPTED)
    callback = key._replace(kind=CallKind.CALLBACK, name="message.sent", result=CallResult.GIVEN_UP)
    old = key._replace(at=NOON - timedelta(days=9))
    HourlyCalls.objects.add({key: number, key._replace(at=NOON - timedelta(hours=1)): 1, callback: number, old: 50})


def test_requests_and_callbacks_of_the_last_days_are_summed_by_result(service):
    calls_of(service, 5)
    calls_of(factories.make_service(), 100)

    assert rows(colleague(service, Role.SEE_ACTIVITY), "calls") == [
        ("Callback", "message.sent", "Given up", 5),
        ("Request", "live", "Accepted", 6),
    ]


@pytest.fixture
def figures(service, text):
    """Two services whose figures differ in every table and file."""
    other = factories.make_service(name="Locks")
    for template, number in ((text, 3), (factories.make_template(other, Channel.SMS, name="Lock code"), 4)):
        count(template, NOON.date(), Status.PERMANENT_FAILURE, number, units=number)
        calls_of(template.service, number)
    return other


FILES = ("messages", "costs", "failures", "calls", "hours")


def shown(browser):
    """Return the page and all of its files as one text, or the status if they are refused."""
    answers = [browser.get(PAGE), *(browser.get(f"{PAGE}{name}.csv") for name in FILES)]
    (status,) = {answer.status_code for answer in answers}
    if status != 200:
        return status
    return "".join((one.getvalue() if one.streaming else one.content).decode() for one in answers)


@pytest.mark.parametrize("role", [Role.SEE_ACTIVITY, Role.SEE_RECIPIENTS, Role.MANAGE_SERVICE])
def test_a_member_sees_the_figures_of_their_service_and_of_no_other(service, figures, role):
    seen = shown(colleague(service, role))

    assert "Gate code" in seen
    assert not {"Locks", "Lock code", str(figures.pk)} & set(re.split('[<>,\n"]', seen))


@pytest.mark.parametrize("role", [Role.SEND_MESSAGES, Role.EDIT_TEMPLATES, Role.MANAGE_API])
def test_a_member_without_a_role_that_sees_activity_sees_no_figures(service, figures, role):
    assert shown(colleague(service, role)) == 403


def test_a_person_of_two_services_sees_one_at_a_time_and_none_after_leaving(service, figures):
    person = make_person("mia")
    join(person, service, Role.MANAGE_SERVICE)
    member = join(person, figures, Role.SEND_MESSAGES)
    browser = browser_of(person)
    browser.post(SWITCH, {"service": str(figures.pk)})
    assert shown(browser) == 403  # another role in the service that is chosen

    browser.post(SWITCH, {"service": str(service.pk)})
    seen = shown(browser)
    assert "Gate code" in seen
    assert "Lock code" not in seen

    TeamMember.objects.exclude(pk=member.pk).delete()
    assert shown(browser) == 403


def test_an_operator_sees_the_figures_of_all_services(console, figures):
    assert {"Gate code", "Lock code"} <= set(re.split('[<>,\n"]', shown(console)))


def test_members_of_a_service_cannot_open_the_data_sets_with_the_figures_of_all(service, figures):
    store.statistics.fill()
    browser = colleague(service, Role.MANAGE_SERVICE, Role.SEE_ACTIVITY)

    for data_set in DataSet.objects.filter(is_of_product=True):
        assert browser.get(f"/admin/datasets/dataset/{data_set.pk}/change/").status_code in (403, 404)
        assert Client().get(f"/data/{data_set}").status_code == 401


def test_the_page_names_the_data_set_with_the_same_figures(service):
    assert "data set signalbox/messages" in colleague(service, Role.SEE_ACTIVITY).get(PAGE).content.decode()


def test_an_empty_service_has_a_text_instead_of_each_table(service):
    browser = colleague(service, Role.SEE_ACTIVITY)

    page = browser.get(PAGE).content.decode()

    assert page.count('class="sb-empty"') == 5
    assert "Download CSV" not in page


def test_operators_see_all_services_and_others_only_theirs(console, service, text):
    count(text, timezone.now().date(), Status.DELIVERED, 1)
    stranger = colleague(factories.make_service(), Role.SEE_ACTIVITY)

    assert len(rows(console, "messages")) == 1
    assert rows(stranger, "messages") == []
    assert "Tides" not in stranger.get(f"{PAGE}messages.csv").getvalue().decode()


def test_the_page_needs_a_role_and_an_unknown_table_is_not_found(service):
    for place in (PAGE, f"{PAGE}messages.csv", f"{PAGE}hours.csv"):
        assert browser_of(make_person()).get(place).status_code == 403
    assert colleague(service, Role.SEE_ACTIVITY).get(f"{PAGE}nothing.csv").status_code == 404
