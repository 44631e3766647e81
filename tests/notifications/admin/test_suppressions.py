"""Suppressions in the console: the list and its search, adding, importing, lifting, and the file."""

import csv
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.accounts.saved_search import SavedSearch
from config.audit.models import AuditEvent
from config.console import audit_sentences
from notifications.models import Role, Service, Suppression, SuppressionReason, SuppressionSource
from notifications.submission.suppressions import listing, tables
from tests.factories import make_notification, make_service, make_suppression, make_template
from tests.people import colleague

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST = "/admin/notifications/suppression/"
ADD, IMPORT, DOWNLOAD, SEARCH = (f"{LIST}{word}/" for word in ("add", "import", "download", "search"))
ANA = "ana@example.com"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


def page_of(row: Suppression, step: str = "change") -> str:
    return reverse(f"admin:notifications_suppression_{step}", args=[row.pk])


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def lines_of(answer: Any) -> list[list[str]]:
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(answer.getvalue().decode().splitlines()))


def sentences(**about: Any) -> list[str]:
    events = AuditEvent.objects.filter(**about)
    return [audit_sentences.sentence(event, audit_sentences.names_of([event])) for event in events]


def new(service: Service | None, recipient: str = ANA, **fields: str) -> dict[str, str]:
    where = str(service.pk) if service else "all"
    return {"where": where, "recipient": recipient, "note": "asked by phone", "expires_at": "", **fields}


