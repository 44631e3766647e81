"""The overview: counts of 7 days, first steps, and clean-up. Source: docs/reference/console.md §2.1."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from config import formats
from config.jobs.models import RetentionRun
from config.queue import presence
from datasets.models import DataSetDay
from notifications.jobs.counting import RUNS
from notifications.models import BulkState, Channel, HourlyCount, KeyType, Role, Service, Status, TeamMember, Template
from tests.datasets.making import make_data_set
from tests.factories import make_api_key, make_bulk_send, make_notification, make_service, make_template
from tests.people import browser_of

pytestmark = [pytest.mark.usefixtures("noon"), pytest.mark.django_db]


def count(template: Template, status: Status, n: int, days: int = 0) -> None:
    day = datetime.now(UTC).date() - timedelta(days=days)
    HourlyCount.objects.create(
        hour=9,
        service=template.service,
        day=day,
        channel=template.type,
        template=template,
        key_type=KeyType.LIVE,
        status=status,
        n=n,
    )


def text_of(page: bytes) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.decode()).replace("\xa0", " ").split())


@pytest.fixture
def overview(console: Client) -> Callable[[], str]:
    return lambda: text_of(console.get("/admin/").content)


def join(service: Service, *roles: Role) -> Client:
    person = User.objects.create_user("ravi", password="a-long-password-1", is_staff=True)
    TeamMember.objects.create(service=service, user=person, roles=[role.value for role in roles])
    return browser_of(person)


def test_a_card_shows_the_number_of_messages_by_status(overview: Callable[[], str]) -> None:
    template = make_template()
    for status, n in (
        (Status.DELIVERED, 1000),
        (Status.SENT, 20),
        (Status.SENDING, 3),
        (Status.CREATED, 2),
        (Status.PERMANENT_FAILURE, 9),
        (Status.TECHNICAL_FAILURE, 1),
    ):
        count(template, status, n, days=6)
    count(template, Status.DELIVERED, 500, days=7)

    page = overview()

    assert "Emails sent 1,035" in page
    assert "delivering 5 delivered 1,020 failed 10 1%" in page
    assert "Test messages are not counted." in page
    assert "0 today" in page
    assert "107% more than the week before" in page
    assert "9 emails could not be delivered: the address" in page
    assert "1 email failed, because we could not send them" in page


@pytest.mark.parametrize(
    ("failed", "shown", "tone"),
    [
        (0, "0%", "quiet"),
        (10, "1%", "quiet"),
        (11, "1.1%", "warn"),
        (30, "3%", "warn"),
        (31, "3.1% high", "bad"),
    ],
)
def test_the_share_of_failures_is_grey_then_amber_then_red(console: Client, failed: int, shown: str, tone: str) -> None:
    template = make_template()
    count(template, Status.DELIVERED, 1000 - failed)
    count(template, Status.TEMPORARY_FAILURE, failed)

    page = console.get("/admin/").content.decode()

    assert f'<span class="sb-share sb-share-{tone}">{shown}</span>' in page


def test_there_is_a_bar_for_each_day(console: Client) -> None:
    template = make_template()
    count(template, Status.DELIVERED, 30, days=1)
    count(template, Status.PERMANENT_FAILURE, 10, days=1)

    page = console.get("/admin/").content.decode()

    assert page.count('class="sb-bar"') == 7 * len(Channel)
    assert "40 sent, 10 failed</title>" in page


def test_each_number_leads_to_the_log_with_its_filter(console: Client) -> None:
    template = make_template()
    count(template, Status.PERMANENT_FAILURE, 1)
    make_notification(template, status=Status.PERMANENT_FAILURE)
    make_notification(template, status=Status.DELIVERED)
    page = console.get("/admin/").content.decode()
    links = [
        link.replace("&amp;", "&") for link in re.findall(r'href="(/admin/notifications/notification/\?[^"]+)"', page)
    ]
    emails = [link for link in links if "channel__exact=email" in link]

    answers = {link: console.get(link) for link in emails}

    assert [answer.status_code for answer in answers.values()] == [200] * 5
    shown = {link: len(answer.context["cl"].result_list) for link, answer in answers.items()}
    assert sorted(shown.values()) == [0, 1, 1, 1, 2]


def test_the_overview_shows_the_chosen_service_only(console: Client, overview: Callable[[], str]) -> None:
    mine, other = make_template(make_service(name="Mine")), make_template(make_service(name="Other"))
    count(mine, Status.DELIVERED, 5)
    count(other, Status.DELIVERED, 7)
    assert "Emails sent 12" in overview()

    console.post("/admin/switch-service/", {"service": str(mine.service_id)})

    assert "Emails sent 5" in overview()
    assert other.name not in overview()


def test_a_member_sees_the_numbers_of_their_service_only() -> None:
    mine, other = make_template(), make_template()
    count(mine, Status.DELIVERED, 5)
    count(other, Status.DELIVERED, 7)
    client = join(mine.service, Role.SEE_ACTIVITY)

    page = text_of(client.get("/admin/").content)

    assert "Emails sent 5" in page
    assert "Data sets Records" not in page
    assert "Create a service" not in page


def test_templates_are_ranked_by_use(overview: Callable[[], str]) -> None:
    service = make_service(name="Pay")
    for n in (3, 30, 300, 7, 70, 700):
        count(make_template(service, name=f"T{n}"), Status.DELIVERED, n)

    assert re.search(r"T700 Pay 700 T300 Pay 300 T70 Pay 70 T30 Pay 30 T7 Pay 7 (?!T)", overview())


def test_the_overview_shows_when_the_messages_were_counted(overview: Callable[[], str]) -> None:
    assert "Not counted yet. Signalbox counts every minute" in overview()

    presence.note(RUNS, "here")

    assert "Counted " in overview()


def test_the_panel_of_data_sets_shows_writes_and_the_largest_data_sets(overview: Callable[[], str]) -> None:
    today = timezone.now().date()
    busy, quiet = make_data_set(type="busy"), make_data_set(type="quiet")
    for data_set, days, records, refused in (
        (busy, 0, 1200, 1),
        (busy, 6, 300, 2),
        (busy, 7, 5000, 9),
        (quiet, 3, 1, 0),
    ):
        DataSetDay.objects.create(
            data_set=data_set, day=today - timedelta(days=days), writes=1, records=records, refused=refused
        )
    type(busy).objects.filter(pk=busy.pk).update(record_count=6500)

    page = overview()

    assert "Records today 1,200" in page
    assert "Records in 7 days 1,501" in page
    assert "Refused 3" in page
    assert "Data sets written today 1 written" not in page
    assert "Data sets written today 1 of 2" in page
    assert f"Largest {busy} 6,500" in page


def test_late_data_sets_are_shown_above_the_numbers(overview: Callable[[], str]) -> None:
    late_since = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    make_data_set(type="hourly", late_since=late_since)
    make_data_set(type="in-time")

    shown = overview()

    assert "Late data sets" in shown
    assert f"hourly : late since {formats.spoken(late_since)}" in shown
    assert "in-time : late" not in shown


def test_without_late_data_sets_there_is_no_warning(overview: Callable[[], str]) -> None:
    make_data_set()

    assert "Late data sets" not in overview()


def test_finished_steps_are_ticked(console: Client, overview: Callable[[], str]) -> None:
    ticks = lambda: console.get("/admin/").content.decode().count('aria-label="done"')  # noqa: E731
    assert "Messages: first steps" in overview()
    seen = [ticks()]
    service = make_service()
    seen.append(ticks())
    template = make_template(service)
    seen.append(ticks())
    make_api_key(service, KeyType.TEST)
    seen.append(ticks())
    make_notification(template, key_type=KeyType.TEST)
    seen.append(ticks())

    assert seen == [0, 1, 2, 3, 4]
    make_notification(template, key_type=KeyType.TEST, status=Status.DELIVERED)
    assert "Messages: first steps" not in overview()
    assert "Data: first steps" in overview()


def test_a_step_without_permission_has_no_button() -> None:
    client = join(make_service(), Role.SEE_ACTIVITY)

    page = client.get("/admin/").content.decode()

    assert "Create a template" in page
    assert "/admin/notifications/template/add/" not in page


@pytest.mark.parametrize(
    ("hours", "error", "is_red", "words"),
    [
        (25, "", False, "No rule failed."),
        (27, "", True, "overdue, more than 26 hours ago"),
        (1, "OSError", True, "Failed: Messages (OSError)."),
    ],
)
def test_the_last_clean_up_is_red_when_it_failed_or_is_more_than_26_hours_ago(
    console: Client, hours: int, error: str, is_red: bool, words: str
) -> None:
    at = timezone.now() - timedelta(hours=hours)
    RetentionRun.objects.create(rule="old-messages", trigger="clock", started_at=at, finished_at=at, error=error)

    page = console.get("/admin/").content

    assert ("sb-note-error" in page.decode()) == is_red
    assert words in text_of(page).replace(" : ", ": ").replace(" ,", ",")


def test_the_overview_reads_counters_only(
    console: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    """However many messages there are, the page only queries whether one exists."""
    make_notification(status=Status.DELIVERED)

    with django_assert_max_num_queries(60) as queries:
        console.get("/admin/")

    asked = [query["sql"] for query in queries.captured_queries if "notifications_notification" in query["sql"]]
    assert asked
    assert all("LIMIT 1" in sql for sql in asked)


def test_officials_see_no_news_of_operators(db: None) -> None:
    client = join(make_service(), *Role)

    page = text_of(client.get("/admin/").content)

    for news in ("clean-up", "Clean-up", "worker", "View health"):
        assert news not in page, news


def test_the_reasons_of_failures_lead_to_these_messages(console: Client, overview: Callable[[], str]) -> None:
    template = make_template()
    count(template, Status.TEMPORARY_FAILURE, 1)
    count(template, Status.TEMPORARY_FAILURE, 4, days=8)
    failed = make_notification(template, status=Status.TEMPORARY_FAILURE)
    make_notification(template, status=Status.TECHNICAL_FAILURE)
    page = console.get("/admin/").content.decode()
    (link,) = re.findall(r'<a href="([^"]+)">1 email could not be delivered for now', page)

    found = console.get(link.replace("&amp;", "&")).context["cl"].result_list

    assert [row.pk for row in found] == [failed.pk]


def test_the_chosen_service_shows_what_is_scheduled(db: None) -> None:
    template = make_template()
    client = join(template.service, Role.SEE_ACTIVITY)
    assert "Scheduled" not in text_of(client.get("/admin/").content)
    later = timezone.now() + timedelta(hours=1)
    make_notification(template, status=Status.CREATED, attempt=0, scheduled_for=later, next_attempt_at=later)
    for state in (BulkState.SCHEDULED, BulkState.FINISHED):
        make_bulk_send(template, state=state)

    page = client.get("/admin/").content.decode()

    assert "Scheduled Messages wait for their time. 1 bulk send waits for the planned time." in text_of(page.encode())
    (link,) = re.findall(r'<a href="([^"]+)">Messages wait', page)
    assert len(client.get(link.replace("&amp;", "&")).context["cl"].result_list) == 1


def test_the_numbers_have_a_time_and_refresh_themselves(console):
    page = console.get("/admin/").content.decode()

    assert 'id="numbers" data-refresh="60"' in page
    assert "Updated <time" in page
    assert "console/refresh.js" in page
