"""Unsubscribe requests in the console: permissions, marking as done, and the file for a spreadsheet."""

import csv
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.audit.models import AuditEvent
from config.console import audit_sentences
from config.jobs.models import BulkJobRun
from notifications.models import CallbackDelivery, CallbackKind, Role, Service, Template, UnsubscribeRequest
from tests.factories import (
    make_callback,
    make_notification,
    make_service,
    make_template,
    make_unsubscribe_request,
)
from tests.people import browser_of, colleague, join, make_person

pytestmark = pytest.mark.django_db

LIST = "/admin/notifications/unsubscriberequest/"
DOWNLOAD = f"{LIST}download/"
ASKED_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
MAY_MARK = (Role.SEND_MESSAGES, Role.MANAGE_SERVICE)


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides", unsubscribe_request_days=90)


@pytest.fixture
def template(service: Service) -> Template:
    return make_template(service, name="Tide table", unsubscribe_link=True)


def page_of(row: UnsubscribeRequest, step: str = "change") -> str:
    return reverse(f"admin:notifications_unsubscriberequest_{step}", args=[row.pk])


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def lines_of(answer: Any) -> list[list[str]]:
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(answer.getvalue().decode().splitlines()))


def chosen(*rows: UnsubscribeRequest, **fields: str) -> dict[str, Any]:
    return {"action": "mark_chosen_done", "_selected_action": [str(row.pk) for row in rows], **fields}


def sentences(**about: Any) -> list[str]:
    events = AuditEvent.objects.filter(**about)
    return [audit_sentences.sentence(event, audit_sentences.names_of([event])) for event in events]


# The list


def test_an_empty_list_says_what_belongs_there(console: Client, service: Service) -> None:
    page = text_of(console.get(LIST))

    assert "One appears here when a recipient confirms that they want no more emails." in page
    assert "Download CSV" not in page


def test_the_list_shows_recipient_time_and_template(console: Client, template: Template) -> None:
    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        make_unsubscribe_request(template)
        make_unsubscribe_request(template, "bo@example.com", done_at=timezone.now(), done_by="mina@example.org")

    page = text_of(console.get(LIST))

    for expected in ("ana@example.com", "bo@example.com", "Tide table", formats.spoken(ASKED_AT), "Waiting", "Done"):
        assert expected in page
    assert formats.spoken(ASKED_AT - timedelta(days=7)) in page  # the time of the email


def test_the_list_is_filtered_by_day_template_and_state(console: Client, service: Service, template: Template) -> None:
    other = make_template(service, name="Storm warning")
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    make_unsubscribe_request(template, "first@example.com", created_at=at)
    make_unsubscribe_request(other, "second@example.com", created_at=at - timedelta(days=1))
    make_unsubscribe_request(other, "third@example.com", created_at=at, done_at=at)

    def listed(query: str) -> set[str]:
        page = text_of(console.get(f"{LIST}?{query}"))
        return {name for name in ("first", "second", "third") if f"{name}@example.com" in page}

    assert listed("created_at__year=2026&created_at__month=11&created_at__day=21") == {"first", "third"}
    assert listed("created_at__year=2026&created_at__month=11&created_at__day=20") == {"second"}
    assert listed(f"template__id__exact={other.pk}") == {"second", "third"}
    assert listed("state=waiting") == {"first", "second"}
    assert listed("state=done") == {"third"}


def test_nothing_of_a_redacted_message_is_shown(console: Client, service: Service) -> None:
    template = make_template(service, content="Dear ((name))", redact_personalisation=True)
    message = make_notification(template, body="Dear SECRETNAME", subject="For SECRETNAME")
    row = make_unsubscribe_request(template, notification_id=message.id)

    for url in (LIST, page_of(row)):
        assert "SECRETNAME" not in console.get(url).content.decode()


# Roles and services


