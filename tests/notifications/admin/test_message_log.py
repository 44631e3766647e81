"""The message log is read-only, masked, counted, and filtered by declared filters only."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import pytest
import time_machine
from django.contrib import admin
from django.contrib.admin.templatetags.admin_list import result_headers
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.console.admin.change_list import MAX_COUNTED
from config.console.templatetags import lists
from notifications.admin.messages import days, status_titles
from notifications.jobs import counting
from notifications.models import (
    Attachment,
    Channel,
    DailyCounter,
    KeyType,
    LimitKind,
    Notification,
    Role,
    Service,
    Status,
)
from tests import factories
from tests.notifications.download.sending import send_file
from tests.people import colleague

LOG = "/admin/notifications/notification/"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service):
    return factories.make_template(service, name="Tide table")


@pytest.fixture
def message(template):
    return factories.make_notification(
        template, recipient="ana@example.org", reference="case-7", body="Dear Ana **now**"
    )


@pytest.fixture
def viewer(service):
    """Return the client of a person who may see messages, but no recipients."""
    return colleague(service, Role.SEE_ACTIVITY)


def page_of(message, page="change"):
    return reverse(f"admin:notifications_notification_{page}", args=[message.pk])


def text_of(answer):
    return re.sub(r"<[^>]*>", " ", answer.content.decode())


def found(browser, query=""):
    return list(browser.get(f"{LOG}?{query}").context["cl"].result_list)


def counters(browser, query=""):
    return {
        counter["title"]: int(counter["shown"].replace(",", ""))
        for counter in browser.get(f"{LOG}?{query}").context["cl"].counters
    }


def test_the_list_shows_recipients_masked(viewer, message):
    page = viewer.get(LOG).content.decode()

    assert "a…@example.org" in page
    assert "ana@" not in page


def test_each_link_of_a_row_has_its_own_name(console, template):
    now = timezone.now()
    for recipient in ("ana@example.org", "ben@example.org"):
        factories.make_notification(template, recipient, created_at=now)

    page = console.get(LOG).content.decode()

    rows = re.findall(
        r'<a href="(/admin/notifications/notification/[^"/]+/change/[^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL
    )
    links = {(" ".join(re.sub("<[^>]*>", " ", name).split()), url) for url, name in rows}
    assert len({name for name, _ in links}) == len(links) == 4, links


def test_people_with_the_permission_see_recipients(service, message):
    page = colleague(service, Role.SEE_RECIPIENTS).get(LOG).content.decode()

    assert "ana@example.org" in page


def test_the_columns_show_message_sender_and_duration(viewer, template):
    key = factories.make_api_key(template.service, name="pay-live")
    factories.make_notification(
        template,
        api_key=key,
        reference="case-7",
        subject="High water",
        status=Status.DELIVERED,
        created_at=timezone.now() - timedelta(seconds=20),
        completed_at=timezone.now() - timedelta(seconds=18, milliseconds=500),
    )

    page = viewer.get(LOG).content.decode()

    for told in ("High water", "Tide table, version 1", "pay-live", "case-7", "1.5 s", "Delivered", "Email"):
        assert told in page


def test_a_column_without_a_value_on_the_page_is_hidden(viewer, message):
    may_be_empty = {"Reference", "Time taken"}
    Notification.objects.update(reference="r", completed_at=timezone.now())
    assert may_be_empty <= {title["text"] for title in headers_of(viewer)}

    Notification.objects.update(reference="", completed_at=None)

    assert not may_be_empty & {title["text"] for title in headers_of(viewer)}


def test_messages_are_grouped_by_local_day(viewer, template):
    with time_machine.travel("2026-07-16T08:00:00Z", tick=False):
        Service.objects.update(retention_days=90)
        for at in (
            "2026-07-15T23:30:00Z",  # today in London
            "2026-07-15T22:30:00Z",
            "2026-07-15T09:00:00Z",
            "2026-06-30T09:00:00Z",
        ):
            factories.make_notification(template, created_at=datetime.fromisoformat(at))
        page = viewer.get(LOG).content.decode()
        last_year = formats.heading(datetime(2025, 12, 31, tzinfo=UTC))

    days = re.findall(r'<th scope="colgroup" colspan="\d+">([^<]*)</th>|>(\d+:\d\d[ap]m)<', page)
    assert [day or time for day, time in days] == [
        *("Today", "12:30am"),
        *("Yesterday", "11:30pm", "10:00am"),
        *("30 June", "10:00am"),
    ]
    assert last_year == "31 December 2025"


def test_a_recipient_of_an_ordinary_length_is_never_broken(console, template):
    factories.make_notification(template, recipient="grace.hopper@department.example.org")

    assert "grace.hopper@department.example.org" in console.get(LOG).content.decode()


def headers_of(browser):
    return list(result_headers(browser.get(LOG).context["cl"]))


def test_a_message_from_the_console_names_its_sender(viewer, template):
    factories.make_notification(template, origin="console", created_by="mina@example.org")

    assert "mina@example.org" in viewer.get(LOG).content.decode()


@pytest.mark.fault("T1")
def test_there_is_no_search_by_url_and_no_lookup_by_recipient(console, message):
    assert not admin.site.get_model_admin(Notification).search_fields
    assert console.get(f"{LOG}?recipient__startswith=a").status_code == 400
    assert console.get(f"{LOG}?normalised_recipient=ana@example.org").status_code == 400
    assert console.get(f"{LOG}?service__name__startswith=a").status_code == 400


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("delivering", {"created"}),
        ("delivered", {"delivered", "sent"}),
        ("failed", {"permanent-failure", "technical-failure"}),
        ("technical-failure", {"technical-failure"}),
        ("sent", {"sent"}),
        ("no-such-status", {"created", "delivered", "sent", "permanent-failure", "technical-failure"}),
    ],
)
def test_the_list_is_filtered_by_a_group_of_statuses_or_an_exact_one(console, template, value, expected):
    for status in ("created", "delivered", "sent", "permanent-failure", "technical-failure"):
        factories.make_notification(template, status=status)

    assert {row.status for row in found(console, f"status={value}")} == expected


def test_the_counters_are_filters_that_keep_the_others(console, template):
    texts = factories.make_template(template.service, Channel.SMS)
    for status in (Status.CREATED, Status.SENDING, Status.DELIVERED, Status.PERMANENT_FAILURE):
        factories.make_notification(template, status=status)
    factories.make_notification(texts, status=Status.DELIVERED)

    assert counters(console) == {"All": 5, "Delivering": 2, "Delivered": 2, "Failed": 1}
    assert counters(console, "channel__exact=sms") == {"All": 1, "Delivering": 0, "Delivered": 1, "Failed": 0}
    chosen = console.get(f"{LOG}?channel__exact=email&status=failed").context["cl"].counters
    assert [counter["is_chosen"] for counter in chosen] == [False, False, False, True]
    assert {tuple(sorted(counter["url"].lstrip("?").split("&"))) for counter in chosen} == {
        ("channel__exact=email",),
        ("channel__exact=email", "status=delivering"),
        ("channel__exact=email", "status=delivered"),
        ("channel__exact=email", "status=failed"),
    }


@pytest.mark.usefixtures("noon")
def test_counting_stops_at_a_limit(console, template):
    factories.repeat_notification(factories.make_notification(template), MAX_COUNTED + 4)
    DailyCounter.objects.create(
        service=template.service, day=timezone.now().date(), kind=LimitKind.EMAIL, count=MAX_COUNTED + 5
    )

    # Without filters, the counts come from the statistics. These have no origin, so its filter counts rows.
    counting.count_recent()
    whole = {"All": 10_005, "Delivering": 10_005, "Delivered": 0, "Failed": 0}
    assert counters(console, "provider=&made=week") == whole
    assert counters(console, "made=..2000-01-01")["All"] == 0
    assert counters(console) == {"All": 10_005, "Delivering": 10_005, "Delivered": 0, "Failed": 0}
    page = console.get(f"{LOG}?origin__exact=api").content.decode()
    assert ">10,000+</b>" in page
    assert "more than 10000" not in page


def test_pages_have_the_newest_of_all_services_in_order(console, template):
    now, other = timezone.now(), factories.make_template()
    kinds = [(template, KeyType.LIVE, "created"), (other, KeyType.TEAM, "delivered"), (template, KeyType.TEAM, "sent")]
    made = [
        factories.make_notification(
            kinds[n % 3][0],
            key_type=kinds[n % 3][1],
            status=kinds[n % 3][2],
            created_at=now - timedelta(seconds=n),
        ).pk
        for n in range(120)
    ]

    first = console.get(LOG)
    second = console.get(LOG + first.context["cl"].older_url)
    third = console.get(LOG + second.context["cl"].older_url)
    second_again = console.get(LOG + third.context["cl"].newer_url)
    first_again = console.get(LOG + second_again.context["cl"].newer_url)

    pages = [[row.pk for row in page.context["cl"].result_list] for page in (first, second, third)]
    assert pages == [made[:50], made[50:100], made[100:]]
    assert [row.pk for row in second_again.context["cl"].result_list] == made[50:100]
    assert [row.pk for row in first_again.context["cl"].result_list] == made[:50]
    assert (first.context["cl"].newer_url, third.context["cl"].older_url) == ("", "")
    assert ("Older" in text_of(first), "Newer" in text_of(first)) == (True, False)


def test_new_messages_do_not_change_a_page(console, template):
    at = timezone.now() - timedelta(hours=1)
    made = [factories.make_notification(template, created_at=at - timedelta(seconds=n)).pk for n in range(60)]
    older = console.get(LOG).context["cl"].older_url

    for _ in range(3):
        factories.make_notification(template)

    assert [row.pk for row in found(console, older.lstrip("?"))] == made[50:]


def test_messages_of_one_moment_are_each_on_one_page(console, template):
    at = timezone.now() - timedelta(hours=1)
    made = {factories.make_notification(template, created_at=at).pk for _ in range(60)}

    first = console.get(LOG).context["cl"]
    second = found(console, first.older_url.lstrip("?"))

    assert {row.pk for row in [*first.result_list, *second]} == made
    assert len(second) == 10


def test_a_position_outlives_its_message(console, template):
    at = timezone.now() - timedelta(hours=1)
    made = [factories.make_notification(template, created_at=at - timedelta(seconds=n)).pk for n in range(60)]
    older = console.get(LOG).context["cl"].older_url
    Notification.objects.filter(pk=made[49]).delete()

    assert [row.pk for row in found(console, older.lstrip("?"))] == made[50:]


def test_a_filter_starts_at_the_first_page_and_pages_keep_filters(console, template):
    for n in range(60):
        factories.make_notification(template, created_at=timezone.now() - timedelta(seconds=n))

    older = console.get(f"{LOG}?channel__exact=email").context["cl"].older_url
    page = console.get(LOG + older)

    assert "channel__exact=email" in older
    assert all("older" not in counter["url"] for counter in page.context["cl"].counters)


@pytest.mark.parametrize("place", ["older=x", "newer=x.y", "older=20261120T120000000000.x", "older=%00"])
def test_an_invalid_position_is_rejected_with_a_text(console, message, place):
    answer = console.get(f"{LOG}?{place}", follow=True)

    assert answer.status_code == 200
    assert answer.redirect_chain == [(f"{LOG}?e=1", 302)]


@pytest.mark.parametrize("services", [1, 4])
def test_a_page_needs_the_same_statements_for_any_number_of_services(console, services):
    for _ in range(services):
        template = factories.make_template()
        for n in range(2):
            factories.make_notification(template, created_at=timezone.now() - timedelta(seconds=n))
    console.get(LOG)

    with CaptureQueriesContext(connection) as queries:
        listed = found(console)

    of_messages = [one["sql"] for one in queries if 'FROM "notifications_notification"' in one["sql"]]
    assert len(listed) == 2 * services
    assert len(of_messages) == 3  # positions, rows, and whether there are test messages; the page has all to count


@pytest.mark.parametrize("query", ["status=failed", "status=failed&older=20991119T120000000000.{id}"])
def test_a_status_that_no_message_has_is_not_searched_for(console, message, query):
    with CaptureQueriesContext(connection) as queries:
        listed = found(console, query.format(id=message.pk.hex))

    of_messages = [one["sql"] for one in queries if 'FROM "notifications_notification"' in one["sql"]]
    assert listed == []
    assert len(of_messages) == 2  # counters, and whether there are test messages


def test_a_message_of_the_last_minute_is_found_among_many(console, template):
    """The statistics do not have it yet."""
    factories.repeat_notification(factories.make_notification(template, status="delivered"), MAX_COUNTED + 1)
    counting.count_recent()
    failed = factories.make_notification(template, status="technical-failure")

    assert found(console, "status=failed") == found(console, "status=technical-failure") == [failed]
    assert counters(console)["Failed"] == 0


def test_the_log_shows_active_filters_and_removes_each(console, template):
    key = factories.make_api_key(template.service, name="pay-live")
    factories.make_notification(template, api_key=key)
    query = f"channel__exact=email&api_key__id__exact={key.pk}&made=2026-11-01..2026-11-20&status=no-such-status"

    page = console.get(f"{LOG}?{query}&older=20261119T120000000000.{key.pk.hex}")
    in_force = {one["title"]: one for one in lists.active_filters(page.context["cl"])}

    assert {title: one["value"] for title, one in in_force.items()} == {
        "channel": "Email",
        "API key": "pay-live",
        "date": "1 November 2026 to 20 November 2026",
    }
    without = dict(parse_qsl(in_force["channel"]["remove_url"].lstrip("?")))
    assert without == {"api_key__id__exact": str(key.pk), "made": "2026-11-01..2026-11-20", "status": "no-such-status"}
    assert 'aria-label="Active filters"' in page.content.decode()
    assert 'aria-label="Active filters"' not in console.get(LOG).content.decode()


def test_the_panel_of_filters_names_each_choice_once(console, message):
    factories.make_api_key(message.service)
    page = console.get(LOG).content.decode()
    panel = page[page.index('id="changelist-filter"') :]
    status = panel[panel.index('<section aria-label="Status">') :].partition("</section>")[0]
    choices = [choice.lower() for choice in re.findall(r">([^<>]+)</a>", status)]

    assert choices[:4] == ["all", "delivering", "delivered", "failed"]
    assert len(choices) == len(set(choices))
    assert re.findall(r'<section aria-label="(Date|Has a file|API key)">', panel) == ["Date", "API key", "Has a file"]


def test_test_messages_are_left_out_and_a_line_says_so(console, template):
    factories.make_notification(template)
    factories.make_notification(template, key_type=KeyType.TEST)

    page = console.get(LOG)

    assert [row.key_type for row in page.context["cl"].result_list] == ["live"]
    assert "Test messages are hidden." in page.content.decode()
    assert len(found(console, page.context["tests_url"].lstrip("?"))) == 2
    assert [row.key_type for row in found(console, "key_type=test")] == ["test"]


def test_without_test_messages_no_line_mentions_them(console, message):
    assert "Test messages are hidden." not in console.get(LOG).content.decode()


def test_the_list_is_filtered_by_template_key_provider_origin_and_file(console, service, message):
    key = factories.make_api_key(service)
    other = factories.make_template(service)
    mine = factories.make_notification(
        other, api_key=key, provider="sandbox", origin="console", status=Status.DELIVERED
    )
    filed = factories.make_notification(other)
    file = send_file(service).row
    Attachment.objects.filter(pk=file.pk).update(notification_id=filed.pk, created_at=filed.created_at)

    assert {row.pk for row in found(console, f"template__id__exact={other.pk}")} == {mine.pk, filed.pk}
    assert [row.pk for row in found(console, f"api_key__id__exact={key.pk}")] == [mine.pk]
    assert [row.pk for row in found(console, "provider=sandbox")] == [mine.pk]
    assert [row.pk for row in found(console, "origin__exact=console")] == [mine.pk]
    assert [row.pk for row in found(console, "file=yes")] == [filed.pk]


@pytest.mark.parametrize(
    ("made", "days_ago"),
    [
        ("today", {0}),
        ("week", {0, 3, 6}),
        ("2026-11-14..2026-11-17", {3, 6}),
        ("2026-11-17..", {0, 3}),
        ("..2026-11-16", {6, 7}),
        ("yesterday..tomorrow", {0, 3, 6, 7}),
    ],
)
def test_the_list_is_filtered_by_days(client, operator, template, made, days_ago):
    with time_machine.travel(NOW, tick=False):
        for days in (0, 3, 6, 7):
            factories.make_notification(template, created_at=NOW - timedelta(days=days))
        client.force_login(operator)

        rows = found(client, f"made={made}")

    assert {(NOW - row.created_at).days for row in rows} == days_ago


@pytest.mark.parametrize("made", ["9999-12-31..9999-12-31", "0001-01-01..", "..", "x" * 500])
def test_invalid_days_filter_nothing(console, message, made):
    assert len(found(console, f"made={made}")) == 1
    assert days.chosen(made) == (None, None)


@pytest.mark.parametrize(
    ("status", "channel", "words"),
    [
        (Status.PENDING, Channel.SMS, "Delivering"),
        (Status.SENT, Channel.SMS, "Sent, no receipt expected"),
        (Status.PERMANENT_FAILURE, Channel.EMAIL, "Email address does not exist"),
        (Status.PERMANENT_FAILURE, Channel.SMS, "Not delivered"),
        (Status.TEMPORARY_FAILURE, Channel.EMAIL, "Not accepted for now"),
        (Status.TECHNICAL_FAILURE, Channel.EMAIL, "Technical failure: we could not send it"),
    ],
)
def test_statuses_are_shown_in_words(console, status, channel, words):
    factories.make_notification(factories.make_template(channel=channel), status=status)

    page = console.get(LOG).content.decode()

    assert words in page
    assert f"<small>{status.value}</small>" not in page


def test_an_empty_log_links_to_the_form_for_a_message(service):
    browser = colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES)

    page = browser.get(LOG).content.decode()

    assert "No messages yet" in page
    assert f'href="{LOG}send/">Send a message' in page
    assert ">API keys</a>" in page
    assert "Messages are kept for 7 days." in page


def test_a_filter_without_messages_says_so(console, message):
    page = console.get(f"{LOG}?status=failed").content.decode()

    assert "No results. Change or clear the filters." in page
    assert "Clear filters" in page


def test_messages_past_the_services_retention_are_not_shown(viewer, template):
    old = factories.make_notification(template, created_at=timezone.now() - timedelta(days=9))

    assert found(viewer) == []
    assert viewer.get(page_of(old)).status_code == 404


@pytest.mark.parametrize("page", ["change", "delete"])
def test_nobody_changes_or_deletes_a_message(console, message, page):
    answer = console.post(page_of(message, page), {"post": "yes", "body": "other"})

    message.refresh_from_db()
    assert answer.status_code == 403
    assert message.body == "Dear Ana **now**"


def test_a_person_without_the_role_is_rejected(service, message):
    browser = colleague(service, Role.MANAGE_API)

    assert browser.get(LOG).status_code == 403
    assert browser.get(page_of(message)).status_code == 403
    assert browser.post(f"{LOG}search/", {"term": "case-7"}).status_code == 403


def test_messages_of_another_service_do_not_exist(message):
    stranger = colleague(factories.make_service(), Role.SEE_RECIPIENTS, Role.SEND_MESSAGES)

    assert found(stranger) == []
    for page in ("change", "history", "recipient"):
        assert stranger.get(page_of(message, page)).status_code == 404
    assert stranger.post(page_of(message, "recipient")).status_code == 404


def test_the_filter_has_each_status_once(console, service):
    factories.make_notification(factories.make_template(service))

    page = console.get(LOG, {"status": "delivered"}).content.decode()

    assert [page.count(f">{title}</a>") for title in status_titles.EXACT.values()] == [1] * len(status_titles.EXACT)
    assert set(status_titles.EXACT) == set(Status) - {Status.DELIVERED}  # its group has the same name
