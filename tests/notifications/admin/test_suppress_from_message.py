"""*Stop sending to this person* on the page of a message."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from notifications.models import Notification, Role, Status, Suppression, TeamMember
from tests.factories import make_notification, make_service, make_team_member, make_template
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

ANA = "ana@example.com"


@pytest.fixture
def message() -> Notification:
    return make_notification(make_template(make_service(name="Tides")), recipient=ANA)


def page_of(message: Notification, step: str = "suppress") -> str:
    return reverse(f"admin:notifications_notification_{step}", args=[message.pk])


def member(message: Notification | None, *roles: Role) -> Client:
    service = message.service if message else make_service()
    user = User.objects.create_user(f"jo-{len(roles)}-{service.pk}", password="a-long-password-2", is_staff=True)
    row = make_team_member(service, "jo@example.com")
    TeamMember.objects.filter(pk=row.pk).update(user=user, roles=list(roles))
    client = Client()
    client.force_login(user)
    return client


def test_the_recipient_is_suppressed_and_a_waiting_message_is_not_sent(console, message):
    waiting = make_notification(message.template, recipient=ANA)
    assert "Stop sending to this person…" in console.get(page_of(message, "change")).content.decode()
    assert "sends no more emails to this recipient" in console.get(page_of(message)).content.decode()

    answer = console.post(page_of(message), {"note": "Moved house", "expires_at": ""}, follow=True)

    row = Suppression.objects.get()
    assert "ana@example.com is suppressed." in answer.content.decode()
    assert (row.normalised_recipient, row.service, row.notification_id) == (ANA, message.service, message.pk)
    assert (row.reason, row.source, row.note, row.created_by) == (
        "manual",
        "console",
        "Moved house",
        "mina@example.org",
    )
    assert AuditEvent.objects.get(object_kind="suppression").verb == "created"
    assert ANA not in str(AuditEvent.objects.get(object_kind="suppression").after)
    drain_messages()
    waiting.refresh_from_db()
    assert waiting.status == Status.PERMANENT_FAILURE


def test_a_second_suppression_of_the_recipient_keeps_the_first(console, message):
    for _ in range(2):
        answer = console.post(page_of(message), {"note": "Asked"}, follow=True)

    assert "was suppressed by hand already" in answer.content.decode()
    assert Suppression.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"note": ""}, "This field is required."),
        ({"note": "Asked", "expires_at": "2020-01-01"}, "Choose today or a later day."),
    ],
)
def test_errors_are_shown_beside_their_field(console, message, fields, words):
    assert words in console.post(page_of(message), fields).content.decode()
    assert not Suppression.objects.exists()


def test_a_manager_without_the_role_sees_the_recipient_masked(message):
    page = member(message, Role.MANAGE_SERVICE, Role.SEE_ACTIVITY).get(page_of(message)).content.decode()

    assert "Suppress a" in page
    assert ANA not in page


@pytest.mark.parametrize(("roles", "status"), [((Role.SEE_ACTIVITY, Role.MANAGE_API), 403), ((), 404)])
def test_only_people_who_manage_suppressions_may_do_it(message, roles, status):
    client = member(message if roles else None, *(roles or [Role.MANAGE_SERVICE, Role.SEE_ACTIVITY]))

    assert client.post(page_of(message), {"note": "Asked"}).status_code == status
    assert "Stop sending to this person" not in client.get(page_of(message, "change")).content.decode()
    assert not Suppression.objects.exists()
