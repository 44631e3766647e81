"""The steps of a bulk send in the console: upload, match columns, check, send. Each error and each notice."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.audit.models import AuditEvent
from config.console.models import SpentNonce
from notifications.models import (
    BulkRow,
    BulkSend,
    BulkState,
    BulkTable,
    BulkTablePart,
    Channel,
    DailyCounter,
    LimitKind,
    Role,
    RowState,
    Service,
    Template,
    TemplateVersion,
)
from tests import factories
from tests.notifications.admin.bulk_uploads import (
    BAD_TABLE,
    BULK,
    TABLE,
    check,
    send,
    text_of,
    upload,
    url_of,
)
from tests.people import colleague

MAY_ALL = (Role.SEE_RECIPIENTS, Role.SEND_MESSAGES)


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    factories.make_reply_to(service, "tides@example.org")
    return factories.make_template(service, name="Reminder", content="Dear ((name)), see you.")


@pytest.fixture
def sender(service: Service) -> Client:
    return colleague(service, *MAY_ALL, name="mina")


def test_the_empty_list_explains_bulk_sends_and_has_a_button(sender: Client):
    page = text_of(sender.get(BULK))

    assert "No bulk sends yet. A bulk send sends one template to every row of a spreadsheet." in page
    assert "Create bulk send" in page


def test_a_table_is_uploaded_matched_checked_and_sent(sender: Client, template: Template):
    chosen = sender.get(f"{BULK}add/")
    answer = upload(sender, template)
    columns = sender.get(answer["Location"])
    bulk_send, checked = check(sender, template)

    sent = send(sender, bulk_send, checked)

    bulk_send.refresh_from_db()
    assert "Reminder" in text_of(chosen)
    assert "Check 2 rows" in text_of(columns)
    assert "2 rows checked, no problems found." in text_of(checked)
    assert "Row 2 to ana@example.com" in text_of(checked)
    assert "Send 2 emails" in text_of(checked)
    assert "2 emails will be sent now." in text_of(sent)
    assert (bulk_send.state, bulk_send.row_count, bulk_send.waiting) == (BulkState.PENDING, 2, 2)
    assert bulk_send.reply_to is not None
    assert DailyCounter.objects.get(kind=LimitKind.EMAIL).count == 2
    assert not BulkTablePart.objects.filter(table=bulk_send.pk).exists()
    assert BulkTable.objects.get(pk=bulk_send.pk).sample == []
    event = AuditEvent.objects.get(verb="sent")
    assert event.actor_label == "mina"
    assert "@" not in str(list(AuditEvent.objects.values_list("before", "after", "object_label")))


def test_cells_can_be_pasted(sender: Client, template: Template):
    answer = upload(sender, template, pasted="name\temail address\r\nAna\tana@example.com\r\n")

    page = text_of(sender.get(answer["Location"]))
    assert "Check 1 row" in page
    assert "Pasted on" in page


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"pasted": " "}, "Choose a file, or paste cells from a spreadsheet."),
        ({"pasted": 'email address\n"a'}, "Error converting to CSV: the quotation mark in row 2 is not closed"),
    ],
)
def test_an_upload_that_cannot_be_read_shows_the_reason_beside_its_field(
    sender: Client, template: Template, fields: dict[str, str], error: str
):
    answer = upload(sender, template, **fields)

    assert answer.status_code == 422
    assert text_of(answer).count(error) == 2  # beside the field and in the summary
    assert "Nothing was uploaded." in text_of(answer)
    assert (BulkSend.objects.count(), SpentNonce.objects.count()) == (0, 0)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\r\n\r\n", " \n".encode("utf-16")])
def test_an_empty_file_is_called_empty(sender: Client, template: Template, data: bytes):
    answer = upload(sender, template, data)

    assert answer.status_code == 422
    assert "The file is empty. Choose a file with the column names in its first row." in text_of(answer)
    assert not BulkSend.objects.exists()


def test_another_file_than_a_table_cannot_be_read(sender: Client, template: Template):
    answer = upload(sender, template, b"%PDF-1.7\n\0")

    assert "This file cannot be read. Save it as CSV (UTF-8) and upload it again." in text_of(answer)


def test_an_upload_is_refused_if_the_service_may_not_send_by_the_channel(service: Service, sender: Client):
    text_message = factories.make_template(service, Channel.SMS, "Hi")
    Service.objects.update(permissions=["email"])

    assert "Service is not allowed to send text messages" in text_of(
        upload(sender, text_message, "phone number\n07700900123\n")
    )


def test_an_upload_form_that_is_sent_twice_makes_one_draft(sender: Client, template: Template):
    url = f"{BULK}add/?template={template.pk}"
    form = {"nonce": sender.get(url).context["nonce"], "pasted": TABLE}

    answers = [sender.post(url, form), sender.post(url, form, follow=True)]

    assert BulkSend.objects.count() == 1
    assert "The table was uploaded once." in text_of(answers[1])


def test_the_example_file_has_the_needed_columns(sender: Client, template: Template):
    answer = sender.get(f"{BULK}example/?template={template.pk}")

    assert answer.getvalue().decode("utf-8-sig") == "email address,name\r\nana@example.com,(name)\r\n"


# Columns


@pytest.mark.parametrize(
    ("table", "headings"),
    [
        ("colour\n", ["There's a problem with your column names", "Your file is missing some rows"]),
        ("email address,name\n", ["Your file is missing some rows"]),
        (
            "email address\na@example.com\n",
            ["There's a problem with your column names", "No column has the name “name”."],
        ),
        (
            "email address,Email_Address,name\na@example.com,b@example.com,x\n",
            ["There's a problem with your column names", "“Email_Address” and “email address”"],
        ),
    ],
)
def test_problems_of_columns_and_rows_have_headings(
    sender: Client, template: Template, table: str, headings: list[str]
):
    page = text_of(sender.get(upload(sender, template, table)["Location"]))

    assert [heading for heading in headings if heading not in page] == []
    assert ("Choose a column" in page or "Choose one below" in page) == ("Which column holds what?" in page)


def test_too_many_rows_have_a_heading(sender: Client, template: Template, settings: Any):
    settings.BULK_MAX_ROWS = 1

    page = sender.get(upload(sender, template)["Location"])

    assert "Too many recipients Too many rows. Maximum number of rows allowed is 1." in text_of(page)
    assert "Check 2 rows" not in text_of(page)
    assert "Upload another file" in text_of(page)


def test_columns_with_other_names_can_be_chosen(sender: Client, template: Template):
    table = "who,mail\nAna,ana@example.com\nBea,\n"

    bulk_send, page = check(sender, template, table, **{"column-0": "1", "column-1": "0"})

    assert "Dear Ana, see you." in page.content.decode()
    assert [(cell.row, cell.column, cell.reason) for cell in page.context["errors"].cells] == [(3, "mail", "Missing")]
    assert BulkRow.objects.get(bulk_send=bulk_send, number=2).recipient == "ana@example.com"


def test_a_column_must_be_chosen_for_each_value(sender: Client, template: Template):
    upload(sender, template, "who,mail\nAna,ana@example.com\n")
    bulk_send = BulkSend.objects.get()

    answer = sender.post(url_of(bulk_send, "columns"), {"column-0": "1", "column-1": "9"})

    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"column-1"}


def test_two_spellings_and_a_guessed_encoding_have_notices(sender: Client, template: Template):
    table = "email address,name,NAME,town\nana@example.com,a,Zoë,x\n".encode("cp1252")

    page = text_of(sender.get(upload(sender, template, table)["Location"]))

    assert "several spellings of one column: “name”, “NAME”. We use the last one, “NAME”" in page
    assert "We read it as Windows-1252." in page
    assert "Ignored: town." in page


# The check


def test_faults_are_listed_by_row_and_column_and_block_until_they_are_left_out(sender: Client, template: Template):
    bulk_send, page = check(sender, template, BAD_TABLE)
    refused = send(sender, bulk_send, page)
    sent = send(sender, bulk_send, refused, leave_out="on")

    assert "You need to fix 1 email address and enter missing data in 1 row" in text_of(page)
    assert [(cell.row, cell.column, cell.value, cell.reason) for cell in page.context["errors"].cells] == [
        (4, "email address", "nobody", "Not a valid email address"),
        (5, "name", "", "Missing"),
    ]
    assert refused.status_code == 422
    assert "Leave out 2 rows : Correct the table, or tick this box to send to the others." in text_of(refused)
    assert "2 emails will be sent now." in text_of(sent)
    assert sorted(BulkRow.objects.filter(bulk_send=bulk_send).values_list("number", "state")) == [
        (2, RowState.WAITING),
        (3, RowState.WAITING),
        (4, RowState.LEFT_OUT),
        (5, RowState.LEFT_OUT),
    ]


def test_two_phone_numbers_to_fix_are_named_as_such(service: Service, sender: Client):
    template = factories.make_template(service, Channel.SMS, "Hi")

    _, page = check(sender, template, "phone number\n07700900460\n12\nx\n")

    assert "You need to fix 2 phone numbers" in text_of(page)


def test_faults_are_paged(sender: Client, template: Template):
    table = "email address,name\nana@example.com,Ana\n" + "x,Bad\n" * 45

    bulk_send, first = check(sender, template, table)
    second = sender.get(f"{url_of(bulk_send, 'check')}?after={first.context['errors'].next_after}")

    assert [cell.row for cell in first.context["errors"].cells] == [*range(3, 23)]
    assert [cell.row for cell in second.context["errors"].cells] == [*range(23, 43)]
    assert "Next page" in text_of(second)


def test_if_every_row_has_an_error_nothing_can_be_sent(sender: Client, template: Template):
    bulk_send, page = check(sender, template, "email address,name\nx,Ana\n")

    assert "Every row has a problem. Correct the table, then upload it again." in text_of(page)
    assert page.context["form"] is None
    assert sender.post(url_of(bulk_send, "check"), {"when": "now", "leave_out": "on"}).status_code == 422
    bulk_send.refresh_from_db()
    assert bulk_send.state == BulkState.DRAFT


def test_recipients_that_occur_twice_are_counted(sender: Client, template: Template):
    table = f"{TABLE}ANA@example.com,Ana\nana@example.com,Ana\nbea@example.com,B\n"

    _, page = check(sender, template, table)

    assert "2 email addresses occur more than once. These recipients will get several messages." in text_of(page)


def test_a_daily_limit_that_is_too_low_blocks_the_bulk_send(service: Service, sender: Client, template: Template):
    Service.objects.update(daily_limit_email=1)

    bulk_send, page = check(sender, template)

    assert "Too many recipients You only have 1 remaining messages before you reach your daily limit." in text_of(page)
    assert page.context["form"] is None
    assert sender.post(url_of(bulk_send, "check"), {"when": "now"}).status_code == 409


def test_a_daily_limit_that_others_have_used_up_since_the_check_is_an_error(sender: Client, template: Template):
    bulk_send, page = check(sender, template)
    day = timezone.now().date()
    DailyCounter.objects.create(service=template.service, day=day, kind=LimitKind.EMAIL, count=249_999)

    answer = send(sender, bulk_send, page)

    assert answer.status_code == 422
    assert "You only have 1 remaining messages" in text_of(answer)
    bulk_send.refresh_from_db()
    assert (bulk_send.state, SpentNonce.objects.count()) == (BulkState.DRAFT, 1)  # the nonce of the upload


def test_a_service_in_trial_names_recipients_outside_its_team_and_guest_list(
    service: Service, sender: Client, template: Template
):
    Service.objects.update(live=False)
    factories.make_guest(service, "ana@example.com")

    _, page = check(sender, template)

    assert "You cannot send to 1 email address This service is in trial." in text_of(page)
    assert "Send 1 email " in text_of(page)


# Sending


def test_a_bulk_send_can_be_sent_later_by_another_sender(service: Service, sender: Client, template: Template):
    other = factories.make_reply_to(service, "other@example.org", is_default=False)
    bulk_send, page = check(sender, template)
    tomorrow = timezone.localtime() + timedelta(days=1)

    answer = send(
        sender, bulk_send, page, when="later", scheduled_for=f"{tomorrow:%Y-%m-%dT%H:%M}", sender=str(other.pk)
    )

    bulk_send.refresh_from_db()
    assert "2 emails will be sent tomorrow at" in text_of(answer)
    assert bulk_send.state == BulkState.SCHEDULED
    assert bulk_send.scheduled_for == tomorrow.replace(second=0, microsecond=0)
    assert (bulk_send.reply_to, bulk_send.is_sender_chosen) == (other, True)


@pytest.mark.parametrize(
    ("days", "error"),
    [
        (None, "Enter a date and time."),
        (-1, "Enter a time in the future."),
        (8, "Enter a time within the next 7 days."),
    ],
)
def test_a_wrong_time_is_refused(sender: Client, template: Template, days: int | None, error: str):
    bulk_send, page = check(sender, template)
    moment = "" if days is None else f"{timezone.localtime() + timedelta(days=days):%Y-%m-%dT%H:%M}"

    answer = send(sender, bulk_send, page, when="later", scheduled_for=moment)

    assert answer.status_code == 422
    assert answer.context["form"].errors == {"scheduled_for": [error]}


def test_a_double_click_sends_once(sender: Client, template: Template):
    bulk_send, page = check(sender, template)

    send(sender, bulk_send, page)
    second = send(sender, bulk_send, page)

    assert second.redirect_chain[-1][0] == url_of(bulk_send, "change")
    assert DailyCounter.objects.get(kind=LimitKind.EMAIL).count == 2
    assert AuditEvent.objects.filter(verb="sent").count() == 1


def test_the_same_table_and_template_need_a_tick_within_a_day(sender: Client, template: Template):
    bulk_send, page = check(sender, template)
    send(sender, bulk_send, page)

    again, page = check(sender, template)
    refused = send(sender, again, page)
    sent = send(sender, again, refused, again="on")

    assert "This table was sent with this template " in text_of(page)
    assert refused.context["form"].errors.keys() == {"again"}
    assert "2 emails will be sent now." in text_of(sent)


def test_the_same_table_needs_no_tick_a_day_later_or_with_another_template(
    service: Service, sender: Client, template: Template
):
    bulk_send, page = check(sender, template)
    send(sender, bulk_send, page)
    _, other = check(sender, factories.make_template(service, content="Bye ((name))"))
    BulkSend.objects.update(accepted_at=timezone.now() - timedelta(hours=25))
    _, later = check(sender, template)

    assert (other.context["same"], later.context["same"]) == (None, None)


@pytest.mark.parametrize("change", ["template", "service"])
def test_a_changed_template_or_service_needs_a_new_check(
    service: Service, sender: Client, template: Template, change: str
):
    bulk_send, page = check(sender, template)
    if change == "template":
        TemplateVersion.objects.create(template=template, number=2, name="R", subject="S", content="Bye ((name))")
        Template.objects.filter(pk=template.pk).update(current_version=2)
    else:
        Service.objects.update(live=False)

    refused = send(sender, bulk_send, page)
    checked = sender.post(url_of(bulk_send, "check"), {"check": "yes"}, follow=True)

    assert refused.status_code == 409
    assert "The template or the service has changed since this check." in text_of(refused)
    if change == "template":
        assert "Bye Ana" in checked.content.decode()
        assert "2 emails will be sent now." in text_of(send(sender, bulk_send, checked))
        bulk_send.refresh_from_db()
        assert bulk_send.template_version == 2
    else:
        assert "You cannot send to 2 email addresses" in text_of(checked)


def test_rows_with_a_suppressed_recipient_are_counted(sender: Client, template: Template):
    factories.make_suppression(template.service, "ana@example.com")

    _, page = check(sender, template, f"{TABLE}ANA@example.com,Ana\n")

    assert "2 rows have a suppressed recipient. Their messages end as a permanent failure" in text_of(page)
