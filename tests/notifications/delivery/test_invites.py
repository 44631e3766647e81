"""A mailed invite is sent once by any email provider, and nobody else can read it.

Source: docs/reference/console.md §2.7.
"""

import re
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from config.accounts import invites as console_invites
from config.accounts.invite import Invite
from notifications import tasks
from notifications.delivery import invites
from notifications.models import SandboxMessage, TeamMember
from tests.factories import make_service, make_team_member
from tests.people import make_person
from tests.servers import free_port

pytestmark = pytest.mark.django_db

TOKEN = re.compile(r"/admin/notifications/teammember/join/\?token=([\w-]{40,})")


@pytest.fixture
def member():
    return make_team_member(make_service(name="Tides"), "ana@example.org")


@pytest.fixture
def sink(smtp_sink, settings):
    """A mail server that gets all emails."""
    settings.PROVIDERS = [f"mail=smtp://127.0.0.1:{smtp_sink.port}"]
    return smtp_sink


def invite(member):
    return console_invites.make_to_mail(by="mo@example.org", member_id=member.pk)


def mail(invite_id):
    tasks.mail_invite(str(invite_id))
    return Invite.objects.get(pk=invite_id)


def lease_ends():
    """Move the time past the claim of an invite."""
    Invite.objects.exclude(mail_at=None).update(mail_at=timezone.now() - timedelta(seconds=1))


def text_of(message):
    return message.get_body(("plain",)).get_content()


def test_the_link_is_mailed_once_and_works(sink, member):
    invite_id = invite(member)

    for _ in range(2):
        mail(invite_id)

    [message] = sink.messages
    assert message["To"] == "ana@example.org"
    assert message["Subject"] == "Your invite to the team of Tides"
    assert "mo@example.org invites you to the team of Tides." in text_of(message)
    assert (
        "You are invited to join the team of" in Client().get(TOKEN.search(text_of(message)).group()).content.decode()
    )
    assert invites.waiting() == []


def test_the_row_only_has_the_encrypted_token_until_it_is_mailed(sink, member):
    invite_id = invite(member)
    before = Invite.objects.values().get()

    after = mail(invite_id)

    [token] = TOKEN.findall(text_of(sink.messages[0]))
    assert console_invites.find_live(token) is not None
    assert before["encrypted_token"]
    assert token not in str({**before, "encrypted_token": bytes(before["encrypted_token"])})
    assert (after.encrypted_token, after.mail_at, after.undelivered_at) == (None, None, None)


def test_an_invite_is_mailed_once_a_provider_is_back(smtp_sink, settings, member):
    settings.PROVIDERS = [f"mail=smtp://127.0.0.1:{free_port()}"]  # nothing listens there
    invite_id = invite(member)

    waiting = mail(invite_id)

    assert waiting.mail_at > timezone.now() + timedelta(minutes=4)
    assert invites.waiting() == []
    settings.PROVIDERS = [f"back=smtp://127.0.0.1:{smtp_sink.port}"]
    lease_ends()
    assert invites.waiting() == [invite_id]
    assert mail(invite_id).encrypted_token is None
    assert len(smtp_sink.messages) == 1


def test_a_rejected_email_address_is_not_retried(sink, member):
    sink.refuse("550 5.1.1 no such person")
    invite_id = invite(member)

    refused = mail(invite_id)

    assert refused.undelivered_at is not None
    assert (refused.encrypted_token, refused.mail_at) == (None, None)
    sink.refuse(None)
    mail(invite_id)
    assert sink.messages == []


def test_after_the_death_of_a_worker_the_same_link_is_mailed_again(sink, member):
    invite_id = invite(member)
    encrypted = bytes(Invite.objects.get().encrypted_token)
    mail(invite_id)
    # The state after a worker died between the server's answer and its own record.
    held = timezone.now() + timedelta(minutes=5)
    Invite.objects.filter(pk=invite_id).update(encrypted_token=encrypted, mail_at=held)

    mail(invite_id)
    assert len(sink.messages) == 1
    lease_ends()
    mail(invite_id)

    first, second = sink.messages
    assert first["Message-ID"] == second["Message-ID"]
    assert TOKEN.findall(text_of(first)) == TOKEN.findall(text_of(second))


@pytest.mark.parametrize("how", ["newer", "accepted", "removed", "expired", "joined"])
def test_an_ended_invite_is_not_mailed(sink, member, how):
    invite_id = invite(member)
    match how:
        case "newer":
            console_invites.make(by="mo@example.org", member_id=member.pk)
        case "accepted":
            console_invites.spend(Invite.objects.get())
        case "removed":
            member.delete()
        case "expired":
            Invite.objects.update(expires_at=timezone.now())
        case "joined":
            TeamMember.objects.filter(pk=member.pk).update(user=make_person("ana"))

    over = mail(invite_id)

    assert sink.messages == []
    assert not Invite.objects.to_mail().exists()
    assert over.encrypted_token is None or how == "expired"  # clean-up deletes such a row


def test_no_link_is_sent_to_the_sandbox(settings, member):
    settings.PROVIDERS = ["sandbox"]
    invite_id = invite(member)

    assert mail(invite_id).mail_at > timezone.now()

    assert not SandboxMessage.objects.exists()


def test_a_lost_key_is_reported_like_a_rejection(sink, settings, member):
    invite_id = invite(member)
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]

    assert mail(invite_id).undelivered_at is not None

    assert sink.messages == []


def test_a_waiting_link_can_be_decrypted_with_the_newest_key(sink, settings, member):
    invite_id = invite(member)
    newest = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [newest, *settings.FIELD_KEYS]

    call_command("rotate_keys")

    settings.FIELD_KEYS = [newest]
    assert mail(invite_id).undelivered_at is None
    assert len(sink.messages) == 1
