"""The team: roles as checkboxes, invites, and the last manager of a service.

Source: docs/reference/console.md §2.7.
"""

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.accounts.invite import Invite
from config.audit.models import AuditEvent
from notifications.models import Role, TeamMember
from tests import factories
from tests.people import browser_of, colleague, join, make_person

TEAM = reverse("admin:notifications_teammember_changelist")
ADD = reverse("admin:notifications_teammember_add")
LINK = re.compile(r"/admin/notifications/teammember/join/\?token=[\w-]{40,}")
ACCOUNT = {"username": "ana", "password": "a-long-password-3", "again": "a-long-password-3"}


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def manager(service):
    return colleague(service, Role.MANAGE_SERVICE, name="mo")


def step(member, word):
    return reverse(f"admin:notifications_teammember_{word}", args=[member.pk])


def nonce_of(client, address):
    return re.search(r'name="nonce" value="([^"]+)"', client.get(address).content.decode()).group(1)


def add(client, service, **form):
    """Fill in the form for a new member and send it."""
    form = {"service": service.pk, "phone_number": "", "nonce": nonce_of(client, ADD), **form}
    return client.post(ADD, form)


def invite(client, member):
    """Create an invite on the page of a member, and return the path of its link."""
    page = client.post(step(member, "invite"), {"nonce": nonce_of(client, step(member, "invite"))}).content.decode()
    return LINK.search(page).group()


def test_a_member_without_roles_only_receives_messages(manager, service):
    answer = add(manager, service, email_address="Ana@Example.org", phone_number="07700 900 123")

    member = TeamMember.objects.get(user=None)
    assert answer["Location"] == TEAM
    assert (member.email_address, member.normalised_email) == ("Ana@Example.org", "ana@example.org")
    assert (member.phone_number, member.normalised_phone) == ("07700 900 123", "447700900123")
    assert "Receives only" in manager.get(TEAM).content.decode()
    assert not Invite.objects.exists()


def test_a_member_with_a_role_is_invited_by_a_link_shown_once(manager, service):
    form = {"email_address": "ana@example.org", "roles": ["see_activity", "edit_templates"]}
    form["nonce"] = nonce_of(manager, ADD)
    first = add(manager, service, **form)
    again = add(manager, service, **form)

    assert LINK.search(first.content.decode())
    assert "no-store" in first.headers["Cache-Control"]
    assert again.status_code == 409
    assert TeamMember.objects.get(user=None).roles == ["see_activity", "edit_templates"]
    assert "Invited" in manager.get(TEAM).content.decode()


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"email_address": "ana@"}, "Not a valid email address"),
        ({"email_address": "ana@example.org", "phone_number": "12"}, "Not enough digits"),
        ({"email_address": "MO@example.org"}, "This person is already in the team."),
        ({"email_address": "ana@example.org", "roles": ["everything"]}, "Select a valid choice"),
    ],
    ids=["address", "number", "double", "role"],
)
def test_an_invalid_member_is_rejected(manager, service, form, reason):
    answer = add(manager, service, **form)

    assert reason in answer.content.decode()
    assert TeamMember.objects.count() == 1


def test_a_member_cannot_be_added_to_another_persons_service(manager):
    answer = add(manager, factories.make_service(), email_address="ana@example.org")

    assert "Select a valid choice" in answer.content.decode()
    assert TeamMember.objects.count() == 1


def test_an_empty_team_says_what_it_is_for(console, service):
    assert "The service can always send to its team" in console.get(TEAM).content.decode()


def test_the_link_creates_an_account_once(manager, service):
    member = factories.make_team_member(service, "ana@example.org")
    TeamMember.objects.filter(pk=member.pk).update(roles=["see_activity"])
    link, stranger = invite(manager, member), Client()

    shown = stranger.get(link).content.decode()
    answer = stranger.post(link, ACCOUNT)

    user = User.objects.get(username="ana")
    assert "Tides" in shown
    assert answer["Location"] == reverse("admin:index")
    assert stranger.get(reverse("my-account")).status_code == 200
    assert (user.email, user.is_staff, user.is_superuser) == ("ana@example.org", True, False)
    assert user.check_password("a-long-password-3")
    assert stranger.get(link).status_code == 404
    assert browser_of(user).get(reverse("admin:notifications_notification_changelist")).status_code == 200
    assert "Active" in manager.get(TEAM).content.decode()