@pytest.mark.parametrize("role", list(Role))
def test_reading_needs_activity_and_marking_needs_sending_or_managing(template: Template, role: Role) -> None:
    row = make_unsubscribe_request(template)
    browser = colleague(template.service, role)
    may_read = role in {Role.SEE_ACTIVITY, Role.SEE_RECIPIENTS, *MAY_MARK}

    answers = [browser.get(url).status_code for url in (LIST, page_of(row), DOWNLOAD)]
    marked = browser.post(page_of(row, "done")).status_code
    many = browser.post(LIST, chosen(row))

    assert answers == ([200, 200, 200] if may_read else [403, 403, 403])
    assert marked == (302 if role in MAY_MARK else 403)
    row.refresh_from_db()
    assert (row.done_at is not None) == (role in MAY_MARK)
    assert "Mark unsubscribe requests as done" not in text_of(many) or role in MAY_MARK


def test_recipients_are_masked_without_the_role_on_every_page_and_in_the_file(template: Template) -> None:
    row = make_unsubscribe_request(template)
    sees = colleague(template.service, Role.SEE_RECIPIENTS)
    may_not = colleague(template.service, Role.MANAGE_SERVICE)

    for url in (LIST, page_of(row)):
        assert "ana@example.com" in text_of(sees.get(url))
        assert "a…@example.com" in text_of(may_not.get(url))
    assert "ana@example.com" in sees.post(DOWNLOAD).getvalue().decode()
    hidden = may_not.post(DOWNLOAD).getvalue().decode() + text_of(may_not.post(LIST, chosen(row)))
    assert "a…@example.com" in hidden
    assert "ana@example.com" not in hidden


def test_requests_of_another_service_do_not_exist(template: Template) -> None:
    row, own = make_unsubscribe_request(template), make_service()
    stranger = colleague(own, *Role)

    assert "ana@example.com" not in stranger.get(LIST).content.decode()
    assert {stranger.get(page_of(row, step)).status_code for step in ("change", "done", "history")} == {404}
    assert stranger.post(page_of(row, "done")).status_code == 404
    stranger.post(LIST, chosen(row, step="1"))
    assert lines_of(stranger.post(DOWNLOAD))[1:] == []
    row.refresh_from_db()
    assert row.done_at is None


def test_a_person_of_two_services_has_the_permissions_of_the_chosen_one(template: Template) -> None:
    other = make_template()
    first, second = make_unsubscribe_request(template), make_unsubscribe_request(other, "bo@example.com")
    person = make_person()
    join(person, template.service, Role.SEE_ACTIVITY)
    join(person, other.service, Role.SEE_RECIPIENTS, Role.SEND_MESSAGES)
    browser = browser_of(person)

    assert "a…@example.com" in text_of(browser.get(page_of(first)))
    assert "bo@example.com" in text_of(browser.get(page_of(second)))
    assert [browser.post(page_of(row, "done")).status_code for row in (first, second)] == [403, 302]


# One request


def test_the_page_links_to_the_message_while_it_exists(console: Client, template: Template) -> None:
    message = make_notification(template)
    row = make_unsubscribe_request(template, notification_id=message.id)
    message_url = reverse("admin:notifications_notification_change", args=[message.pk])

    with_message = console.get(page_of(row)).content.decode()
    on_message = console.get(message_url).content.decode()
    message.delete()
    without = console.get(page_of(row)).content.decode()

    assert f'href="{message_url}"' in with_message
    assert f'href="{page_of(row)}"' in on_message
    assert "waiting" in on_message
    assert "The message is already deleted" in without
    assert message_url not in without


def test_the_page_of_a_message_without_a_request_mentions_none(console: Client, template: Template) -> None:
    message = make_notification(template)

    page = text_of(console.get(reverse("admin:notifications_notification_change", args=[message.pk])))

    assert "Unsubscribe request " not in page.replace("Unsubscribe requests", "")


# Marking as done


