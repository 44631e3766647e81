"""Invites by email: the link is mailed, and staff see it only on request.

Source: docs/reference/console.md §2.7.
"""

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.accounts import invites
from config.accounts.invite import Invite
from config.audit.models import AuditEvent
from notifications import tasks
from notifications.models import Role, TeamMember
from tests import factories
from tests.browsing import Browser
from tests.people import colleague

TEAM = reverse("admin:notifications_teammember_changelist")
ADD = reverse("admin:notifications_teammember_add")
LINK = re.compile(r"/admin/notifications/teammember/join/\?token=[\w-]{40,}")
SHOW_INSTEAD = "Show the link instead"


@pytest.fixture
def service(db):
    return factories.make_service(name="Tides")


@pytest.fixture
def manager(service):
    return colleague(service, Role.MANAGE_SERVICE, name="mo")


@pytest.fixture
def member(service):
    return factories.make_team_member(service, "ana@example.org")


@pytest.fixture
def sink(smtp_sink, settings):
    settings.PROVIDERS = ["sandbox", f"mail=smtp://127.0.0.1:{smtp_sink.port}"]
    return smtp_sink


def step(member, word):
    return reverse(f"admin:notifications_teammember_{word}", args=[member.pk])


def form_of(client, address, **form):
    nonce = re.search(r'name="nonce" value="([^"]+)"', client.get(address).content.decode()).group(1)
    return {"nonce": nonce, **form}


def take(client, member, word):
    return client.post(step(member, word), form_of(client, step(member, word)), follow=True).content.decode()


def test_a_new_member_is_mailed_and_the_page_says_so(sink, manager, service):
    form = form_of(manager, ADD, service=service.pk, email_address="ana@example.org", roles=["see_activity"])
    answer = manager.post(ADD, form, follow=True)

    page, listed = answer.content.decode(), manager.get(TEAM).content.decode()
    [invite] = Invite.objects.all()
    assert "The invite to ana@example.org is being sent." in page
    assert step(TeamMember.objects.get(user=None), "link") in page
    assert SHOW_INSTEAD in page
    assert "the email is being sent" in listed
    assert not LINK.search(page + listed)
    assert invite.token not in str(AuditEvent.objects.values_list("before", "after"))
    tasks.mail_invite(str(invite.pk))
    assert "the email is being sent" not in manager.get(TEAM).content.decode()
    assert LINK.search(sink.messages[0].get_body(("plain",)).get_content())


def test_the_page_of_the_invite_names_its_recipient(sink, manager, member):
    asked = manager.get(step(member, "invite")).content.decode()
    done = take(manager, member, "invite")

    assert "ana@example.org will get an email with a link. The link works once, within 7 days." in asked
    assert "The invite to ana@example.org is being sent." in done
    assert Invite.objects.to_mail().count() == 1


def test_a_form_sent_twice_mails_one_invite(sink, manager, member):
    form = form_of(manager, step(member, "invite"))

    manager.post(step(member, "invite"), form)
    again = manager.post(step(member, "invite"), form, follow=True).content.decode()

    assert "You have already sent this form" in again
    assert Invite.objects.count() == 1


def test_the_link_on_the_page_is_new_and_ends_the_mailed_one(sink, manager, member):
    take(manager, member, "invite")
    mailed = Invite.objects.get()

    link = LINK.search(take(manager, member, "link")).group()
    tasks.mail_invite(str(mailed.pk))

    assert Client().get(link).status_code == 200
    assert invites.find_live(link.partition("token=")[2]).pk != mailed.pk
    assert sink.messages == []


def test_a_member_who_cannot_be_mailed_is_marked_in_the_list(sink, manager, member):
    sink.refuse("550 5.1.1 no such person")
    take(manager, member, "invite")
    tasks.mail_invite(str(Invite.objects.get().pk))

    assert "Invite not delivered" in manager.get(TEAM).content.decode()
    assert "Invite not delivered" in manager.get(step(member, "change")).content.decode()
    take(manager, member, "link")
    assert "Invite not delivered" not in manager.get(TEAM).content.decode()


def test_with_only_the_sandbox_the_link_is_shown(manager, member):
    page = manager.get(step(member, "change")).content.decode()

    assert SHOW_INSTEAD not in page
    assert LINK.search(take(manager, member, "invite"))
    assert not Invite.objects.exclude(mail_at=None).exists()


def test_a_provider_of_texts_only_mails_nothing(settings, manager, member):
    settings.PROVIDERS = ["texts=http://127.0.0.1:9/send", "sandbox"]

    assert LINK.search(take(manager, member, "invite"))


@pytest.mark.parametrize("word", ["invite", "link"])
def test_the_actions_need_the_role_in_the_service(sink, service, member, word):
    sees = colleague(service, Role.SEE_ACTIVITY)
    other = colleague(factories.make_service(), Role.MANAGE_SERVICE)

    for client, status in ((sees, 403), (other, 404)):
        assert client.get(step(member, word)).status_code == status
        assert client.post(step(member, word)).status_code == status
    assert not Invite.objects.exists()


def test_an_expired_invite_is_not_pending(sink, manager, member):
    take(manager, member, "invite")
    Invite.objects.update(expires_at=timezone.now())

    assert "the email is being sent" not in manager.get(TEAM).content.decode()
    assert "The earlier link stops working." not in manager.get(step(member, "link")).content.decode()


def test_the_worker_mails_requested_invites(start_service, smtp_sink):
    service = start_service(PROVIDERS=f"mail=smtp://127.0.0.1:{smtp_sink.port}")
    make = "from django.contrib.auth.models import User; User.objects.create_superuser('op', '', 'Pq7-a-password')"
    assert service.manage("shell", "-c", make).returncode == 0
    service.start_worker()
    browser, tides = Browser(service.url), f"Tides {uuid.uuid4().hex[:8]}"
    browser.fill("/admin/login/", username="op", password="Pq7-a-password")
    browser.fill("/admin/notifications/service/add/", name=tides, permissions=["email"])
    found = re.search(
        r"/admin/notifications/service/([0-9a-f-]{36})/", browser.get("/admin/notifications/service/").text
    )
    form = {"service": found[1], "email_address": "ana@example.org", "roles": ["see_activity"]}

    told = browser.fill("/admin/notifications/teammember/add/", **form).text

    link = LINK.search(smtp_sink.wait_for_message().get_body(("plain",)).get_content()).group()
    assert "The invite to ana@example.org is being sent." in told
    assert f"You are invited to join the team of <strong>{tides}</strong>" in Browser(service.url).get(link).text