def test_an_existing_account_joins_after_a_confirmation(manager, service):
    member, olu = factories.make_team_member(service, "olu@work.example"), make_person("olu")
    link, browser = invite(manager, member), browser_of(olu)

    shown = browser.get(link).content.decode()
    assert TeamMember.objects.get(pk=member.pk).user is None
    answer = browser.post(link)

    assert "Join as olu" in shown
    assert answer["Location"] == reverse("admin:index")
    assert TeamMember.objects.get(pk=member.pk).user == olu
    assert browser.post(link).status_code == 404


def test_a_member_cannot_join_twice(manager, service):
    link = invite(manager, factories.make_team_member(service, "ana@example.org"))

    shown = manager.post(link).content.decode()

    assert "This account is already in the team" in shown
    assert TeamMember.objects.filter(user=None).count() == 1


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"username": ""}, "This field is required."),
        ({"username": "MO"}, "This user name is already in use. Enter another one."),
        ({"username": "no spaces"}, "Enter a user name of letters, digits and @ . + - _ without spaces."),
        ({"password": "short", "again": "short"}, "This password is too short."),
        ({"password": "password1234567", "again": "another-long-one"}, "The two passwords are different."),
    ],
    ids=["no-name", "taken", "spaces", "short", "differ"],
)
def test_an_invalid_account_is_rejected_and_the_link_stays_valid(manager, service, form, reason):
    link = invite(manager, factories.make_team_member(service, "ana@example.org"))

    answer = Client().post(link, ACCOUNT | form)

    assert reason in answer.content.decode()
    assert "a-long-password-3" not in answer.content.decode()
    assert Client().get(link).status_code == 200


def test_no_second_account_has_the_same_email_address(manager, service):
    make_person("olu")
    link = invite(manager, factories.make_team_member(service, "OLU@example.org"))

    answer = Client().post(link, ACCOUNT)

    assert "An account with your email address already exists." in answer.content.decode()


def test_a_link_ends_after_seven_days_with_a_newer_one_and_with_the_member(manager, service):
    member = factories.make_team_member(service, "ana@example.org")
    first = invite(manager, member)
    second = invite(manager, member)

    assert Client().get(first).status_code == 404
    with time_machine.travel(timezone.now() + timedelta(days=7, minutes=1)):
        assert Client().get(second).status_code == 404
    manager.post(step(member, "remove"))
    assert Client().get(second).status_code == 404
    assert Client().get("/admin/notifications/teammember/join/?token=nothing").status_code == 404


def test_a_link_of_an_earlier_version_works(manager, service):
    link = invite(manager, factories.make_team_member(service, "ana@example.org"))
    page, _, token = link.partition("?token=")
    stranger = Client()

    led = stranger.get(f"{page}{token}/")

    assert (led.status_code, led["Location"]) == (302, link)
    assert "Tides" in stranger.get(led["Location"]).content.decode()
    assert stranger.get(f"{page}nothing/", follow=True).status_code == 404


@pytest.mark.parametrize("token", ["", "\0", "é", "x" * 5000, "a/b", "//evil.example"])
def test_a_forged_link_opens_nothing(db, token):
    assert Client().get(reverse("admin:accept_invite"), {"token": token}).status_code == 404


def test_after_signing_in_a_person_returns_to_the_link(manager, service):
    link = invite(manager, factories.make_team_member(service, "olu@work.example"))
    olu, browser = make_person("olu"), Client()
    sign_in = re.search(r'href="(/admin/login/[^"]+)"', browser.get(link).content.decode())[1]

    answer = browser.post(sign_in, {"username": olu.email, "password": "a-long-password-1"})

    assert answer["Location"] == link
    assert "Join as olu" in browser.get(answer["Location"]).content.decode()