def test_one_request_is_marked_as_done_with_the_person(console: Client, template: Template) -> None:
    row = make_unsubscribe_request(template)
    looked = text_of(console.get(page_of(row, "done")))
    row.refresh_from_db()
    assert row.done_at is None

    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        answer = console.post(page_of(row, "done"))
        again = text_of(console.post(page_of(row, "done")))

    row.refresh_from_db()
    assert "Signalbox suppresses them only for emails from which people can unsubscribe." in looked
    assert "Signalbox deletes the request 90 days later." in looked
    assert answer.headers["Location"] == page_of(row)
    assert (row.done_at, row.done_by) == (datetime(2026, 11, 21, 9, 30, tzinfo=UTC), "mina@example.org")
    assert "mina@example.org marked this request as done today at 9:30am." in again
    assert f"{formats.spoken(ASKED_AT)} by mina@example.org" in text_of(console.get(page_of(row)))
    assert sentences(verb="marked_done") == ["mina@example.org marked the unsubscribe request “a…@example.com” as done"]


def test_chosen_open_requests_are_marked_after_a_confirmation(console: Client, template: Template) -> None:
    rows = [make_unsubscribe_request(template, f"person{number}@example.com") for number in range(3)]
    done = make_unsubscribe_request(template, "done@example.com", done_at=timezone.now(), done_by="bo@example.org")

    asked = text_of(console.post(LIST, chosen(*rows[:2], done)))
    assert not UnsubscribeRequest.objects.filter(done_by="mina@example.org").exists()
    answer = console.post(LIST, chosen(*rows[:2], done, step="1"), follow=True)

    assert "Mark 2 requests as done" in asked
    assert "done@example.com" not in asked
    assert "2 unsubscribe requests marked as done." in text_of(answer)
    marked = UnsubscribeRequest.objects.filter(done_by="mina@example.org")
    assert set(marked.values_list("pk", flat=True)) == {row.pk for row in rows[:2]}
    assert AuditEvent.objects.filter(verb="marked_done", service_id=template.service_id).count() == 2


def test_all_matching_requests_need_the_number_that_was_shown(console: Client, template: Template) -> None:
    rows = [make_unsubscribe_request(template) for _ in range(3)]
    everything = chosen(rows[0], select_across="1", number="3")
    make_unsubscribe_request(template)

    refused = console.post(f"{LIST}?state=waiting", {**everything, "step": "1"})
    assert "The number of matching rows has changed" in text_of(refused)
    assert not UnsubscribeRequest.objects.exclude(done_at=None).exists()
    console.post(f"{LIST}?state=waiting", {**everything, "number": "4", "step": "1"})

    assert UnsubscribeRequest.objects.exclude(done_at=None).count() == 4


def test_more_than_a_thousand_requests_are_marked_in_the_background(
    console: Client, template: Template, settings: Any
) -> None:
    settings.CELERY_TASK_ALWAYS_EAGER = True
    UnsubscribeRequest.objects.bulk_create(
        UnsubscribeRequest(
            service=template.service,
            template=template,
            notification_id=uuid.uuid4(),
            recipient="ana@example.com",
            email_created_at=timezone.now(),
        )
        for _ in range(1_001)
    )
    first = UnsubscribeRequest.objects.all()[0]

    console.post(LIST, chosen(first, select_across="1", number="1001", step="1", job_id=str(uuid.uuid4())))

    run = BulkJobRun.objects.get()
    assert (run.kind, run.total) == ("mark-unsubscribe-requests-done", 1_001)


# The file


