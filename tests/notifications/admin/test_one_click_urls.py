"""*One-click unsubscribe URLs*: callers' URLs by host, and the test of one."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.models import KeyType, Notification, Role, Service, TeamMember, UnsubscribeProbe
from notifications.models.unsubscribe_probe import MOST_AN_HOUR
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_team_member, make_template
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

LIST = "/admin/notifications/unsubscriberequest/one-click/"
TEST = "/admin/notifications/unsubscriberequest/one-click-test/"
KNOWS = {"knows": "on"}


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


def email(service: Service, url: str | None, **fields) -> Notification:
    return make_notification(make_template(service), one_click_unsubscribe_url=url, **fields)


def page_for(origin: str) -> str:
    return f"{TEST}?{urlencode({'origin': origin})}"


def origin_of(receiver: Receiver) -> str:
    return receiver.url.removesuffix("/callback")


def member(service: Service, *roles: Role) -> Client:
    user = User.objects.create_user("jo", password="a-long-password-2", is_staff=True)
    row = make_team_member(service, "jo@example.com")
    TeamMember.objects.filter(pk=row.pk).update(user=user, roles=[Role.SEE_ACTIVITY, *roles])
    client = Client()
    client.force_login(user)
    return client


def test_the_list_has_each_host_once_without_the_urls(service):
    for number in range(2):
        email(service, f"https://lists.example.org/u?who=person-{number}")
    email(service, "https://other.example.net/u")
    email(service, None)
    client = member(service, Role.MANAGE_API)

    page = client.get(LIST).content.decode()

    assert page.count("https://lists.example.org</td>") == 1
    assert "https://other.example.net" in page
    assert "who=" not in page
    assert page.count("Test this URL…") == 2
    assert "Not tested" in page


def test_a_service_without_such_urls_has_an_empty_list(service):
    assert "No email has such a URL." in member(service).get(LIST).content.decode()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (200, "The URL accepts the request (200). The unsubscribe button works."),
        (302, "The URL redirects (302)."),
        (403, "The URL refuses the request (403)."),
        (405, "The URL does not accept a POST (405)."),
        (418, "The URL does not accept the request (418)."),
        (503, "The server has an error (503)."),
    ],
)
def test_the_result_is_shown_in_words_and_kept_without_the_url(service, status, words):
    with Receiver(status) as receiver:
        email(service, f"{origin_of(receiver)}/u?who=ana")
        client = member(service, Role.MANAGE_API)
        page = client.post(page_for(origin_of(receiver)), KNOWS, follow=True).content.decode()

    [posted] = receiver.posted
    assert (posted.body, posted.path) == (b"List-Unsubscribe=One-Click", "/u?who=ana")
    assert words in page
    probe = UnsubscribeProbe.objects.get()
    assert (probe.status, probe.is_accepted, probe.origin) == (status, status == 200, origin_of(receiver))
    shown = client.get(LIST).content.decode()
    assert ("Accepted" if status == 200 else "Failed") in shown
    assert words in shown
    assert "who=ana" not in shown + page + str(AuditEvent.objects.get(verb="tried").after)


def test_the_email_of_a_test_key_is_preferred_because_nobody_got_it(service):
    with Receiver() as receiver:
        email(
            service,
            f"{origin_of(receiver)}/test",
            key_type=KeyType.TEST,
            created_at=timezone.now() - timedelta(hours=1),
        )
        email(service, f"{origin_of(receiver)}/real")
        client = member(service, Role.MANAGE_API)
        explained = client.get(page_for(origin_of(receiver))).content.decode()
        client.post(page_for(origin_of(receiver)), KNOWS)

    assert "Nobody got a test email" in explained
    assert [posted.path for posted in receiver.posted] == ["/test"]


def test_a_person_must_know_that_the_recipient_may_be_unsubscribed(service):
    with Receiver() as receiver:
        email(service, receiver.url)
        page = member(service, Role.MANAGE_API).post(page_for(origin_of(receiver)), {}, follow=True).content.decode()

    assert "Confirm that the recipient may be unsubscribed." in page
    assert receiver.posted == []


def test_a_url_into_a_private_network_is_not_called(service, settings):
    settings.OUTBOUND_ALLOWED_NETWORKS = []
    email(service, "https://10.0.0.1/u")

    page = member(service, Role.MANAGE_API).post(page_for("https://10.0.0.1"), KNOWS, follow=True).content.decode()

    assert "Nothing was posted: the URL must not lead to a private network." in page


def test_ten_tests_an_hour_are_allowed(service):
    for _ in range(MOST_AN_HOUR):
        UnsubscribeProbe.objects.create(
            service=service, origin="https://a.example", notification_id=email(service, None).pk, is_accepted=False
        )
    with Receiver() as receiver:
        email(service, receiver.url)
        page = member(service, Role.MANAGE_API).post(page_for(origin_of(receiver)), KNOWS, follow=True).content.decode()

    assert "A service can test 10 URLs an hour." in page
    assert receiver.posted == []


def test_only_hosts_of_the_own_emails_can_be_tested(service):
    email(make_service(), "https://lists.example.org/u")
    client = member(service, Role.MANAGE_API)

    assert client.post(page_for("https://lists.example.org"), KNOWS).status_code == 404
    assert client.post(TEST, KNOWS).status_code == 404


def test_a_person_without_the_role_sees_the_list_only(service):
    email(service, "https://lists.example.org/u")
    client = member(service)

    assert "Test this URL" not in client.get(LIST).content.decode()
    assert client.post(page_for("https://lists.example.org"), KNOWS).status_code == 403


def test_old_results_are_deleted(service):
    for days in (89, 91):
        UnsubscribeProbe.objects.create(
            service=service,
            origin="https://a.example",
            notification_id=email(service, None).pk,
            is_accepted=True,
            created_at=timezone.now() - timedelta(days=days),
        )

    clean_up("unsubscribe-url-tests")

    assert UnsubscribeProbe.objects.count() == 1