def table(text: str, name: str = "list.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


# The list


def test_an_empty_list_says_what_belongs_there(console: Client, service: Service) -> None:
    page = text_of(console.get(LIST))

    assert (
        "Nobody is stopped. People to whom nothing more is sent appear here, also after a hard bounce or a complaint."
        in page
    )
    assert "Stop sending to a person" in page
    assert "Import CSV…" in page
    assert "Download CSV" not in page


def test_the_list_shows_why_since_until_and_where(console: Client, service: Service) -> None:
    message = make_notification(make_template(service))
    make_suppression(service, ANA, SuppressionReason.HARD_BOUNCE, notification_id=message.pk)
    make_suppression(None, "07700 900123", expires_at=NOON + timedelta(days=1), created_by="mina@example.org")

    page = text_of(console.get(LIST))

    for expected in (
        *(ANA, "Hard bounce", "Event of a provider", str(message.pk)[:8], "Email", "Tides", "Active"),
        *("07700 900123", "By hand", "Console", "Text message", "Whole installation", "by mina@example.org"),
        *("today at 12:00pm", "tomorrow at 12:00pm"),
    ):
        assert expected in page, expected


def test_the_list_is_filtered(console: Client, service: Service) -> None:
    make_suppression(service, "first@example.com", SuppressionReason.COMPLAINT)
    make_suppression(service, "second@example.com", lifted_at=NOON)
    past = NOON - timedelta(days=1)
    make_suppression(service, "third@example.com", created_at=past - timedelta(days=1), expires_at=past)
    make_suppression(service, "07700 900123")

    def listed(query: str) -> set[str]:
        page = text_of(console.get(f"{LIST}?{query}"))
        return {name for name in ("first", "second", "third", "07700 900123") if name in page}

    assert listed("state=active") == {"first", "07700 900123"}
    assert listed("state=lifted") == {"second"}
    assert listed("state=expired") == {"third"}
    assert listed("reason__exact=complaint") == {"first"}
    assert listed("channel__exact=sms") == {"07700 900123"}
    assert "Whole installation" in text_of(console.get(LIST))
    assert "No results. Change or clear the filters." in text_of(console.get(f"{LIST}?reason__exact=hard_bounce"))


@pytest.mark.parametrize("query", ["recipient__contains=ana", "normalised_recipient=ana@example.com"])
def test_the_url_reads_no_recipient(console: Client, service: Service, query: str) -> None:
    make_suppression(service, ANA)

    answer = console.get(f"{LIST}?{query}")

    assert answer.status_code == 400


def test_a_search_finds_a_whole_recipient_and_keeps_it_out_of_the_url(console: Client, service: Service) -> None:
    make_suppression(service, "07700 900123")
    make_suppression(service, ANA)

    answer = console.post(SEARCH, {"term": " +44 7700 900 123 "})
    found = text_of(console.get(answer.headers["Location"]))
    nobody = console.post(SEARCH, {"term": "nobody@example.com"})
    nothing = console.post(SEARCH, {"term": " "})

    assert re.fullmatch(rf"{LIST}\?search=[0-9a-f-]{{36}}", answer.headers["Location"])
    assert "07700 900123" in found
    assert ANA not in found
    assert "No results. Change or clear the filters." in text_of(console.get(nobody.headers["Location"]))
    assert nothing.headers["Location"] == LIST
    assert not any(b"7700" in bytes(one.encrypted_term) for one in SavedSearch.objects.all())
    assert ANA not in text_of(console.get(f"{LIST}?search=00000000-0000-0000-0000-000000000000"))


def test_the_search_of_another_person_finds_nothing(console: Client, service: Service) -> None:
    make_suppression(service, ANA)
    url = console.post(SEARCH, {"term": ANA}).headers["Location"]

    assert ANA not in text_of(colleague(service, Role.SEE_RECIPIENTS).get(url))


# One suppression


def test_the_page_leads_to_the_message(console: Client, service: Service) -> None:
    message = make_notification(make_template(service))
    row = make_suppression(service, ANA, SuppressionReason.UNSUBSCRIBE, notification_id=message.pk, note="5.1.1")

    answer = console.get(page_of(row))
    message.delete()
    later = text_of(console.get(page_of(row)))

    page = text_of(answer)
    for expected in (ANA, "Unsubscribed", "5.1.1", "Tides", "No end", "Active", "Open the message"):
        assert expected in page, expected
    assert "Only emails from which people can unsubscribe are suppressed." in page
    assert "The message is already deleted." in later


def test_a_suppression_is_lifted_with_a_reason(console: Client, service: Service) -> None:
    row = make_suppression(service, ANA, SuppressionReason.HARD_BOUNCE)
    make_suppression(service, ANA)

    asked = text_of(console.get(page_of(row, "lift")))
    without = text_of(console.post(page_of(row, "lift"), {"reason": ""}))
    row.refresh_from_db()
    assert row.is_active
    done = console.post(page_of(row, "lift"), {"reason": "mailbox works again"})
    again = text_of(console.post(page_of(row, "lift"), {"reason": "x"}))

    assert "A mail server reported that this email address cannot receive email." in asked
    assert "1 other suppression of this recipient stays active." in asked
    assert "This field is required." in without
    assert done.headers["Location"] == page_of(row)
    row.refresh_from_db()
    assert (row.lifted_at, row.lifted_by, row.lift_reason) == (NOON, "mina@example.org", "mailbox works again")
    assert "This suppression was lifted by mina@example.org today at 12:00pm." in again
    page = text_of(console.get(page_of(row)))
    assert "mailbox works again" in page
    assert "Change last day…" not in page
    assert sentences(verb="lifted") == ["mina@example.org lifted the suppression “a…@example.com”: mailbox works again"]


def test_the_last_day_is_changed_and_removed(console: Client, service: Service) -> None:
    row = make_suppression(service, ANA)

    past = text_of(console.post(page_of(row, "end"), {"expires_at": "2026-11-19"}))
    wrong = text_of(console.post(page_of(row, "end"), {"expires_at": "soon"}))
    console.post(page_of(row, "end"), {"expires_at": "2026-11-20"})
    row.refresh_from_db()
    until = row.expires_at
    shown = console.get(page_of(row, "end")).content.decode()
    console.post(page_of(row, "end"), {"expires_at": ""})

    row.refresh_from_db()
    assert "Choose today or a later day." in past
    assert "Enter a date in the form 2026-04-01." in wrong
    assert until == datetime(2026, 11, 21, tzinfo=UTC)
    assert 'value="2026-11-20"' in shown
    assert row.expires_at is None
    assert len(sentences(verb="changed", object_kind="suppression")) == 2


@pytest.mark.parametrize("step", ["lift", "end"])
def test_an_expired_suppression_has_no_steps(console: Client, service: Service, step: str) -> None:
    past = NOON - timedelta(days=1)
    row = make_suppression(service, ANA, created_at=past - timedelta(days=1), expires_at=past)

    assert "This suppression expired yesterday at 12:00pm." in text_of(console.get(page_of(row, step)))
    assert "Lift…" not in text_of(console.get(page_of(row)))


# Adding


def test_a_recipient_is_suppressed_by_hand(console: Client, service: Service) -> None:
    answer = console.post(ADD, new(service, " Ana@Example.com ", expires_at="2026-11-30"))
    twice = console.post(ADD, new(service), follow=True)

    row = Suppression.objects.get()
    assert answer.headers["Location"] == page_of(row)
    assert (row.service, row.recipient, row.normalised_recipient, row.channel) == (
        service, "Ana@Example.com", ANA, "email",
    )  # fmt: skip
    assert (row.reason, row.source, row.note, row.created_by) == (
        "manual", "console", "asked by phone", "mina@example.org",
    )  # fmt: skip
    assert row.expires_at is None  # the second one has no end
    assert "was suppressed by hand already. The later last day counts." in text_of(twice)
    assert sentences(verb="created", object_kind="suppression") == [
        "mina@example.org created the suppression “A…@Example.com”"
    ]


def test_an_operator_suppresses_for_the_whole_installation(console: Client, service: Service) -> None:
    console.post(ADD, new(None, "07700 900123"))

    row = Suppression.objects.get()
    assert (row.service, row.channel, row.normalised_recipient) == (None, "sms", "447700900123")
    assert "Whole installation" in text_of(console.get(page_of(row)))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"recipient": "ana@"}, "Enter an email address in the correct format, like name@example.com"),
        ({"recipient": "the office"}, "Enter an email address or a phone number."),
        ({"recipient": "0123"}, "Mobile number is too short"),
        ({"recipient": ""}, "This field is required."),
        ({"note": ""}, "This field is required."),
        ({"expires_at": "2026-11-19"}, "Choose today or a later day."),
        ({"where": "all"}, "Select a valid choice."),
        ({"where": ""}, "This field is required."),
    ],
)
def test_a_wrong_field_is_refused_and_what_was_typed_stays(
    service: Service, fields: dict[str, str], error: str
) -> None:
    manager = colleague(service, Role.MANAGE_SERVICE)

    answer = manager.post(ADD, {**new(service, "bo@example.com"), **fields})

    assert error in text_of(answer)
    assert fields.get("recipient", "bo@example.com") in answer.content.decode()
    assert not Suppression.objects.exists()


