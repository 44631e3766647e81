"""One message of the inbox can be sent for real to a person of the team, and to nobody else."""

import pytest

from notifications.delivery import providers
from notifications.models import Channel, KeyType
from notifications.submission import ttl_cache
from tests import factories
from tests.notifications.sandbox.test_inbox_api import arrive


@pytest.fixture
def message(db):
    service = factories.make_service()
    factories.make_team_member(service, "team@example.org")
    return factories.make_notification(factories.make_template(service), key_type=KeyType.TEST)


@pytest.fixture
def mail(settings, smtp_sink):
    providers._providers.cache_clear()
    settings.PROVIDERS = [f"smtp-1={smtp_sink.url}"]
    ttl_cache.clear()
    return smtp_sink


def release(call, message, to):
    entry = arrive(notification_id=message.pk, headers={"List-Unsubscribe": "<https://example.org/u>"})
    return call("POST", f"messages/{entry.pk}/release", {"to": to})


def test_a_message_is_sent_to_a_member_of_the_team(call, message, mail):
    answer = release(call, message, "Team@example.org")

    assert answer.status_code == 200
    sent = mail.wait_for_message()
    assert (mail.envelopes[0].rcpt_tos, sent["Subject"]) == (["Team@example.org"], "Hello")
    assert "List-Unsubscribe" not in sent
    assert str(message.pk) not in sent["Message-ID"]


@pytest.mark.parametrize("to", ["ana@example.org", "nobody", ""])
def test_a_message_is_sent_to_nobody_else(call, message, mail, to):
    answer = release(call, message, to)

    assert (answer.status_code, mail.messages) == (400, [])
    assert answer.headers["Link"].endswith('/docs/#errors-sandbox-release>; rel="help"')


def test_a_message_is_not_sent_to_a_suppressed_member_of_the_team(call, message, mail):
    factories.make_suppression(message.service, "team@example.org")

    answer = release(call, message, "team@example.org")

    assert (answer.status_code, mail.messages) == (400, [])
    assert "the recipient is suppressed" in answer.json()["errors"][0]["message"]


def test_the_sandbox_alone_releases_nothing(call, message):
    answer = release(call, message, "team@example.org")

    assert answer.json()["errors"][0]["message"].endswith("no other provider than the sandbox")


def test_an_email_of_no_service_is_not_released(call, mail):
    entry = arrive(channel=Channel.EMAIL)

    assert call("POST", f"messages/{entry.pk}/release", {"to": "team@example.org"}).status_code == 400
