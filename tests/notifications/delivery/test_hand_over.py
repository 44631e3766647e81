"""From the stored row to the outcome: claims, the sandbox, test keys, retries and giving up."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from config.metrics import registry
from config.metrics.models import MetricValue
from notifications.delivery import unsubscribe_links
from notifications.delivery.claiming import LOST, RecordedMessage, Sent, put_back, record_sent
from notifications.delivery.hand_over import status_once_accepted
from notifications.delivery.messages import Accepted
from notifications.delivery.outgoing import message_for
from notifications.delivery.providers import sandbox
from notifications.models import CallbackDelivery, Channel, KeyType, Notification, SandboxMessage, Status
from tests.factories import (
    make_callback,
    make_notification,
    make_reply_to,
    make_service,
    make_sms_sender,
    make_template,
)
from tests.notifications.delivery.gateways import ScriptedGateway, answer
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.delivery.next_try import is_tried_again_in
from tests.notifications.draining import claim_one, drain, drain_messages

pytestmark = pytest.mark.django_db

NOBODY = "smtp-1=smtp://127.0.0.1:1"  # nothing listens there


def test_an_email_arrives_in_the_sandbox_and_is_recorded():
    service = make_service(name="Parks & Gardens")
    message = make_notification(
        make_template(service), body="Dear **Ana**\n\nSee [us](https://example.org/a).", subject="Your visit",
        reply_to=make_reply_to(service, "office@parks.example.org"),
    )  # fmt: skip

    assert drain_messages() == set()

    message.refresh_from_db()
    assert (message.status, message.provider, message.attempt) == (Status.DELIVERED, "sandbox", 1)
    assert message.sent_at is not None
    assert message.completed_at == message.sent_at
    content = SandboxMessage.objects.get(notification_id=message.id).content
    assert (content.to, content.subject) == ("ana@example.com", "Your visit")
    assert content.sender == "Parks & Gardens <parks.gardens@signalbox.invalid>"
    assert "us: https://example.org/a" in content.text
    assert '<a href="https://example.org/a"' in (content.html or "")
    assert content.headers["Reply-To"] == "office@parks.example.org"
    assert content.headers["Message-ID"] == f"<{message.id}@signalbox.invalid>"


def test_a_text_message_arrives_in_the_sandbox():
    service = make_service()
    template = make_template(service, Channel.SMS)
    message = make_notification(template, body="Hi Ana", sms_sender=make_sms_sender(service, "07700 900777"))

    drain_messages()

    message.refresh_from_db()
    content = SandboxMessage.objects.get(notification_id=message.id).content
    assert message.status == Status.DELIVERED
    assert (content.to, content.sender, content.text) == ("447700900123", "447700900777", "Hi Ana")
    assert (content.subject, content.html) == (None, None)


def test_without_a_sender_the_default_of_the_settings_is_used(settings):
    settings.DEFAULT_SMS_SENDER = "FALLBACK"
    make_notification(make_template(channel=Channel.SMS))

    drain_messages()

    assert SandboxMessage.objects.get().content.sender == "FALLBACK"


def test_messages_in_the_sandbox_are_encrypted():
    make_notification(body="a secret word")
    drain_messages()

    assert b"secret word" not in bytes(SandboxMessage.objects.get().encrypted_content)


def test_the_unsubscribe_link_is_at_the_end_and_the_callers_url_in_headers():
    message = make_notification(unsubscribe_link=True, one_click_unsubscribe_url="https://example.org/u?x=1")

    drain_messages()

    content = SandboxMessage.objects.get().content
    assert unsubscribe_links.url(message) in content.text
    assert content.headers["List-Unsubscribe"] == "<https://example.org/u?x=1>"
    assert content.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "https://example.org/u" not in content.text


def test_sending_needs_one_claim_one_update_and_one_further_query(django_assert_num_queries, settings):
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"smtp-1={server.url}"]
        make_notification()
        drain_messages()  # opens the connection, and checks the circuit breakers
        message = make_notification()

        with django_assert_num_queries(3 if connection.vendor == "postgresql" else 4):  # the last finds nothing
            drain(Channel.EMAIL)

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


def test_a_duplicate_wake_up_sends_once():
    make_notification()

    drain_messages()
    drain_messages()

    assert SandboxMessage.objects.count() == 1
    assert Notification.objects.get().attempt == 1


def test_a_scheduled_message_waits_for_its_time():
    later = timezone.now() + timedelta(minutes=5)
    message = make_notification(scheduled_for=later, due_at=later, next_attempt_at=later)

    drain_messages()

    message.refresh_from_db()
    assert (message.status, message.attempt) == (Status.CREATED, 0)


@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEST])
def test_a_message_of_an_archived_service_fails(key_type):
    message = make_notification(make_template(make_service(active=False)), key_type=key_type)

    drain_messages()

    message.refresh_from_db()
    assert message.status == Status.TECHNICAL_FAILURE
    assert message.completed_at is not None
    assert message.sent_at is None
    assert SandboxMessage.objects.count() == 0


@pytest.mark.parametrize(
    ("channel", "recipient", "status"),
    [
        (Channel.EMAIL, "anyone@example.org", Status.DELIVERED),
        (Channel.EMAIL, "Temp-Fail@simulator.notify", Status.TEMPORARY_FAILURE),
        (Channel.EMAIL, "perm-fail@simulator.notify", Status.PERMANENT_FAILURE),
        (Channel.SMS, "07700 900123", Status.DELIVERED),
        (Channel.SMS, "+1 415 555 2671", Status.DELIVERED),
        (Channel.SMS, "07700 900003", Status.TEMPORARY_FAILURE),
        (Channel.SMS, "+44 7700 900002", Status.PERMANENT_FAILURE),
    ],
)
@pytest.mark.fault("G5")
def test_a_message_of_a_test_key_ends_at_once_without_a_provider(settings, channel, recipient, status):
    settings.PROVIDERS = [NOBODY]
    message = make_notification(
        make_template(channel=channel), recipient, key_type=KeyType.TEST, is_international=recipient.startswith("+1")
    )

    drain_messages()

    message.refresh_from_db()
    assert (message.status, message.provider) == (status, "")
    assert message.sent_at is not None
    assert message.completed_at is not None


@pytest.mark.parametrize("shown", [True, False])
def test_a_message_of_a_test_key_is_shown_in_the_inbox(settings, shown):
    settings.SANDBOX_INBOX = shown

    make_notification(key_type=KeyType.TEST)
    drain_messages()

    assert SandboxMessage.objects.count() == (1 if shown else 0)


def test_an_unavailable_provider_delays_the_message(settings):
    settings.PROVIDERS = [NOBODY]
    message = make_notification()

    [delay] = drain_messages()

    message.refresh_from_db()
    assert 4 <= delay <= 7  # rounded up
    assert (message.status, message.failed_attempts, message.claimed_until) == (Status.CREATED, 1, None)
    assert is_tried_again_in(message, timedelta(seconds=4), timedelta(seconds=6))
    [attempt] = message.attempts
    assert (attempt["provider"], attempt["outcome"]) == ("smtp-1", "temporary")
    assert attempt["ms"] >= 0


@pytest.mark.parametrize(
    ("stage", "status"),
    [
        ("RCPT", Status.PERMANENT_FAILURE),
        ("CONTENT", Status.PERMANENT_FAILURE),
        ("MAIL", Status.TECHNICAL_FAILURE),
        ("DATA", Status.TECHNICAL_FAILURE),
    ],
)
def test_a_permanent_rejection_ends_the_message_after_one_attempt(settings, stage, status):
    message = make_notification()
    with ScriptedServer(**{stage: "550 no"}) as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        assert drain_messages() == set()

    message.refresh_from_db()
    assert (message.status, message.attempt, message.sent_at) == (status, 1, None)
    assert message.completed_at is not None
    assert message.attempts[0]["reply"] == ("550 no (after the content)" if stage == "CONTENT" else "550 no")


def test_an_email_that_a_mail_server_accepted_is_delivered(settings):
    message = make_notification()
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        drain_messages()

    message.refresh_from_db()
    assert (message.status, message.provider, message.is_acceptance_final) == (Status.DELIVERED, "mail", True)
    assert message.completed_at == message.sent_at
    assert message.provider_reference == f"<{message.id}@signalbox.invalid>"


def test_a_reply_that_cannot_be_stored_does_not_repeat_the_send(settings):
    message = make_notification()
    with ScriptedServer(CONTENT="250 taken\0\x1b[31m") as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        drain_messages()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert message.attempts[0]["reply"] == "250 taken[31m"


@pytest.mark.parametrize(
    ("channel", "is_international", "has_arrived", "has_receipts", "status"),
    [
        (Channel.SMS, False, False, True, Status.SENDING),
        (Channel.SMS, False, False, False, Status.SENT),
        (Channel.SMS, True, False, True, Status.SENT),
        (Channel.SMS, True, False, False, Status.SENT),
        (Channel.SMS, True, True, True, Status.DELIVERED),
        (Channel.EMAIL, False, False, True, Status.SENDING),
        (Channel.EMAIL, False, False, False, Status.DELIVERED),
        (Channel.EMAIL, False, True, True, Status.DELIVERED),
    ],
)
def test_an_acceptance_sets_the_status(channel, is_international, has_arrived, has_receipts, status):
    message = make_notification(make_template(channel=channel), is_international=is_international)
    accepted = Accepted(reference="r", has_arrived=has_arrived)

    assert status_once_accepted(message, accepted, has_receipts=has_receipts) == status


def test_a_service_with_a_callback_is_called_once_when_acceptance_is_final(settings):
    endpoint = make_callback()
    message = make_notification(make_template(endpoint.service))
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        drain_messages()
        drain_messages()

    owed = CallbackDelivery.objects.get()
    message.refresh_from_db()
    assert (owed.status, owed.completed_at) == (Status.DELIVERED, message.completed_at)
    assert (message.provider_reference, message.is_acceptance_final) == (f"<{message.id}@signalbox.invalid>", True)


@pytest.mark.parametrize(
    ("channel", "provider"),
    [
        (Channel.EMAIL, "p=smtp://{host}"),
        (Channel.EMAIL, "p=smtps://{host}"),
        (Channel.EMAIL, "p=anymail+postmark://?server_token=secret&api_url=http://{host}/secret/path"),
        (Channel.SMS, "p=http://user:secret@{host}/secret/path?token=secret"),
        (Channel.SMS, "p=smpp://id:secret@{host}"),
        (Channel.SMS, "p=sns://key:secret@eu-west-2?endpoint=http://{host}"),
    ],
)
@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("127.0.0.1:1", "Its host refused the connection."),
        ("localhost:1", "Its host refused the connection."),
    ],
)
def test_a_provider_that_cannot_be_reached_is_named_in_a_plain_sentence(settings, channel, provider, host, words):
    settings.PROVIDERS = [provider.format(host=host)]
    message = make_notification(make_template(channel=channel))

    drain_messages()

    message.refresh_from_db()
    [attempt] = message.attempts
    assert (attempt["outcome"], attempt["reply"]) == ("temporary", words)


def test_a_channel_without_a_provider_is_a_failed_attempt(settings):
    settings.PROVIDERS = [NOBODY]
    message = make_notification(make_template(channel=Channel.SMS))

    assert drain_messages()

    message.refresh_from_db()
    assert message.attempts[0]["reply"] == "no provider can accept it now"


def test_the_first_failure_is_followed_at_once_by_another_provider(settings):
    settings.PROVIDERS = ["away=smtp://127.0.0.1:1", "sandbox"]
    message = make_notification()

    assert drain_messages() == set()

    message.refresh_from_db()
    assert (message.status, message.provider) == (Status.DELIVERED, "sandbox")
    assert [attempt["provider"] for attempt in message.attempts] == ["away", "sandbox"]


@pytest.mark.parametrize(
    ("channel", "hours", "gives_up"),
    [
        (Channel.EMAIL, 71.9, False),
        (Channel.EMAIL, 72.1, True),
        (Channel.SMS, 3.9, False),
        (Channel.SMS, 4.1, True),
    ],
)
def test_attempts_end_at_the_give_up_time_after_the_due_time(settings, channel, hours, gives_up):
    settings.PROVIDERS = [NOBODY]
    due = timezone.now() - timedelta(hours=hours)
    message = make_notification(make_template(channel=channel), due_at=due, next_attempt_at=due, failed_attempts=9)

    retries = drain_messages()

    message.refresh_from_db()
    assert message.status == (Status.TECHNICAL_FAILURE if gives_up else Status.CREATED)
    assert bool(retries) != gives_up
    outcomes = [attempt["outcome"] for attempt in message.attempts]
    assert outcomes == ["expired" if gives_up else "temporary"]
    if not gives_up:
        assert message.next_attempt_at <= due + timedelta(hours=72 if channel == Channel.EMAIL else 4, seconds=1)


LATE = {Channel.EMAIL: timedelta(hours=72, seconds=5), Channel.SMS: timedelta(hours=4, seconds=5)}


def past_its_time(channel=Channel.EMAIL, **fields):
    due = timezone.now() - LATE[channel]
    return make_notification(make_template(channel=channel), due_at=due, next_attempt_at=due, **fields)


@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize(
    "fields",
    [
        {},  # never tried: worker or broker were unavailable, or a backup was restored
        {"attempt": 1, "failed_attempts": 1, "provider": "sandbox", "attempts": [{**LOST, "outcome": "temporary"}]},
    ],
)
def test_an_expired_message_fails_and_is_never_sent(channel, fields):
    message = past_its_time(channel, **fields)
    endpoint = make_callback(message.service)

    assert drain_messages() == set()

    message.refresh_from_db()
    owed = CallbackDelivery.objects.get(endpoint=endpoint)
    assert (message.status, owed.status) == (Status.TECHNICAL_FAILURE, Status.TECHNICAL_FAILURE)
    assert (message.sent_at, message.provider) == (None, fields.get("provider", ""))
    assert [one["outcome"] for one in message.attempts] == ["temporary"] * len(fields.get("attempts", [])) + ["expired"]
    assert SandboxMessage.objects.count() == 0


def test_a_message_just_within_its_time_is_sent():
    due = timezone.now() - LATE[Channel.EMAIL] + timedelta(minutes=1)
    message = make_notification(due_at=due, next_attempt_at=due)

    drain_messages()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


def test_an_expired_message_that_a_provider_has_is_found_there():
    message = past_its_time()
    claim = claim_one(message.id)
    sandbox.keep(message_for(claim))
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    drain_messages()

    message.refresh_from_db()
    assert (message.status, SandboxMessage.objects.count()) == (Status.DELIVERED, 1)


def test_a_message_that_no_provider_accepts_in_time_expires(settings):
    settings.PROVIDERS = [NOBODY]
    message = past_its_time(Channel.SMS)
    registry.flush()
    MetricValue.objects.all().delete()

    drain_messages()

    registry.flush()
    message.refresh_from_db()
    assert [(one["provider"], one["outcome"]) for one in message.attempts] == [("", "expired")]
    counted = {(row.name, row.labels): row.value for row in MetricValue.objects.all()}
    assert counted == {
        ("signalbox_messages", '["sms", "live", "technical-failure"]'): 1,
        ("signalbox_messages_expired", '["sms", "live"]'): 1,
    }


def test_a_late_result_changes_nothing():
    message = make_notification()
    late = claim_one(message.id)
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    drain_messages()
    after = Notification.objects.values().get()

    attempt = {"at": None, "provider": "late", "outcome": "accepted", "reply": "", "ms": 1}
    assert late is not None
    for status in (Status.SENDING, Status.DELIVERED):
        sent = Sent(status=status, at=timezone.now(), provider="late")
        assert record_sent([RecordedMessage(claim=late, attempt=attempt, sent=sent)]) == [False]
    assert not late.release(attempt, delay=timedelta(0))
    assert not late.fail(attempt, status=Status.TECHNICAL_FAILURE, at=timezone.now())
    assert not late.put_back()
    put_back([late])

    assert Notification.objects.values().get() == after


def test_a_claim_without_a_result_is_recorded_as_uncertain():
    message = make_notification()
    claim_one(message.id)
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    drain_messages()

    message.refresh_from_db()
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "accepted"]


@pytest.mark.fault("B5")
def test_after_the_death_of_a_worker_the_sandbox_has_the_message_once():
    message = make_notification()
    sandbox.Sandbox().send(message_for(claim_one(message.id)))  # and the worker died before it could record that
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    drain_messages()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "accepted"]
    assert SandboxMessage.objects.filter(notification_id=message.id).count() == 1


@pytest.mark.parametrize("reference", ["m-\0-1", "m-\ud800-1", "m" * 300])
def test_a_reference_that_cannot_be_stored_does_not_repeat_the_send(settings, reference):
    body = json.dumps({"reference": reference})
    message = make_notification(make_template(channel=Channel.SMS))
    with ScriptedGateway([answer("200 OK", body)]) as gateway:
        settings.PROVIDERS = [f"gateway-1={gateway.url}?token=t"]

        drain_messages()

    message.refresh_from_db()
    is_noted = len(reference) <= 255
    assert (message.status == Status.SENDING) == is_noted
    assert message.provider_reference == ("m--1" if is_noted else "")


def test_an_error_before_the_provider_is_called_is_not_uncertain():
    message = make_notification(encrypted_outgoing=b"encrypted under a key that is not here")

    assert drain_messages()

    message.refresh_from_db()
    assert [(one["provider"], one["outcome"]) for one in message.attempts] == [("", "temporary")]
    assert message.attempts[0]["reply"] == "Signalbox failed with an unexpected error. The log has the details."
