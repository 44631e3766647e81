"""From the stored row to the outcome: claims, the sandbox, test keys, retries and giving up."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from config import figures
from config.models import Figure
from notifications.delivery import unsubscribe_links
from notifications.delivery.deliver import deliver, hand_over, status_once_accepted
from notifications.delivery.messages import Accepted
from notifications.delivery.outgoing import message_for
from notifications.delivery.providers import sandbox
from notifications.models import (
    CallbackDelivery,
    Channel,
    Claim,
    KeyType,
    Notification,
    SandboxMessage,
    Sent,
    Status,
)
from notifications.models.claim import LOST
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

pytestmark = pytest.mark.django_db

NOBODY = "smtp-1=smtp://127.0.0.1:1"  # nothing listens there


def test_an_email_arrives_in_the_sandbox_and_the_row_says_so():
    service = make_service(name="Parks & Gardens")
    message = make_notification(
        make_template(service), body="Dear **Ana**\n\nSee [us](https://example.org/a).", subject="Your visit",
        reply_to=make_reply_to(service, "office@parks.example.org"),
    )  # fmt: skip

    assert deliver(message.id) is None

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

    deliver(message.id)

    message.refresh_from_db()
    content = SandboxMessage.objects.get(notification_id=message.id).content
    assert message.status == Status.DELIVERED
    assert (content.to, content.sender, content.text) == ("447700900123", "447700900777", "Hi Ana")
    assert (content.subject, content.html) == (None, None)


def test_without_a_sender_the_default_of_the_settings_is_used(settings):
    settings.DEFAULT_SMS_SENDER = "FALLBACK"
    message = make_notification(make_template(channel=Channel.SMS))

    deliver(message.id)

    assert SandboxMessage.objects.get().content.sender == "FALLBACK"


def test_what_the_sandbox_keeps_is_sealed():
    deliver(make_notification(body="a secret word").id)

    assert b"secret word" not in bytes(SandboxMessage.objects.get().sealed)


def test_an_unsubscribe_link_ends_the_email_and_the_callers_url_goes_into_headers():
    message = make_notification(unsubscribe_link=True, one_click_unsubscribe_url="https://example.org/u?x=1")

    deliver(message.id)

    content = SandboxMessage.objects.get().content
    assert unsubscribe_links.url(message) in content.text
    assert content.headers["List-Unsubscribe"] == "<https://example.org/u?x=1>"
    assert content.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "https://example.org/u" not in content.text


def test_delivering_costs_one_claim_and_one_final_update(django_assert_num_queries, settings):
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"smtp-1={server.url}"]
        deliver(make_notification().id)  # opens the connection, and looks whether a provider is paused
        message = make_notification()

        with django_assert_num_queries(2):
            deliver(message.id)

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


def test_a_task_that_comes_twice_sends_once():
    message = make_notification()

    deliver(message.id)
    deliver(message.id)

    assert SandboxMessage.objects.count() == 1
    assert Notification.objects.get().attempt == 1


def test_a_message_that_is_gone_is_no_error():
    message = make_notification()
    message.delete()

    assert deliver(message.id or make_notification().id) is None


def test_a_scheduled_message_waits_for_its_time():
    later = timezone.now() + timedelta(minutes=5)
    message = make_notification(scheduled_for=later, due_at=later, next_attempt_at=later)

    deliver(message.id)

    message.refresh_from_db()
    assert (message.status, message.attempt) == (Status.CREATED, 0)


@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEST])
def test_a_message_of_a_service_archived_meanwhile_fails(key_type):
    message = make_notification(make_template(make_service(active=False)), key_type=key_type)

    deliver(message.id)

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
def test_a_test_keys_message_ends_at_once_and_no_provider_sees_it(settings, channel, recipient, status):
    settings.PROVIDERS = [NOBODY]
    message = make_notification(
        make_template(channel=channel), recipient, key_type=KeyType.TEST, is_international=recipient.startswith("+1")
    )

    deliver(message.id)

    message.refresh_from_db()
    assert (message.status, message.provider) == (status, "")
    assert message.sent_at is not None
    assert message.completed_at is not None


@pytest.mark.parametrize("shown", [True, False])
def test_a_test_keys_message_is_seen_in_the_inbox_where_there_is_one(settings, shown):
    settings.SANDBOX_INBOX = shown

    deliver(make_notification(key_type=KeyType.TEST).id)

    assert SandboxMessage.objects.count() == (1 if shown else 0)


def test_a_provider_that_is_away_leaves_the_message_for_later(settings):
    settings.PROVIDERS = [NOBODY]
    message = make_notification()

    delay = deliver(message.id)

    message.refresh_from_db()
    assert delay is not None
    assert timedelta(seconds=4) <= delay <= timedelta(seconds=6)
    assert (message.status, message.failed_attempts, message.claimed_until) == (Status.CREATED, 1, None)
    assert is_tried_again_in(message, delay, delay)
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
def test_a_refusal_for_good_ends_the_message_after_one_try(settings, stage, status):
    message = make_notification()
    with ScriptedServer(**{stage: "550 no"}) as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        assert deliver(message.id) is None

    message.refresh_from_db()
    assert (message.status, message.attempt, message.sent_at) == (status, 1, None)
    assert message.completed_at is not None
    assert message.attempts[0]["reply"] == ("550 no (after the content)" if stage == "CONTENT" else "550 no")


def test_an_email_that_a_mail_server_accepted_is_delivered_as_nothing_more_will_be_reported(settings):
    message = make_notification()
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        deliver(message.id)

    message.refresh_from_db()
    assert (message.status, message.provider, message.is_acceptance_final) == (Status.DELIVERED, "mail", True)
    assert message.completed_at == message.sent_at
    assert message.provider_reference == f"<{message.id}@signalbox.invalid>"


def test_a_reply_that_no_database_could_hold_is_no_reason_to_send_again(settings):
    message = make_notification()
    with ScriptedServer(CONTENT="250 taken\0\x1b[31m") as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        deliver(message.id)

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert message.attempts[0]["reply"] == "250 taken[31m"


@pytest.mark.parametrize(
    ("channel", "is_international", "has_arrived", "reports", "status"),
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
def test_what_an_acceptance_makes_of_a_message(channel, is_international, has_arrived, reports, status):
    message = make_notification(make_template(channel=channel), is_international=is_international)
    accepted = Accepted(reference="r", has_arrived=has_arrived)

    assert status_once_accepted(message, accepted, reports=reports) == status


def test_a_service_with_a_callback_is_called_once_when_acceptance_is_final(settings):
    endpoint = make_callback()
    message = make_notification(make_template(endpoint.service))
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        deliver(message.id)
        deliver(message.id)

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

    deliver(message.id)

    message.refresh_from_db()
    [attempt] = message.attempts
    assert (attempt["outcome"], attempt["reply"]) == ("temporary", words)


def test_no_provider_for_the_channel_is_a_failed_attempt(settings):
    settings.PROVIDERS = [NOBODY]
    message = make_notification(make_template(channel=Channel.SMS))

    assert deliver(message.id) is not None

    message.refresh_from_db()
    assert message.attempts[0]["reply"] == "no provider can take it now"


def test_the_first_failure_is_followed_at_once_by_another_provider(settings):
    settings.PROVIDERS = ["away=smtp://127.0.0.1:1", "sandbox"]
    message = make_notification()

    delay = deliver(message.id)
    deliver(message.id)

    message.refresh_from_db()
    assert delay == timedelta(0)
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
def test_trying_ends_at_the_give_up_time_after_the_message_was_due(settings, channel, hours, gives_up):
    settings.PROVIDERS = [NOBODY]
    due = timezone.now() - timedelta(hours=hours)
    message = make_notification(make_template(channel=channel), due_at=due, next_attempt_at=due, failed_attempts=9)

    delay = deliver(message.id)

    message.refresh_from_db()
    assert message.status == (Status.TECHNICAL_FAILURE if gives_up else Status.CREATED)
    assert (delay is None) == gives_up
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
        {},  # never tried: worker or broker were away, or a backup was restored
        {"attempt": 1, "failed_attempts": 1, "provider": "sandbox", "attempts": [{**LOST, "outcome": "temporary"}]},
    ],
)
def test_a_message_past_its_time_ends_as_a_failure_and_never_goes_out(channel, fields):
    message = past_its_time(channel, **fields)
    endpoint = make_callback(message.service)

    assert deliver(message.id) is None

    message.refresh_from_db()
    owed = CallbackDelivery.objects.get(endpoint=endpoint)
    assert (message.status, owed.status) == (Status.TECHNICAL_FAILURE, Status.TECHNICAL_FAILURE)
    assert (message.sent_at, message.provider) == (None, fields.get("provider", ""))
    assert [one["outcome"] for one in message.attempts] == ["temporary"] * len(fields.get("attempts", [])) + ["expired"]
    assert SandboxMessage.objects.count() == 0


def test_a_message_just_within_its_time_goes_out():
    due = timezone.now() - LATE[Channel.EMAIL] + timedelta(minutes=1)
    message = make_notification(due_at=due, next_attempt_at=due)

    deliver(message.id)

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


def test_a_message_past_its_time_that_a_provider_has_already_is_found_there():
    message = past_its_time()
    claim = Claim.take(message.id)
    sandbox.keep(message_for(claim))
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    deliver(message.id)

    message.refresh_from_db()
    assert (message.status, SandboxMessage.objects.count()) == (Status.DELIVERED, 1)


def test_a_message_that_no_provider_can_take_in_time_has_expired(settings):
    settings.PROVIDERS = [NOBODY]
    message = past_its_time(Channel.SMS)
    figures.flush()
    Figure.objects.all().delete()

    deliver(message.id)

    figures.flush()
    message.refresh_from_db()
    assert [(one["provider"], one["outcome"]) for one in message.attempts] == [("", "expired")]
    counted = {(row.name, row.labels): row.value for row in Figure.objects.all()}
    assert counted == {
        ("signalbox_messages", '["sms", "live", "technical-failure"]'): 1,
        ("signalbox_messages_expired", '["sms", "live"]'): 1,
    }


def test_a_late_finisher_changes_nothing():
    message = make_notification()
    late = Claim.take(message.id)
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    deliver(message.id)
    after = Notification.objects.values().get()

    attempt = {"at": None, "provider": "late", "outcome": "accepted", "reply": "", "ms": 1}
    assert late is not None
    for status in (Status.SENDING, Status.DELIVERED):
        assert not late.mark_sent(attempt, Sent(status=status, at=timezone.now(), provider="late"))
    assert not late.release(attempt, delay=timedelta(0))
    assert not late.fail(attempt, status=Status.TECHNICAL_FAILURE, at=timezone.now())

    assert Notification.objects.values().get() == after


def mark_sent_and_take(claim: Claim, then: Notification, status: Status = Status.SENDING) -> tuple[bool, Claim | None]:
    attempt = {"at": None, "provider": "mail", "outcome": "accepted", "reply": "250 fine", "ms": 1}
    sent = Sent(status=status, at=timezone.now(), provider="mail", reference="<1@mail>")
    return claim.mark_sent_and_take(then.id, attempt, sent)


def test_a_final_word_owes_its_callback_and_the_next_message_is_taken_too():
    endpoint = make_callback()
    first, second = make_notification(make_template(endpoint.service)), make_notification()

    was_ours, following = mark_sent_and_take(Claim.take(first.id), second, Status.DELIVERED)

    first.refresh_from_db()
    assert (was_ours, following.notification.id) == (True, second.id)
    assert (first.status, first.provider_reference) == (Status.DELIVERED, "<1@mail>")
    assert CallbackDelivery.objects.get().notification_id == first.id


def test_the_word_on_one_message_and_the_claim_of_the_next_go_together():
    first, second = make_notification(), make_notification(body="the second", sealed_outgoing=None)

    was_ours, following = mark_sent_and_take(Claim.take(first.id), second)

    first.refresh_from_db()
    assert was_ours
    assert (first.status, first.provider, first.provider_reference) == (Status.SENDING, "mail", "<1@mail>")
    assert (first.claimed_until, first.completed_at) == (None, None)
    assert first.sent_at is not None
    assert [attempt["reply"] for attempt in first.attempts] == ["250 fine"]
    assert (following.notification.id, following.notification.body) == (second.id, "the second")
    assert following.service_name == second.service.name
    assert Claim.take(second.id) is None


def test_many_in_a_row_are_taken_by_one_statement_that_the_server_keeps():
    """SQLite has no server: it takes them alike."""
    messages = [make_notification(body=f"number {number}") for number in range(9)]
    claim = Claim.take(messages[0].id)
    for number, following in enumerate(messages[1:], start=1):
        was_ours, claim = mark_sent_and_take(claim, following)
        assert (was_ours, claim.notification.body) == (True, f"number {number}")
        assert (claim.notification.attempts, claim.notification.due_at) == ([], following.due_at)

    assert mark_sent_and_take(claim, messages[0]) == (True, None)

    assert Notification.objects.filter(status=Status.SENDING, claimed_until=None).count() == 9
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement FROM pg_prepared_statements")
            assert any("WITH sent AS" in statement for (statement,) in cursor.fetchall())


def test_the_word_on_a_message_is_kept_though_the_next_is_in_other_hands():
    first, second = make_notification(), make_notification()
    claim = Claim.take(first.id)
    Claim.take(second.id)

    assert mark_sent_and_take(claim, second) == (True, None)

    first.refresh_from_db()
    assert first.status == Status.SENDING


def test_a_late_finisher_may_take_the_next_message():
    first, second = make_notification(), make_notification()
    late = Claim.take(first.id)
    Notification.objects.filter(id=first.id).update(attempt=2)

    was_ours, following = mark_sent_and_take(late, second)

    first.refresh_from_db()
    assert (was_ours, first.status, first.provider) == (False, Status.CREATED, "")
    assert following.notification.id == second.id


def test_a_claim_that_left_no_word_is_noted_as_uncertain():
    message = make_notification()
    Claim.take(message.id)
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    deliver(message.id)

    message.refresh_from_db()
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "accepted"]


def test_after_a_death_the_sandbox_is_asked_and_its_inbox_holds_the_message_once():
    message = make_notification()
    sandbox.Sandbox().send(message_for(Claim.take(message.id)))  # and the worker died before it could note that
    Notification.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    deliver(message.id)

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "accepted"]
    assert SandboxMessage.objects.filter(notification_id=message.id).count() == 1


def test_a_claimed_message_is_nobody_elses():
    message = make_notification()

    assert Claim.take(message.id) is not None
    assert Claim.take(message.id) is None


@pytest.mark.django_db(transaction=True)
def test_of_eight_workers_that_claim_at_once_one_wins():
    messages = [make_notification().id for _ in range(5)]
    won: list[object] = []
    ready = threading.Barrier(8)

    def claim_all() -> None:
        try:
            for message in messages:
                ready.wait(10)
                won.extend([message] if Claim.take(message) else [])
        finally:
            connection.close()

    threads = [threading.Thread(target=claim_all) for _ in range(8)]
    connection.close()  # back into the pool, which has eight
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(map(str, won)) == sorted(map(str, messages))


@pytest.mark.django_db(transaction=True)  # as in a worker: the connection may be opened again
@pytest.mark.parametrize("then", [False, True])
def test_an_acceptance_that_the_database_did_not_take_is_noted_again_and_nothing_goes_twice(settings, then):
    message, other = make_notification(), make_notification()
    failing = FailingUpdates(2)
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]
        claim = Claim.take(message.id)

        with connection.execute_wrapper(failing):
            delay, following = hand_over(claim, then=other.id if then else None)

        message.refresh_from_db()
        assert (delay, failing.left, len(server.contents)) == (None, 0, 1)
        assert (following.notification.id if following else None) == (other.id if then else None)
    assert (message.status, [one["outcome"] for one in message.attempts]) == (Status.DELIVERED, ["accepted"])


class FailingUpdates:
    """A database that does not carry out the next updates."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, execute, sql, params, many, context):
        if self.left and "SET" in sql:
            self.left -= 1
            raise OperationalError("no more connections")
        return execute(sql, params, many, context)


@pytest.mark.parametrize("reference", ["m-\0-1", "m-\ud800-1", "m" * 300])
def test_a_name_that_no_database_could_hold_is_no_reason_to_send_again(settings, reference):
    body = json.dumps({"reference": reference})
    message = make_notification(make_template(channel=Channel.SMS))
    with ScriptedGateway([answer("200 OK", body)]) as gateway:
        settings.PROVIDERS = [f"gateway-1={gateway.url}?token=t"]

        deliver(message.id)

    message.refresh_from_db()
    is_noted = len(reference) <= 255
    assert (message.status == Status.SENDING) == is_noted
    assert message.provider_reference == ("m--1" if is_noted else "")


def test_an_error_before_any_provider_was_called_is_no_doubt():
    message = make_notification(sealed_outgoing=b"sealed under a key that is not here")

    assert deliver(message.id) is not None

    message.refresh_from_db()
    assert [(one["provider"], one["outcome"]) for one in message.attempts] == [("", "temporary")]
    assert message.attempts[0]["reply"] == "Signalbox had an error of its own. Operators find it in the log."