def test_the_file_has_a_line_for_each_request_and_the_download_is_audited(console: Client, template: Template) -> None:
    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        row = make_unsubscribe_request(template)
        done = make_unsubscribe_request(template, "bo@example.com", done_at=timezone.now(), done_by="mina@example.org")
        UnsubscribeRequest.objects.filter(pk=done.pk).update(created_at=timezone.now() - timedelta(days=1))

    asked = text_of(console.get(DOWNLOAD))
    assert not AuditEvent.objects.exists()
    answer = console.post(DOWNLOAD)

    assert "Download 2 unsubscribe requests" in asked
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="unsubscribe-requests-')
    assert "no-store" in answer.headers["Cache-Control"]
    header, first, second = lines_of(answer)
    assert dict(zip(header, first, strict=True)) == {
        "Requested at (UTC)": "2026-11-21 09:30:00",
        "Email address": "ana@example.com",
        "Service": "Tides",
        "Template": "Tide table",
        "Template id": str(template.pk),
        "Email sent at (UTC)": "2026-11-14 09:30:00",
        "Message id": str(row.notification_id),
        "Done at (UTC)": "",
        "Done by": "",
    }
    assert second[-2:] == ["2026-11-21 09:30:00", "mina@example.org"]
    (event,) = AuditEvent.objects.all()
    assert (event.service_id, event.after) == (template.service_id, {"name": "Tides", "requests": 2})
    assert sentences(pk=event.pk) == ["mina@example.org downloaded the unsubscribe requests of the service “Tides”"]


def test_the_file_has_the_filtered_requests(console: Client, template: Template) -> None:
    make_unsubscribe_request(template)
    make_unsubscribe_request(make_template(template.service), "bo@example.com", done_at=timezone.now())

    listed = console.get(f"{LIST}?state=waiting").content.decode()
    waiting = lines_of(console.post(f"{DOWNLOAD}?state=waiting"))

    assert f'href="{DOWNLOAD}?state=waiting"' in listed
    assert [line[1] for line in waiting[1:]] == ["ana@example.com"]
    assert console.get(f"{DOWNLOAD}?template__id__exact=x").status_code == 302
    assert console.get(f"{DOWNLOAD}?recipient__startswith=a").status_code == 400


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(console: Client, service: Service, start: str) -> None:
    formula = f"{start}HYPERLINK(1)"
    make_unsubscribe_request(make_template(service, name=formula), f"{start}1@example.com", done_by=formula)

    text = console.post(DOWNLOAD).getvalue().decode()

    (line,) = list(csv.reader(text.split("\r\n", 1)[1:], lineterminator="\r\n"))
    assert (line[1], line[3], line[8]) == (f"'{start}1@example.com", f"'{formula}", f"'{formula}")


def test_the_file_needs_a_recent_sign_in(console: Client, template: Template) -> None:
    make_unsubscribe_request(template)

    session = console.session
    session["proved_at"] -= 31 * 60
    session.save()

    answer = console.post(DOWNLOAD)

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/admin/confirm/")
    assert not AuditEvent.objects.filter(verb="downloaded_unsubscribe_requests").exists()


def test_the_audit_of_each_service_has_its_own_part_of_an_operators_file(console: Client, template: Template) -> None:
    other = make_template()
    for one, number in ((template, 2), (other, 1)):
        for _ in range(number):
            make_unsubscribe_request(one)

    assert len(lines_of(console.post(DOWNLOAD))) == 4

    counted = {event.service_id: (event.after or {})["requests"] for event in AuditEvent.objects.all()}
    assert counted == {template.service_id: 2, other.service_id: 1}


# Callbacks


def test_the_delivery_log_names_the_request_and_masks_its_recipient(console: Client, service: Service) -> None:
    endpoint = make_callback(service, kind=CallbackKind.UNSUBSCRIBE_REQUEST)
    row = make_unsubscribe_request(make_template(service))
    CallbackDelivery.objects.owe_unsubscribe_request(row)
    delivery = CallbackDelivery.objects.get(endpoint=endpoint)
    page = reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])
    may_not = colleague(service, Role.SEE_ACTIVITY)

    log = text_of(console.get("/admin/notifications/callbackdelivery/"))

    assert f"Unsubscribe request {str(row.pk)[:8]}" in log
    assert "ana@example.com" in console.get(page).content.decode()
    masked = may_not.get(page).content.decode()
    assert "a…@example.com" in masked
    assert "ana@example.com" not in masked


def test_the_form_of_a_callback_offers_the_kind(console: Client, service: Service) -> None:
    page = console.get("/admin/notifications/callbackendpoint/add/").content.decode()

    assert 'value="unsubscribe_request"' in page
