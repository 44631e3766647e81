"""The page of a bulk send: counters, actions, downloads; and who may do what."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.audit.models import AuditEvent
from notifications.models import (
    BulkRow,
    BulkSend,
    BulkState,
    Notification,
    Role,
    RowState,
    Service,
    Status,
    Template,
)
from tests import factories
from tests.notifications.admin.bulk_uploads import BAD_TABLE, BULK, TABLE, check, send, text_of, upload, url_of
from tests.people import colleague

PAGES = ("change", "columns", "check", "pause", "resume", "move", "cancel", "retry-failed", "results", "bad-rows")


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    factories.make_reply_to(service)
    return factories.make_template(service, name="Reminder", content="Dear ((name)), see you.")


@pytest.fixture
def sender(service: Service) -> Client:
    return colleague(service, Role.SEE_RECIPIENTS, Role.SEND_MESSAGES, name="mina")


@pytest.fixture
def sent(sender: Client, template: Template) -> BulkSend:
    """Return a bulk send of four rows: two are left out, two wait."""
    bulk_send, page = check(sender, template, BAD_TABLE)
    send(sender, bulk_send, page, leave_out="on")
    bulk_send.refresh_from_db()
    return bulk_send


def make_messages(bulk_send: BulkSend, *statuses: Status) -> list[Notification]:
    """Make the messages of the first waiting rows, as a step does, with these statuses."""
    rows = bulk_send.rows.filter(state=RowState.WAITING).order_by("number")
    made = [
        factories.make_notification(
            bulk_send.template, row.recipient, bulk_row=row, status=status, completed_at=timezone.now()
        )
        for row, status in zip(rows, statuses, strict=False)
    ]
    BulkRow.objects.filter(notifications__in=made).update(state=RowState.MESSAGE)
    bulk_send.messages, bulk_send.waiting = len(made), bulk_send.waiting - len(made)
    bulk_send.state = BulkState.IN_PROGRESS if bulk_send.waiting else BulkState.FINISHED
    bulk_send.save()
    return made


def csv_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))


# The page


def test_only_people_who_may_open_the_log_get_links_to_it(service: Service, sender: Client, sent: BulkSend):
    log = reverse("admin:notifications_notification_changelist")
    other = colleague(service, Role.SEND_MESSAGES, name="idris")

    assert f'href="{log}?bulk_send={sent.pk}' in sender.get(url_of(sent, "change")).content.decode()
    assert f'href="{log}?bulk_send={sent.pk}' not in other.get(url_of(sent, "change")).content.decode()


def test_the_page_counts_messages_and_refreshes_itself(sender: Client, sent: BulkSend):
    make_messages(sent, Status.DELIVERED)

    page = sender.get(url_of(sent, "change"))

    assert [(counter.title, counter.number) for counter in page.context["counters"]] == [
        ("Waiting", 1),
        ("Delivering", 0),
        ("Delivered", 1),
        ("Failed", 0),
    ]
    assert "Sending 50% done" in text_of(page)
    assert 'data-refresh="5"' in page.content.decode()
    assert '<noscript><meta http-equiv="refresh"' in page.content.decode()
    assert "Rows left out 2" in text_of(page)


def test_a_finished_bulk_send_does_not_refresh_and_states_the_failed_share(sender: Client, sent: BulkSend):
    make_messages(sent, Status.DELIVERED, Status.PERMANENT_FAILURE)

    page = sender.get(url_of(sent, "change"))

    assert "Finished 100% done" in text_of(page)
    assert "1 Failed, 50%" in text_of(page)
    assert "data-refresh" not in page.content.decode()


def test_the_log_and_the_page_of_a_message_lead_to_the_bulk_send_and_back(
    sender: Client, sent: BulkSend, template: Template
):
    first, _ = make_messages(sent, Status.DELIVERED, Status.SENDING)
    factories.make_notification(template, "zoe@example.com")

    log = sender.get(sender.get(url_of(sent, "change")).context["log_url"])
    message = sender.get(f"/admin/notifications/notification/{first.pk}/change/")

    assert all(name in text_of(log) for name in ("ana@example.com", "bea@example.com", "people.csv"))
    assert "zoe@example.com" not in text_of(log)
    assert url_of(sent, "change") in message.content.decode()


def test_the_log_accepts_no_other_value_for_a_bulk_send(sender: Client, sent: BulkSend):
    make_messages(sent, Status.DELIVERED)
    other = factories.make_bulk_send()

    for value in ("x", str(other.pk)):
        answer = sender.get(f"/admin/notifications/notification/?bulk_send={value}")
        assert (answer.status_code, "ana@example.com" in text_of(answer)) == (200, False)


def test_the_list_has_filters_and_an_empty_result(sender: Client, sent: BulkSend, template: Template):
    upload(sender, template)

    listed = {word: text_of(sender.get(f"{BULK}?state={word}")) for word in ("draft", "sending", "paused")}

    assert "0 of 2" in listed["sending"]
    assert "Reminder (Email)" in listed["draft"]
    assert "No results. Change or clear the filters." in listed["paused"]


def test_a_draft_opens_at_its_step(sender: Client, template: Template):
    upload(sender, template)
    bulk_send = BulkSend.objects.get()
    before = sender.get(url_of(bulk_send, "change"))
    check(sender, template)

    checked = sender.get(url_of(BulkSend.objects.latest("created_at"), "change"))

    assert before["Location"] == url_of(bulk_send, "columns")
    assert checked["Location"].endswith("/check/")


# Actions


def test_pause_and_resume_say_how_many_messages_wait(sender: Client, sent: BulkSend):
    asked = text_of(sender.get(url_of(sent, "pause")))
    paused = sender.post(url_of(sent, "pause"), follow=True)
    sent.refresh_from_db()
    was_paused = sent.state
    again = text_of(sender.get(url_of(sent, "pause")))
    resumed = sender.post(url_of(sent, "resume"), follow=True)
    sent.refresh_from_db()

    assert "2 emails wait until you resume the bulk send." in asked
    assert "The bulk send is paused." in text_of(paused)
    assert was_paused == BulkState.PAUSED
    assert "This is no longer possible" in again
    assert "The bulk send continues." in text_of(resumed)
    assert sent.state == BulkState.PENDING
    assert list(AuditEvent.objects.filter(verb__in=["paused", "resumed"]).values_list("actor_label", flat=True)) == [
        "mina",
        "mina",
    ]


def test_cancel_the_rest_says_what_is_sent_already(sender: Client, sent: BulkSend):
    make_messages(sent, Status.DELIVERED)

    asked = text_of(sender.get(url_of(sent, "cancel")))
    done = text_of(sender.post(url_of(sent, "cancel"), follow=True))

    sent.refresh_from_db()
    assert "1 of 2 emails will not be sent. The others have been sent or are being sent now." in asked
    assert "1 email cancelled, 1 had already been sent." in done
    assert sent.state == BulkState.CANCELLED
    assert "This bulk send has ended. It cannot be changed." in text_of(sender.get(url_of(sent, "cancel")))


def test_a_scheduled_bulk_send_can_be_moved(sender: Client, template: Template):
    bulk_send, page = check(sender, template)
    first, second = (timezone.localtime() + timedelta(hours=hours) for hours in (5, 30))
    send(sender, bulk_send, page, when="later", scheduled_for=f"{first:%Y-%m-%dT%H:%M}")

    asked = text_of(sender.get(url_of(bulk_send, "move")))
    refused = sender.post(url_of(bulk_send, "move"), {"scheduled_for": "2020-01-01T09:00"})
    moved = sender.post(url_of(bulk_send, "move"), {"scheduled_for": f"{second:%Y-%m-%dT%H:%M}"}, follow=True)

    sender.post(url_of(bulk_send, "pause"))
    resume = text_of(sender.get(url_of(bulk_send, "resume")))

    bulk_send.refresh_from_db()
    assert f"2 emails wait. They are sent {formats.on(bulk_send.scheduled_for)}." in resume
    assert "2 emails are scheduled for" in asked
    assert "Enter a time in the future." in text_of(refused)
    assert "The bulk send is now scheduled for" in text_of(moved)
    assert bulk_send.scheduled_for == second.replace(second=0, microsecond=0)


def test_failed_messages_are_sent_again_as_a_new_bulk_send(sender: Client, sent: BulkSend):
    make_messages(sent, Status.TECHNICAL_FAILURE, Status.PERMANENT_FAILURE)

    asked = text_of(sender.get(url_of(sent, "retry-failed")))
    done = sender.post(url_of(sent, "retry-failed"), follow=True)

    again = sent.retries.get()
    assert "1 email could not be sent because of temporary or technical failures." in asked
    assert "Send 1 email again" in asked
    assert "1 email will be sent again. This is the new bulk send." in text_of(done)
    assert (again.row_count, again.rows.get().recipient) == (1, "ana@example.com")
    assert "No message of this bulk send can be sent again." in text_of(sender.get(url_of(sent, "retry-failed")))
    assert "Failed messages were sent again" in text_of(sender.get(url_of(sent, "change")))


# Downloads


def test_the_results_have_every_row_with_its_columns_and_message(sender: Client, sent: BulkSend):
    first, _ = make_messages(sent, Status.DELIVERED, Status.SENDING)

    asked = text_of(sender.get(url_of(sent, "results")))
    rows = csv_of(sender.post(url_of(sent, "results")))

    at = f"{first.completed_at:%Y-%m-%d %H:%M:%S}"
    assert "The CSV file has 4 rows, with recipients." in asked
    assert rows[0] == ["row", "email address", "name", "status", "time (UTC)", "message id"]
    assert rows[1] == ["2", "ana@example.com", "Ana", "delivered", at, str(first.pk)]
    assert rows[2][:4] == ["3", "bea@example.com", "Bea", "sending"]
    assert rows[3] == ["4", "nobody", "Cy", "left out", "", ""]
    event = AuditEvent.objects.get(verb="downloaded_results_of")
    assert event.after == {"rows": 4}


def test_a_bulk_send_without_bad_rows_has_none_to_download(sender: Client, template: Template):
    bulk_send, _ = check(sender, template, "email address,name\nana@example.com,Ana\n")

    for answer in (sender.get(url_of(bulk_send, "bad-rows")), sender.post(url_of(bulk_send, "bad-rows"))):
        assert "No row was left out, so there is nothing to download." in text_of(answer)


def test_a_corrected_download_of_the_bad_rows_can_be_uploaded(sender: Client, template: Template):
    table = 'email address,name\nana@example.com,Ana\n=cmd,"+1, x"\n\ndee@example.com,\n'
    bulk_send, _ = check(sender, template, table)

    content = b"".join(sender.post(url_of(bulk_send, "bad-rows")).streaming_content)
    corrected = (
        content.decode("utf-8-sig")
        .replace("'=cmd", "cy@example.com")
        .replace("dee@example.com,", "dee@example.com,Dee")
    )
    again, _ = check(sender, template, corrected)

    assert content.decode("utf-8-sig").splitlines() == [
        "email address,name,row,problem",
        "'=cmd,\"'+1, x\",3,email address: Not a valid email address",
        ",,4,email address: Missing; name: Missing",
        "dee@example.com,,5,name: Missing",
    ]
    assert [row.cells[:2] for row in again.rows.filter(state=RowState.WAITING).order_by("number")] == [
        ["cy@example.com", "+1, x"],
        ["dee@example.com", "Dee"],
    ]
    assert AuditEvent.objects.get(verb="downloaded_bad_rows_of").after == {"rows": 3}


def test_a_template_that_redacts_personalisation_hides_values(sender: Client, template: Template):
    Template.objects.update(redact_personalisation=True)
    bulk_send, page = check(sender, template, "email address,name\nana@example.com,Ana\nx,Secretary\n")
    columns = sender.get(url_of(bulk_send, "columns"))
    bad = csv_of(sender.post(url_of(bulk_send, "bad-rows")))
    send(sender, bulk_send, page, leave_out="on")
    results = csv_of(sender.post(url_of(bulk_send, "results")))

    shown = text_of(page) + text_of(columns) + str(bad) + str(results)
    assert "Ana" not in shown.replace("ana@", "")
    assert "Secretary" not in shown
    assert "Personal details are hidden, as set in the template." in text_of(page)
    assert bad[1][:2] == ["x", "[hidden]"]
    assert results[1][1:3] == ["ana@example.com", "[hidden]"]


# Roles


def test_people_who_see_activity_read_with_masked_recipients(service: Service, sender: Client, template: Template):
    reader = colleague(service, Role.SEE_ACTIVITY)
    bulk_send, _ = check(sender, template, BAD_TABLE)

    page = reader.get(url_of(bulk_send, "check"))

    assert "a…@example.com" in text_of(page)
    assert "•••••" in text_of(page)  # the wrong email address of row 4
    assert "ana@example.com" not in page.content.decode()
    assert "nobody" not in page.content.decode()
    assert "Download the bad rows" not in text_of(page)
    assert (page.context["form"], page.context["may_send"]) == (None, False)
    assert reader.post(url_of(bulk_send, "check"), {"when": "now"}).status_code == 403
    assert "Create bulk send" not in text_of(reader.get(BULK))
    for word in ("columns", "pause", "resume", "move", "cancel", "retry-failed", "results", "bad-rows"):
        assert reader.get(url_of(bulk_send, word)).status_code == 403, word
    assert reader.get(f"{BULK}add/?template={template.pk}").status_code == 403


def test_people_who_send_but_do_not_see_recipients_get_no_sample_and_no_downloads(service: Service, template: Template):
    person = colleague(service, Role.SEND_MESSAGES)

    bulk_send, page = check(person, template, BAD_TABLE)
    columns = person.get(url_of(bulk_send, "columns"))

    assert "ana@example.com" not in page.content.decode() + columns.content.decode()
    assert "Send 2 emails" in text_of(page)
    for word in ("results", "bad-rows"):
        assert person.post(url_of(bulk_send, word)).status_code == 403


def test_a_member_of_another_service_gets_404_as_for_a_missing_one(sender: Client, sent: BulkSend, template: Template):
    stranger = colleague(factories.make_service(name="Other"), *Role)

    for word in PAGES:
        for answer in (stranger.get(url_of(sent, word)), stranger.post(url_of(sent, word))):
            assert answer.status_code == 404, word
    assert stranger.get(f"{BULK}add/?template={template.pk}").status_code == 404
    assert "people.csv" not in text_of(stranger.get(BULK))


def test_recipients_are_neither_in_the_audit_nor_in_a_log(
    sender: Client, template: Template, capsys: pytest.CaptureFixture[str]
):
    bulk_send, page = check(sender, template, TABLE)
    send(sender, bulk_send, page)
    sender.post(url_of(bulk_send, "results"))
    sender.post(url_of(bulk_send, "cancel"))

    events = AuditEvent.objects.filter(service_id=template.service_id)
    assert {"uploaded", "checked", "sent", "downloaded_results_of", "cancelled"} <= set(
        events.values_list("verb", flat=True)
    )
    assert "example.com" not in str(list(events.values()))
    assert "example.com" not in capsys.readouterr().out
