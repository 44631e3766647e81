"""The console shows the use of a key: last use, calls and rejected requests, and the data that a program needs."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from notifications.models import (
    ApiCallError,
    ApiKey,
    ApiKeyDay,
    EndpointCalls,
    KeyType,
    Notification,
    Role,
    Status,
    TeamMember,
)
from notifications.submission.templates import examples
from tests import factories
from tests.notifications import calling

LIST = "/admin/notifications/apikey/"

pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


def page_of(client, key: ApiKey) -> str:
    return client.get(f"{LIST}{key.pk}/change/").content.decode()


def sign_in(client, service, role: Role) -> None:
    person = User.objects.create_user("jo", "jo@example.org", "a-long-password-1", is_staff=True)
    member = factories.make_team_member(service, "jo@example.org")
    TeamMember.objects.filter(pk=member.pk).update(user=person, roles=[role.value])
    client.force_login(person)


def choose(client, service) -> None:
    client.post("/admin/switch-service/", {"service": str(service.pk)})


@pytest.mark.parametrize(
    ("ago", "word", "value"),
    [
        (None, "Unused", "unused"),
        (timedelta(hours=1), "Active", "active"),
        (timedelta(days=3), "Quiet", "quiet"),
        (timedelta(days=8), "Dormant", "dormant"),
    ],
)
def test_the_last_use_of_a_key_is_shown_and_filtered(console, service, ago, word, value):
    used_at = None if ago is None else timezone.now() - ago
    key = factories.make_api_key(service, KeyType.TEST, last_used_at=used_at)
    others = {"unused", "active", "quiet", "dormant"} - {value}

    assert f">{word}</span>" in console.get(LIST, {"used": value}).content.decode()
    for other in others:
        assert key.name not in console.get(LIST, {"used": other}).content.decode()


def test_the_list_shows_calls_and_errors_of_a_week_and_the_page_by_day(console, service):
    key = factories.make_api_key(service, KeyType.TEST)
    today = timezone.now().date()
    for days_ago, calls, refused in ((0, 1200, 3), (6, 40, 0), (7, 500, 500)):
        ApiKeyDay.objects.create(key=key, day=today - timedelta(days=days_ago), calls=calls, refused=refused)

    listed = console.get(LIST).content.decode()
    page = page_of(console, key)

    assert "1,240 calls" in listed
    assert "3 refused" in listed
    assert '<td class="sb-number">500</td><td class="sb-number">500</td>' in page


def test_the_page_shows_the_calls_of_30_days_by_endpoint(console, service):
    key = factories.make_api_key(service, KeyType.TEST)
    today = timezone.now().date()
    for days_ago, endpoint, calls in ((0, "GET /v2/templates", 2), (29, "GET /v2/templates", 1300), (30, "GET /v2", 7)):
        EndpointCalls.objects.create(
            key=key, day=today - timedelta(days=days_ago), endpoint=endpoint, calls=calls, refused=1
        )

    page = page_of(console, key)

    assert "<code>GET /v2/templates</code>" in page
    assert ">1,302</td>" in page
    assert "<code>GET /v2</code>" not in page


def test_errors_of_a_key_are_shown_with_their_fix(console, service):
    key = factories.make_api_key(service, KeyType.TEST)
    now = timezone.now()
    ApiCallError.objects.create(key=key, at=now, status=403, kind="AuthError", slug="system-clock", seconds_apart=47)
    ApiCallError.objects.create(key=key, at=now, status=400, kind="BadRequestError", slug="no-longer-there")

    page = page_of(console, key)

    assert "Clock 47 s behind ours" in page
    assert "Turn on time synchronisation" in page
    assert "/docs/#errors-system-clock" in page
    assert "400 BadRequestError" in page


def test_a_key_without_errors_says_so(console, service):
    assert "No call with this key has been refused." in page_of(console, factories.make_api_key(service))


def test_the_list_of_keys_shows_the_data_that_a_program_needs(console, service, settings):
    caller = calling.make_caller(service)
    caller.send_sms(calling.sms_template(caller), reference="order-7")

    assert "Base URL" not in console.get(LIST).content.decode()  # of all services, which have no base URL in common
    choose(console, service)
    page = console.get(LIST).content.decode()

    assert f'value="{settings.BASE_URL}"' in page
    assert f'value="{service.pk}"' in page
    assert "order-7" in page
    assert "07700 900123" in page


def test_people_without_the_permission_see_recipients_masked(service, client):
    caller = calling.make_caller(service)
    caller.send_sms(calling.sms_template(caller))
    sign_in(client, service, Role.SEE_ACTIVITY)

    page = client.get(LIST).content.decode()

    assert "Last message sent with the API" in page
    assert "900123" not in page


def test_the_page_waits_for_the_first_call_and_shows_it(console, service):
    caller = calling.make_caller(service, KeyType.TEST)
    state = f"{LIST}{caller.key.pk}/calls/"

    waiting = console.get(state).content.decode()
    assert "Waiting for your first call…" in waiting
    assert "View message" not in waiting
    caller.send_sms(calling.sms_template(caller), headers={"User-Agent": "NOTIFY-API-PYTHON-CLIENT/10"})

    message = Notification.objects.get()
    come = console.get(state).content.decode()
    assert "The first call has come by NOTIFY-API-PYTHON-CLIENT/10. Message: Delivering." in come
    assert reverse("admin:notifications_notification_change", args=[message.pk]) in come
    assert "data-refresh" in come

    Notification.objects.update(status=Status.DELIVERED)
    assert "data-refresh" not in console.get(state).content.decode()


def test_several_keys_are_revoked_after_their_use_was_shown(console, service):
    keys = [factories.make_api_key(service, KeyType.TEST, name=f"key-{number}") for number in range(3)]
    chosen = {"action": "revoke_chosen", "_selected_action": [str(key.pk) for key in keys[:2]]}

    asked = console.post(LIST, chosen).content.decode()
    assert "Revoke 2 keys" in asked
    for key in keys[:2]:
        cells = [key.name, service.name, "Test", "It has never been used."]
        assert re.search(
            r"<tr><th[^>]*>{}</th><td[^>]*>{}</td><td[^>]*>{}</td><td[^>]*>{}</td></tr>".format(*cells), asked
        )
    assert not ApiKey.objects.exclude(revoked_at=None).exists()
    told = console.post(LIST, {**chosen, "step": "revoke"}, follow=True).content.decode()

    assert "2 keys revoked" in told
    assert list(ApiKey.objects.filter(revoked_at=None)) == [keys[2]]


def test_a_read_only_role_revokes_no_key(service, client):
    key = factories.make_api_key(service, KeyType.TEST)
    sign_in(client, service, Role.SEE_ACTIVITY)

    client.post(LIST, {"action": "revoke_chosen", "_selected_action": [str(key.pk)], "step": "revoke"})

    key.refresh_from_db()
    assert key.revoked_at is None


@pytest.mark.parametrize("language", examples.LANGUAGES)
def test_an_example_names_the_key_the_url_and_the_template(service, language):
    template = calling.email_template(calling.make_caller(service), "Dear ((name))", 'O\'Neil "x" ((day))')

    text = examples.LANGUAGES[language]("https://notify.example.org", "the-key", template)

    assert all(part in text for part in ("https://notify.example.org", "the-key", str(template.pk), "name", "day"))


def test_a_key_without_calls_says_so_instead_of_an_empty_chart(console, service):
    key = factories.make_api_key(service)
    before = page_of(console, key)
    ApiKeyDay.objects.create(key=key, day=timezone.now().date(), calls=3, refused=0)

    assert "No calls in the last 30 days." in before
    assert "No calls in the last 30 days." not in page_of(console, key)
