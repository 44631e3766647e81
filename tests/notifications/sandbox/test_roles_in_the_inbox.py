"""Staff see the messages of their services in the inbox, masked without *See recipients*."""

import uuid

import pytest
from django.test import Client

from notifications.attachments import links
from notifications.delivery import unsubscribe_links
from notifications.models import Attachment, Notification, Role, SandboxMessage, Service
from tests import factories
from tests.notifications.admin.test_attachments import make_file
from tests.notifications.sandbox.test_inbox_api import API, arrive
from tests.people import browser_of, colleague, make_person

KEY = links.write(bytes(range(32)))


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides")


def email_to(service: Service, to: str = "ana@example.org", **template: object) -> tuple[Notification, SandboxMessage]:
    """Return an email with a file and an unsubscribe link as it arrived."""
    kept = factories.make_template(service, content="Dear ((name)), see ((file))", **template)
    sent = factories.make_notification(kept, to, reference="case-7", body="Dear Ana Marsh, see …")
    file = make_file(service=service, template=kept, notification_id=sent.pk, name="permit.pdf")
    text = f"Dear Ana Marsh, see {links.without_key(file.pk)}?key={KEY}"
    footer = unsubscribe_links.url(sent)
    headers = {"List-Unsubscribe": f"<{footer}>"}
    arrived = arrive(to, sent.pk, text=f"{text} {footer}", html=f"<p>{text} {footer}", headers=headers)
    return sent, arrived


def page_of(browser: Client, arrived: SandboxMessage) -> str:
    return browser.get(f"/sandbox/messages/{arrived.pk}/").content.decode()


def test_messages_of_other_services_do_not_exist(service: Service) -> None:
    _, own = email_to(service, "own@example.org")
    _, foreign = email_to(factories.make_service(), "foreign@example.org")
    invite = arrive("newcomer@example.org", uuid.uuid4())
    staff = colleague(service, Role.SEE_RECIPIENTS)

    listed = staff.get("/sandbox/").content.decode()
    found = staff.post("/sandbox/", {"term": "foreign"}).content.decode()
    over_api = staff.get(API).json()["messages"]

    assert "own@example.org" in listed
    assert "foreign@example.org" not in listed + found
    assert [one["id"] for one in over_api] == [str(own.pk)]
    for other in (foreign, invite):
        assert staff.get(f"/sandbox/messages/{other.pk}/").status_code == 404
        assert staff.get(f"{API}/{other.pk}").status_code == 404
        assert staff.post(f"/sandbox/messages/{other.pk}/remove/").status_code == 404
        assert staff.post(f"/sandbox/messages/{other.pk}/unsubscribe/").status_code == 404


def test_staff_of_no_service_see_an_empty_inbox(service: Service) -> None:
    email_to(service)
    nobody = browser_of(make_person())

    assert "No messages yet" in nobody.get("/sandbox/").content.decode()
    assert nobody.get(API).json() == {"messages": []}


def test_the_example_uses_no_template_of_another_service(service: Service) -> None:
    template = factories.make_template(factories.make_service())

    assert str(template.pk) not in colleague(service, Role.SEE_ACTIVITY).get("/sandbox/").content.decode()


def test_a_role_without_the_log_does_not_open_the_inbox(service: Service) -> None:
    email_to(service)

    assert colleague(service, Role.EDIT_TEMPLATES).get(API).json() == {"messages": []}


def test_without_see_recipients_recipient_and_keys_are_masked(service: Service) -> None:
    sent, arrived = email_to(service)
    token = unsubscribe_links.url(sent).rpartition("/")[2]
    staff = colleague(service, Role.SEE_ACTIVITY)

    pages = [
        page_of(staff, arrived),
        staff.get("/sandbox/").content.decode(),
        staff.get(API).content.decode(),
        staff.get(f"{API}/{arrived.pk}").content.decode(),
    ]

    for page in pages:
        assert "a…@example.org" in page or "a\\u2026@example.org" in page
        assert "ana@example.org" not in page
        assert KEY not in page
        assert token not in page
    assert "Dear Ana Marsh" in pages[0]
    assert staff.get(f"{API}/{arrived.pk}").json()["files"] == [
        {"filename": "permit.pdf", "size": 1_234_567, "url": links.without_key(Attachment.objects.get().pk)}
    ]


def test_with_see_recipients_everything_is_shown(service: Service) -> None:
    _, arrived = email_to(service)
    staff = colleague(service, Role.SEE_RECIPIENTS)

    page, told = page_of(staff, arrived), staff.get(f"{API}/{arrived.pk}").json()

    url = f"{links.without_key(Attachment.objects.get().pk)}?key={KEY}"
    assert "ana@example.org" in page
    assert f'href="{url}" target="_blank" rel="noopener noreferrer">permit.pdf</a>' in page
    assert told["to"] == "ana@example.org"
    assert told["files"] == [{"filename": "permit.pdf", "size": 1_234_567, "url": url}]