def test_another_service_cannot_be_chosen(service: Service) -> None:
    other = make_service(name="Another")
    manager = colleague(service, Role.MANAGE_SERVICE)

    assert "Another" not in manager.get(ADD).content.decode()
    assert "Select a valid choice." in text_of(manager.post(ADD, new(other)))
    assert "Select a valid choice." in text_of(manager.post(IMPORT, {"where": str(other.pk), "file": table("x")}))
    assert not Suppression.objects.exists()


# Import


def test_a_file_is_imported_as_a_whole(console: Client, service: Service) -> None:
    make_suppression(service, "known@example.com")
    past = NOON - timedelta(days=1)
    make_suppression(service, "over@example.com", created_at=past - timedelta(days=1), expires_at=past)
    text = (
        "Recipient;Reason;Last day;Colour\n"
        "Ana@Example.com;asked;2026-11-30;red\n"
        "07700 900123;;;\nana@example.com;;;\nknown@example.com;;;\nover@example.com;;;\n"
    )

    answer = console.post(IMPORT, {"where": str(service.pk), "file": table(text)}, follow=True)

    assert "3 recipients added." in text_of(answer)
    rows = {row.normalised_recipient: row for row in Suppression.objects.active()}
    assert rows.keys() == {ANA, "447700900123", "known@example.com", "over@example.com"}
    ana = rows[ANA]
    assert (ana.source, ana.note, ana.expires_at) == (
        SuppressionSource.IMPORT, "asked", datetime(2026, 12, 1, tzinfo=UTC),
    )  # fmt: skip
    assert sentences(verb="imported_suppressions") == ["mina@example.org imported suppressions of the service “Tides”"]
    assert AuditEvent.objects.get(verb="imported_suppressions").after == {"suppressions": 3}


def test_a_file_for_the_whole_installation(console: Client) -> None:
    console.post(IMPORT, {"where": "all", "file": table("email address\nana@example.com\n")})

    assert Suppression.objects.get().service is None
    assert sentences(verb="imported_suppressions") == ["mina@example.org imported suppressions of the installation all"]


def test_a_file_with_errors_names_the_rows_and_imports_nothing(console: Client, service: Service) -> None:
    text = f"recipient,reason,until\nana@,,\n,,\nbo@example.com,{'r' * 256},\nbo@example.com,,soon\nbo@example.com,,\n"

    page = text_of(console.post(IMPORT, {"where": str(service.pk), "file": table(text)}))

    assert "Nothing was imported: 4 rows cannot be read. Correct the file and send it again." in page
    assert "2 Enter an email address in the correct format, like name@example.com" in page
    assert "3 Missing recipient" in page
    assert "4 The reason has more than 255 characters" in page
    assert "5 The last day must be a date in the form 2026-04-01, today or later" in page
    assert not Suppression.objects.exists()


def test_many_errors_are_counted(console: Client, service: Service) -> None:
    text = "recipient\n" + "x@\n" * 23

    page = text_of(console.post(IMPORT, {"where": str(service.pk), "file": table(text)}))

    assert "21 Enter an email address" in page
    assert "22 Enter an email address" not in page
    assert "3 more rows with errors." in page


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("name\nAna\n", tables.NO_COLUMN),
        ("recipient\n", tables.NO_ROWS),
        ("recipient\n" + "a@example.com\n" * (listing.MAX_ROWS + 1), tables.TOO_MANY),
        ('recipient\n"ana@example.com\n', "the quotation mark in row 2 is not closed"),
        ("", "The submitted file is empty."),
    ],
)
def test_a_file_that_is_no_list_is_refused(console: Client, service: Service, text: str, error: str) -> None:
    page = text_of(console.post(IMPORT, {"where": str(service.pk), "file": table(text)}))

    assert error in page.replace("&quot;", '"')
    assert not Suppression.objects.exists()