def test_a_member_with_an_account_is_not_invited_again(manager, service):
    member = join(make_person("olu"), service, Role.SEE_ACTIVITY)

    assert "already has an account" in manager.get(step(member, "invite")).content.decode()


def test_changed_roles_apply_at_once_and_end_the_sessions(manager, service):
    olu = make_person("olu")
    member, browser = join(olu, service, Role.SEE_ACTIVITY), browser_of(olu)
    assert browser.get(reverse("admin:notifications_notification_changelist")).status_code == 200

    manager.post(step(member, "roles"), {"roles": ["edit_templates"]})

    assert TeamMember.objects.get(pk=member.pk).roles == ["edit_templates"]
    assert browser.get("/admin/").status_code == 302
    assert browser_of(olu).get(reverse("admin:notifications_template_changelist")).status_code == 200
    event = AuditEvent.objects.get(verb="changed_roles_of")
    assert (event.before, event.after) == ({"roles": ["see_activity"]}, {"roles": ["edit_templates"]})


def test_saving_the_same_roles_ends_no_session(manager, service):
    olu = make_person("olu")
    member, browser = join(olu, service, Role.SEE_ACTIVITY), browser_of(olu)

    manager.post(step(member, "roles"), {"roles": ["see_activity"]})

    assert browser.get("/admin/").status_code == 200
    assert not AuditEvent.objects.filter(verb="changed_roles_of").exists()


def test_the_last_manager_keeps_the_role(manager, service):
    mo = TeamMember.objects.get(user__username="mo")
    factories.make_team_member(service, "ana@example.org")
    TeamMember.objects.filter(user=None).update(roles=["manage_service"])  # a member without an account does not count

    roles = manager.post(step(mo, "roles"), {"roles": ["see_activity"]}).content.decode()
    removal = manager.post(step(mo, "remove")).content.decode()

    assert "Someone must be able to manage this service." in roles
    assert "Someone must be able to manage this service." in removal
    assert TeamMember.objects.get(pk=mo.pk).roles == ["manage_service"]


def test_one_of_two_managers_can_be_removed(manager, service):
    olu = join(make_person("olu"), service, Role.MANAGE_SERVICE)

    asked = manager.get(step(olu, "remove")).content.decode()
    manager.post(step(olu, "remove"))

    assert "They lose these roles and are signed out everywhere: Manage service" in asked
    assert not TeamMember.objects.filter(pk=olu.pk).exists()
    assert AuditEvent.objects.get(verb="removed").before["email_address"] == "o…@example.org"


@pytest.mark.parametrize("word", ["roles", "invite", "link", "remove"])
def test_an_old_sign_in_needs_the_password_again(manager, service, word):
    member = join(make_person("olu"), service)

    with time_machine.travel(timezone.now() + timedelta(minutes=29)):
        manager.get(TEAM)
    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        answer = manager.post(step(member, word))

    assert answer["Location"].startswith("/admin/confirm/?next=")
    assert TeamMember.objects.filter(pk=member.pk).exists()


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.MANAGE_SERVICE])
def test_other_roles_do_not_open_the_team(service, role):
    member = factories.make_team_member(service, "ana@example.org")
    client = colleague(service, role)

    assert client.get(TEAM).status_code == 403
    assert client.get(ADD).status_code == 403
    for word in ("change", "roles", "invite", "link", "remove"):
        assert client.post(step(member, word)).status_code == 403


def test_members_of_other_services_do_not_exist(service):
    member = factories.make_team_member(service, "ana@example.org")
    other = colleague(factories.make_service(), Role.MANAGE_SERVICE)

    for word in ("change", "history", "roles", "invite", "link", "remove"):
        assert other.get(step(member, word)).status_code == 404, word
    assert "ana@" not in other.get(TEAM).content.decode()


def test_the_audit_stores_members_masked(manager, service):
    add(manager, service, email_address="ana@example.org", phone_number="07700900123")

    told = " ".join(f"{event.before}{event.after}" for event in AuditEvent.objects.all())

    assert "a…@example.org" in told
    assert "ana@" not in told
    assert "900123" not in told