def test_see_recipients_in_one_service_shows_nothing_more_of_another(service: Service) -> None:
    other = factories.make_service()
    staff = colleague(service, Role.SEE_RECIPIENTS)
    member = service.team.get()
    member.pk, member.service, member.roles = uuid.uuid4(), other, [Role.SEE_ACTIVITY.value]
    member.save(force_insert=True)
    email_to(service, "own@example.org")
    email_to(other, "theirs@example.org")

    told = {one["to"] for one in staff.get(API).json()["messages"]}

    assert told == {"own@example.org", "t…@example.org"}


@pytest.mark.parametrize("term", ["ana@example.org", "ANA@example", "Ana Marsh"])
def test_a_masked_recipient_is_not_found_by_a_search(service: Service, term: str) -> None:
    email_to(service)
    staff = colleague(service, Role.SEE_ACTIVITY)

    is_found = "a…@example.org" in staff.post("/sandbox/", {"term": term}).content.decode()

    assert is_found is (term == "Ana Marsh")
    assert staff.get(API, {"to": "ana@example.org"}).json() == {"messages": []}
    assert staff.get(API, {"to": "a…@example.org"}).json() == {"messages": []}


def test_redacted_values_are_shown_with_see_recipients_only(service: Service) -> None:
    _, arrived = email_to(service, redact_personalisation=True)
    viewer, reader = colleague(service, Role.SEE_ACTIVITY), colleague(service, Role.SEE_RECIPIENTS)

    told = viewer.get(f"{API}/{arrived.pk}").json()

    assert (told["text"], told["html"]) == ("Dear [hidden], see [hidden]", None)
    assert told["files"][0]["filename"] == Attachment.objects.get().masked_title
    for page in (page_of(viewer, arrived), viewer.get("/sandbox/").content.decode()):
        assert "Ana Marsh" not in page
        assert "permit" not in page
    assert "Ana Marsh" in page_of(reader, arrived)
    assert "No message contains" in viewer.post("/sandbox/", {"term": "Ana Marsh"}).content.decode()


@pytest.mark.parametrize("role", Role)
def test_only_operators_remove_messages(service: Service, role: Role) -> None:
    _, arrived = email_to(service)
    staff = colleague(service, role, Role.SEE_RECIPIENTS)

    answers = [
        staff.post("/sandbox/empty/"),
        staff.post(f"/sandbox/messages/{arrived.pk}/remove/"),
        staff.delete(API),
        staff.delete(f"{API}/{arrived.pk}"),
    ]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert SandboxMessage.objects.count() == 1
    pages = staff.get("/sandbox/").content.decode() + page_of(staff, arrived)
    assert "Empty inbox" not in pages
    assert "Remove message" not in pages


def test_operators_see_and_remove_everything(console: Client, service: Service) -> None:
    email_to(service, redact_personalisation=True)
    _, arrived = email_to(service)
    arrive("newcomer@example.org", uuid.uuid4())

    assert [one["to"] for one in console.get(API).json()["messages"]] == [
        "newcomer@example.org",
        "ana@example.org",
        "ana@example.org",
    ]
    assert console.post(f"/sandbox/messages/{arrived.pk}/remove/").status_code == 302
    assert console.post("/sandbox/empty/").status_code == 302
    assert not SandboxMessage.objects.exists()


def test_the_token_and_this_machine_see_everything(client: Client, settings, service: Service) -> None:
    settings.SANDBOX_TOKEN = "open-sesame"
    email_to(service, redact_personalisation=True)

    for caller in (
        {"HTTP_AUTHORIZATION": "Bearer open-sesame", "REMOTE_ADDR": "198.51.100.1"},
        {"SERVER_NAME": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1"},
    ):
        told = client.get(API, **caller).json()["messages"]
        assert [(one["to"], KEY in one["text"], len(one["files"])) for one in told] == [("ana@example.org", True, 1)]


def test_a_link_to_a_file_of_another_message_names_no_file(console: Client, service: Service) -> None:
    file = make_file(service=factories.make_service())
    sent = factories.make_notification(factories.make_template(service))
    arrived = arrive(notification_id=sent.pk, text=f"See {links.without_key(file.pk)}?key={KEY}")

    assert console.get(f"{API}/{arrived.pk}").json()["files"] == []


def test_the_page_links_to_the_message_in_the_log(console: Client, service: Service) -> None:
    sent, arrived = email_to(service)

    assert f'href="/admin/notifications/notification/{sent.pk}/change/"' in page_of(console, arrived)
