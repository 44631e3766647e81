"""API keys in the console: shown once, and revoked permanently."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.audit.models import AuditEvent
from notifications.admin.api_keys import rotating
from notifications.models import ApiKey, KeyType, Role
from tests import factories, people
from tests.notifications import calling

ADD = "/admin/notifications/apikey/add/"


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


def form(console, service, **fields):
    """Return the fields of the open page, including the nonce."""
    page = console.get(ADD).content.decode()
    nonce = re.search(r'name="nonce" value="([^"]+)"', page)[1]
    values = {"service": str(service.pk), "name": "pay-app", "key_type": "test", "nonce": nonce}
    return {**values, "expires_at": "", "note": "", **fields}


def test_the_response_to_the_post_shows_the_whole_key(console, service):
    answer = console.post(ADD, form(console, service))

    key = ApiKey.objects.get()
    whole = f"pay-app-{service.pk}-{key.secret}"
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    assert f'value="{whole}"' in page
    assert f"NOTIFY_API_KEY={whole}" in page
    assert (key.key_type, key.created_by, key.last4) == (KeyType.TEST, "mina@example.org", key.secret[-4:])


def test_a_key_manages_templates_only_if_an_editor_says_so(console, service):
    api_only = people.colleague(service, Role.MANAGE_API)
    editor = people.colleague(service, Role.MANAGE_API, Role.EDIT_TEMPLATES)

    console.post(ADD, form(console, service, name="plain"))
    refused = api_only.post(ADD, form(api_only, service, name="api-only", manages_templates="on"))
    editor.post(ADD, form(editor, service, name="deploy", manages_templates="on"))

    assert "You need the permission to edit templates of this service" in refused.content.decode()
    assert dict(ApiKey.objects.values_list("name", "manages_templates")) == {"plain": False, "deploy": True}
    key = ApiKey.objects.get(name="deploy")
    page = console.get(reverse("admin:notifications_apikey_change", args=[key.pk])).content.decode()
    assert "Send messages, manage templates" in page
    assert "manages templates" in console.get(reverse("admin:notifications_apikey_changelist")).content.decode()
    event = AuditEvent.objects.get(verb="created", object_id=str(key.pk))
    assert event.after["manages_templates"] is True


@pytest.mark.fault("T4")
def test_the_key_is_not_shown_again(console, service):
    console.post(ADD, form(console, service))
    key = ApiKey.objects.get()

    places = [
        reverse("admin:notifications_apikey_changelist"),
        reverse("admin:notifications_apikey_change", args=[key.pk]),
        reverse("admin:notifications_apikey_history", args=[key.pk]),
        reverse("admin:notifications_apikey_revoke", args=[key.pk]),
        reverse("admin:operations_auditevent_changelist"),
        reverse("admin:operations_auditevent_change", args=[AuditEvent.objects.get().pk]),
        "/admin/",
    ]
    for place in places:
        assert key.secret not in console.get(place).content.decode(), place


def test_session_log_and_audit_do_not_contain_the_secret(console, service, capfd):
    console.post(ADD, form(console, service))

    secret = ApiKey.objects.get().secret
    kept = [str(session.get_decoded()) for session in Session.objects.all()]
    kept += [f"{entry.object_repr}{entry.change_message}" for entry in LogEntry.objects.all()]
    kept += [f"{event.before}{event.after}{event.reason}" for event in AuditEvent.objects.all()]
    kept += list(capfd.readouterr())
    assert kept
    assert not [text for text in kept if secret in text]


@pytest.mark.fault("T4")
def test_a_form_sent_twice_creates_one_key(console, service):
    filled = form(console, service)
    console.post(ADD, filled)

    again = console.post(ADD, {**filled, "name": "another"})

    assert again.status_code == 409
    assert "have already sent this form" in again.content.decode()
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize("nonce", ["", "made-up", "WyJhIiwgMV0:1abc:signature"])
def test_a_form_without_a_valid_nonce_creates_no_key(console, service, nonce):
    answer = console.post(ADD, form(console, service, nonce=nonce))

    assert answer.status_code == 409
    assert not ApiKey.objects.exists()


def test_another_persons_nonce_creates_no_key(console, service, client, django_user_model):
    other = django_user_model.objects.create_superuser("jo", "jo@example.org", "a-long-password-2")
    filled = form(console, service)
    client.force_login(other)

    assert client.post(ADD, filled).status_code == 409
    assert not ApiKey.objects.exists()


def test_a_rejected_form_can_be_sent_again(console, service):
    filled = form(console, service)
    refused = console.post(ADD, {**filled, "name": "pay app"})

    assert "A space is not allowed here" in refused.content.decode()
    assert console.post(ADD, filled).status_code == 200
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "páy"}, "á is not allowed here"),
        ({"name": ""}, "This field is required."),
        ({"name": "x" * 61}, "at most 60 characters"),
        ({"expires_at": "2020-01-01T00:00"}, "Enter a time in the future"),
        ({"expires_at": "tomorrow"}, "Enter a date and a time, such as 1 May 2027 at 17:00."),
        ({"key_type": "root"}, "Select a valid choice."),
    ],
    ids=["wrong letter", "no name", "long name", "past end", "end without a time", "unknown type"],
)
def test_an_invalid_key_is_rejected_beside_its_field(console, service, fields, reason):
    answer = console.post(ADD, form(console, service, **fields))

    assert reason in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_a_name_is_free_again_once_its_key_is_revoked(console, service):
    key = factories.make_api_key(service, KeyType.TEST, name="pay-app")
    taken = console.post(ADD, form(console, service))
    assert "An active key with this name already exists." in taken.content.decode()

    console.post(reverse("admin:notifications_apikey_revoke", args=[key.pk]))

    assert console.post(ADD, form(console, service)).status_code == 200


def test_revoking_is_explained_and_done_on_post(console, service):
    key = factories.make_api_key(service, name="pay-app", last_used_at=timezone.now() - timedelta(hours=1))
    revoke = reverse("admin:notifications_apikey_revoke", args=[key.pk])

    page = console.get(revoke).content.decode()
    key.refresh_from_db()
    assert f"Last used {formats.on(key.last_used_at)}" in page
    assert key.revoked_at is None

    console.post(revoke)
    key.refresh_from_db()
    assert (key.revoked_by, key.revoked_at is not None) == ("mina@example.org", True)
    assert AuditEvent.objects.get().verb == "revoked"


def test_list_and_page_show_when_a_key_was_revoked_and_by_whom(console, service):
    at = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    key = factories.make_api_key(service, revoked_at=at, revoked_by="jo@example.org")

    for page in ("changelist", "change"):
        place = reverse(f"admin:notifications_apikey_{page}", args=[key.pk] if page == "change" else [])
        text = re.sub(r"<[^>]*>", " ", console.get(place).content.decode())
        assert f"Revoked {formats.spoken(at)} by jo@example.org" in " ".join(text.split()), page


def test_a_revoked_key_stays_revoked(console, service):
    key = factories.make_api_key(service, revoked_at=timezone.now(), revoked_by="jo")

    page = console.get(reverse("admin:notifications_apikey_revoke", args=[key.pk])).content.decode()
    console.post(reverse("admin:notifications_apikey_revoke", args=[key.pk]))

    key.refresh_from_db()
    assert "This key was already revoked by jo." in page
    assert key.revoked_by == "jo"


def test_a_key_is_never_deleted_and_only_its_note_changes(console, service):
    key = factories.make_api_key(service, name="pay-app")

    console.post(reverse("admin:notifications_apikey_change", args=[key.pk]), {"note": "for Jo", "name": "other"})

    key.refresh_from_db()
    assert (key.name, key.note) == ("pay-app", "for Jo")
    assert console.get(reverse("admin:notifications_apikey_delete", args=[key.pk])).status_code == 403


def test_the_api_rejects_a_key_revoked_in_the_console(console, service):
    caller = calling.make_caller(service)
    template = calling.email_template(caller)
    assert caller.send_email(template).status_code == 201

    console.post(reverse("admin:notifications_apikey_revoke", args=[caller.key.pk]))

    time.sleep(2.1)  # the page promises effect within 2 seconds
    answer = caller.send_email(template)
    assert answer.status_code == 403
    assert calling.messages(answer) == ["Invalid token: API key revoked"]


def test_a_key_is_limited_to_networks_and_templates(console, service):
    template = factories.make_template(service)
    limits = {"allowed_networks": "192.0.2.7, 2001:db8::/32", "allowed_templates": str(template.pk)}

    refused = console.post(ADD, form(console, service, name="wrong", allowed_networks="home", allowed_templates="x"))
    console.post(ADD, form(console, service, name="office", **limits))

    assert "Enter networks such as 192.0.2.0/24" in refused.content.decode()
    assert "Enter ids of templates" in refused.content.decode()
    key = ApiKey.objects.get()
    assert (key.allowed_networks, key.allowed_templates) == (["192.0.2.7/32", "2001:db8::/32"], [str(template.pk)])
    page = console.get(f"/admin/notifications/apikey/{key.pk}/change/").content.decode()
    assert "192.0.2.7/32, 2001:db8::/32, 1 template" in page


def test_a_live_key_is_limited_to_messages_a_day(console, service):
    wrong = console.post(ADD, form(console, service, name="wrong", key_type="test", daily_limit="5"))
    console.post(ADD, form(console, service, name="office", key_type="live", daily_limit="500"))

    assert "Messages of test keys are not counted." in wrong.content.decode()
    key = ApiKey.objects.get()
    assert key.daily_limit == 500
    assert "500 messages a day" in console.get(f"/admin/notifications/apikey/{key.pk}/change/").content.decode()


def test_a_template_of_another_service_is_no_limit(console, service):
    other = factories.make_template()

    refused = console.post(ADD, form(console, service, name="wrong", allowed_templates=str(other.pk)))

    assert f"The service has no template with the id {other.pk}" in refused.content.decode()


@pytest.mark.parametrize(("ago", "is_warned"), [(timedelta(days=1), True), (timedelta(days=8), False), (None, False)])
def test_a_key_that_is_still_used_is_revoked_with_a_warning(console, service, ago, is_warned):
    key = factories.make_api_key(service, last_used_at=timezone.now() - ago if ago else None)

    page = console.get(f"/admin/notifications/apikey/{key.pk}/revoke/").content.decode()

    assert ("A program still uses this key." in page) is is_warned


def test_a_rotation_makes_a_twin_and_both_keys_work_for_some_days(console, service):
    key = factories.make_api_key(
        service, name="office", manages_templates=True, allowed_networks=["192.0.2.0/24"], note="For the post room"
    )
    url = f"/admin/notifications/apikey/{key.pk}/rotate/"
    nonce = re.search(r'name="nonce" value="([^"]+)"', console.get(url).content.decode())[1]

    page = console.post(url, {"days": "7", "nonce": nonce}).content.decode()

    key.refresh_from_db()
    twin = ApiKey.objects.get(name="office-2")
    assert f"office-2-{service.pk}-{twin.secret}" in page
    assert timedelta(days=6) < key.expires_at - timezone.now() <= timedelta(days=7)
    assert (twin.manages_templates, twin.allowed_networks, twin.note) == (True, ["192.0.2.0/24"], "For the post room")
    assert (twin.key_type, twin.secret != key.secret, twin.expires_at) == (key.key_type, True, None)
    verbs = AuditEvent.objects.filter(object_kind="apikey").values_list("verb", flat=True)
    assert sorted(verbs) == ["created", "rotated"]


def test_the_next_twin_gets_the_next_number_and_an_end_stays(service):
    ends = timezone.now() + timedelta(hours=1)
    key = factories.make_api_key(service, name="office-2", expires_at=ends)
    factories.make_api_key(service, name="office-3")

    twin = rotating.rotate(key, ends_at=timezone.now() + timedelta(days=7), author="mina")

    assert (twin.name, key.expires_at) == ("office-4", ends)


def test_a_key_that_is_over_is_not_rotated(console, service):
    key = factories.make_api_key(service, revoked_at=timezone.now())

    page = console.get(f"/admin/notifications/apikey/{key.pk}/rotate/").content.decode()

    assert "This key has expired or was revoked." in page
