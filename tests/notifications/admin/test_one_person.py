"""The pages *One person*: find, export and erase what is stored about a recipient."""

import csv
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from config.accounts.saved_search import SavedSearch
from config.audit.models import AuditEvent
from config.audit.reads import ReadEvent
from config.console import audit_sentences
from config.erased import ERASED
from config.jobs import runner
from config.jobs.models import BulkJobRun
from notifications.admin.one_person.job import ERASE
from notifications.models import BulkRow, Notification, Role, Service, Status
from notifications.one_person import kinds
from notifications.one_person.person import Person
from tests.factories import make_bulk_send, make_guest, make_notification, make_service, make_suppression, make_template
from tests.people import colleague

pytestmark = pytest.mark.django_db

FIND = "/admin/notifications/person/"
ANA = "ana@example.com"


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def found(client: Client, recipient: str = ANA) -> str:
    """Search for a recipient and return the URL of the result."""
    return client.post(FIND, {"recipient": recipient}).headers["Location"]


def finish() -> BulkJobRun:
    """Work on the job as a worker does, and return it."""
    run = BulkJobRun.objects.get()
    assert not runner.work(run, ERASE)
    run.refresh_from_db()
    return run


def test_the_page_counts_by_kind_under_a_url_without_the_recipient(console: Client, service: Service) -> None:
    make_notification(make_template(service), ANA, status=Status.SENT)
    make_notification(make_template(service), "bo@example.com")
    make_guest(service, ANA)

    url = found(console, " Ana@Example.com ")
    page = text_of(console.get(url))

    assert "ana" not in url.lower()
    assert "Messages 1" in page
    assert "Guest list entries 1" in page
    assert "Suppressions" not in page.partition("Stored in all services")[2].partition("Export")[0]


def test_nothing_stored_has_a_sentence(console: Client) -> None:
    assert "Nothing is stored about this recipient in all services." in text_of(console.get(found(console)))


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("", "Enter a phone number or an email address."),
        ("ana@", "Enter an email address in the correct format"),
        ("123", "Mobile number is too short"),
    ],
)
def test_a_wrong_recipient_has_an_error(console: Client, typed: str, error: str) -> None:
    answer = console.post(FIND, {"recipient": typed})

    assert answer.status_code == 200
    assert error in text_of(answer)
    assert "Nothing was searched." in text_of(answer)
    assert not SavedSearch.objects.exists()


@pytest.mark.parametrize("form", ["json", "csv"])
def test_an_export_is_confirmed_and_audited_without_the_recipient(console: Client, service: Service, form: str) -> None:
    sent = make_notification(make_template(service), ANA, body="Your permit")
    url = f"{found(console)}export/{form}/"

    assert f"Export as {form.upper()}" in text_of(console.get(url))
    content = console.post(url).getvalue().decode()

    if form == "json":
        assert [row["id"] for row in json.loads(content)["messages"]] == [str(sent.pk)]
    else:
        assert next(csv.DictReader(content.splitlines()))["Text"] == "Your permit"
    event = AuditEvent.objects.get(verb="exported_person")
    assert ANA not in str(vars(event))
    assert "exported the data of" in audit_sentences.sentence(event, audit_sentences.names_of([event]))


def test_the_read_log_has_who_opened_and_exported_without_the_recipient(console: Client, service: Service) -> None:
    url = found(console)
    assert not ReadEvent.objects.exists()  # the search alone shows nothing

    console.get(url)
    console.post(f"{url}export/csv/").getvalue()

    opened, exported = ReadEvent.objects.order_by("id")
    assert (opened.object_kind, exported.object_kind) == ("person", "person_export")
    assert opened.object_id == exported.object_id == Person.parse(ANA).hash.removeprefix("hmac:")
    assert ANA not in f"{vars(opened)} {vars(exported)}"
    page = text_of(console.get(reverse("admin:operations_readevent_changelist"), {"kind": "person"}))
    assert f"Person {opened.object_id[:8]}" in page
    assert f"Person export {opened.object_id[:8]}" in page


def test_the_read_log_has_the_service_that_was_searched(service: Service) -> None:
    client = colleague(service, Role.MANAGE_SERVICE, Role.SEE_RECIPIENTS)

    client.get(found(client))

    assert ReadEvent.objects.get().service_id == service.pk


@pytest.mark.parametrize("page", ["", "export/json/"])
def test_a_page_that_does_not_open_is_not_in_the_read_log(console: Client, service: Service, page: str) -> None:
    url = found(console)
    other = colleague(service, Role.MANAGE_SERVICE, Role.SEE_RECIPIENTS)

    assert other.get(f"{url}{page}").status_code == other.post(f"{url}{page}").status_code == 404
    assert not ReadEvent.objects.exists()