# Roles and services


@pytest.mark.parametrize("role", list(Role))
def test_reading_needs_activity_and_changing_needs_managing(service: Service, role: Role) -> None:
    row = make_suppression(service, ANA)
    browser = colleague(service, role)
    may_read = role in {Role.SEE_ACTIVITY, Role.SEE_RECIPIENTS, Role.MANAGE_SERVICE}
    may_change = role == Role.MANAGE_SERVICE

    read = [browser.get(url).status_code for url in (LIST, page_of(row), DOWNLOAD)]
    steps = [browser.get(url).status_code for url in (ADD, IMPORT, page_of(row, "lift"), page_of(row, "end"))]
    browser.post(page_of(row, "lift"), {"reason": "x"})
    browser.post(ADD, new(service, "bo@example.com"))
    searched = browser.post(SEARCH, {"term": ANA}).status_code

    assert read == ([200] * 3 if may_read else [403] * 3)
    assert steps == ([200] * 4 if may_change else [403] * 4)
    row.refresh_from_db()
    assert row.is_active is not may_change
    assert Suppression.objects.filter(recipient="bo@example.com").exists() is may_change
    assert searched == (302 if role == Role.SEE_RECIPIENTS else 403)


def test_a_member_of_another_service_finds_nothing(service: Service) -> None:
    rows = [make_suppression(service, ANA), make_suppression(None, ANA)]
    stranger = colleague(make_service(), *Role)

    assert ANA not in text_of(stranger.get(LIST))
    for row in rows:
        for step in ("change", "lift", "end", "history"):
            assert stranger.get(page_of(row, step)).status_code == 404
        assert stranger.post(page_of(row, "lift"), {"reason": "x"}).status_code == 404
        row.refresh_from_db()
        assert row.is_active
    assert "There are no suppressions." in text_of(stranger.get(DOWNLOAD))


def test_recipients_are_masked_without_the_role_on_every_page_and_in_the_file(service: Service) -> None:
    row = make_suppression(service, ANA)
    may_not, sees = colleague(service, Role.MANAGE_SERVICE), colleague(service, Role.SEE_RECIPIENTS)

    for url in (LIST, page_of(row), page_of(row, "lift"), page_of(row, "end"), page_of(row, "history"), DOWNLOAD):
        assert ANA not in may_not.get(url).content.decode(), url
    assert "a…@example.com" in text_of(may_not.get(LIST))
    assert lines_of(may_not.post(DOWNLOAD))[1][0] == "a…@example.com"
    assert "Some recipients are masked" in text_of(may_not.get(DOWNLOAD))
    assert ANA in text_of(sees.get(LIST))
    assert lines_of(sees.post(DOWNLOAD))[1][0] == ANA


# The file


def test_the_file_has_the_filtered_rows_and_is_audited(console: Client, service: Service) -> None:
    make_suppression(service, ANA, SuppressionReason.HARD_BOUNCE, note="=5.1.1", created_at=NOON)
    make_suppression(None, "07700 900123")
    make_suppression(service, "bo@example.com", lifted_at=NOON, lifted_by="jo", lift_reason="works")

    asked = text_of(console.get(f"{DOWNLOAD}?state=active"))
    header, *rows = lines_of(console.post(f"{DOWNLOAD}?state=active"))

    assert "The CSV file has 2 suppressions within the filters of the list." in asked
    assert header[:5] == ["Recipient", "Channel", "Suppressed because", "Source", "Reason"]
    assert sorted(row[0] for row in rows) == ["07700 900123", ANA]
    ana = next(row for row in rows if row[0] == ANA)
    assert ana == [
        ANA, "email", "hard_bounce", "provider", "'=5.1.1", "", "Tides", "2026-11-20 12:00:00", "", "", "", "", "",
    ]  # fmt: skip
    assert sorted(sentences(verb="downloaded_suppressions")) == [
        "mina@example.org downloaded the suppressions of the installation all",
        "mina@example.org downloaded the suppressions of the service “Tides”",
    ]


def test_a_downloaded_file_can_be_imported_again(console: Client, service: Service) -> None:
    make_suppression(service, ANA, note="asked")
    data = console.post(DOWNLOAD).getvalue()
    other = make_service()

    console.post(IMPORT, {"where": str(other.pk), "file": SimpleUploadedFile("again.csv", data)})

    row = Suppression.objects.get(service=other)
    assert (row.recipient, row.note) == (ANA, "asked")