def test_erasing_runs_as_a_job_with_a_proof_in_the_audit(console: Client, service: Service) -> None:
    message = make_notification(make_template(service), ANA)
    make_suppression(service, ANA)
    url = found(console)

    answer = console.post(f"{url}erase/", {"recipient": "ANA@example.com", "case": "DPR-7"})
    run = finish()

    assert answer.headers["Location"] == reverse("admin:operations_bulkjobrun_change", args=[run.pk])
    assert run.error == ""
    message.refresh_from_db()
    assert (message.recipient, message.status) == (ERASED, Status.CANCELLED)
    event = AuditEvent.objects.get(verb="erased_person")
    assert (event.reason, event.after) == (
        "DPR-7",
        {"messages": 1, "cancelled_messages": 1, "suppressions": 1, "saved_searches": 1},
    )
    assert ANA not in f"{vars(run)} {vars(event)}"
    assert console.get(url).status_code == 404
    page = text_of(console.get(answer.headers["Location"]))
    assert "erased. The audit has the number of each kind." in page
    assert "Erased" in text_of(console.get(found(console)))
    assert "erased the data of" in text_of(console.get(reverse("admin:operations_auditevent_changelist")))


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"recipient": "bo@example.com"}, "Enter the phone number or email address that is shown above."),
        ({"recipient": ""}, "Enter the phone number or email address that is shown above."),
        ({"recipient": ANA, "case": f"wish of {ANA}"}, "The case reference must not contain the recipient"),
    ],
)
def test_erasing_needs_the_recipient_again(
    console: Client, service: Service, values: dict[str, str], error: str
) -> None:
    make_notification(make_template(service), ANA)

    answer = console.post(f"{found(console)}erase/", values)

    assert error in text_of(answer)
    assert "Nothing was erased." in text_of(answer)
    assert not BulkJobRun.objects.exists()


@pytest.mark.parametrize("page", ["export/csv/", "erase/"])
def test_export_and_erasure_need_a_recent_sign_in(console: Client, service: Service, page: str) -> None:
    make_notification(make_template(service), ANA)
    url = found(console)
    session = console.session
    session["proved_at"] = 0.0
    session.save()

    answer = console.post(f"{url}{page}", {"recipient": ANA})

    assert answer.headers["Location"].startswith("/admin/confirm/")
    assert Notification.objects.get().recipient == ANA


def test_a_manager_who_sees_recipients_erases_in_their_service_only(service: Service) -> None:
    own = make_notification(make_template(service), ANA)
    other = make_notification(make_template(), ANA)
    client = colleague(service, Role.MANAGE_SERVICE, Role.SEE_RECIPIENTS)
    url = found(client)

    assert "Stored in Tides" in text_of(client.get(url))
    client.post(f"{url}erase/", {"recipient": ANA})
    assert finish().error == ""

    own.refresh_from_db()
    other.refresh_from_db()
    assert (own.recipient, other.recipient) == (ERASED, ANA)
    assert AuditEvent.objects.get(verb="erased_person").service_id == service.pk


@pytest.mark.parametrize("roles", [[Role.MANAGE_SERVICE], [Role.SEE_RECIPIENTS], [Role.SEE_ACTIVITY]])
def test_one_role_alone_opens_nothing(service: Service, roles: list[Role]) -> None:
    client = colleague(service, *roles)

    assert client.get(FIND).status_code == 403
    assert client.post(FIND, {"recipient": ANA}).status_code == 403
    assert FIND not in client.get("/admin/").content.decode()


def test_the_search_of_somebody_else_is_404(console: Client, service: Service) -> None:
    url = found(console)
    client = colleague(service, Role.MANAGE_SERVICE, Role.SEE_RECIPIENTS)

    for page in ("", "erase/", "export/csv/"):
        assert client.get(f"{url}{page}").status_code == 404


def test_the_rows_of_bulk_sends_are_found_by_an_index(service: Service) -> None:
    bulk_send = make_bulk_send(make_template(service))
    names = [f"p{number}@example.com" for number in range(2_000)]
    BulkRow.objects.bulk_create(
        BulkRow(bulk_send=bulk_send, number=number, recipient=name, normalised_recipient=name)
        for number, name in enumerate(names)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    plans = [kinds.named("bulk_rows").rows(Person.parse(names[7], one)).explain() for one in (None, service)]

    assert ["bulk_row_of_recipient" in plan for plan in plans] == [True, True], plans
