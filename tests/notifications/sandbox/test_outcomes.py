"""Each outcome of the sandbox ends in its status, callback, suppression and reply."""

from datetime import timedelta

import pytest
from django.utils import timezone

from notifications.delivery import providers
from notifications.models import (
    CallbackDelivery,
    CallbackEvent,
    Channel,
    KeyType,
    ReceivedEmail,
    ReceivedText,
    SandboxEvent,
    SandboxMessage,
    SandboxOutcome,
    SandboxRule,
    Status,
    Suppression,
)
from notifications.sandbox import outcomes
from notifications.sandbox.tasks import play_events
from notifications.tasks.upkeep import end_without_receipt
from tests import factories
from tests.notifications.draining import drain_messages

# The status, callbacks, suppressions and attempts of an email whose outcome was chosen while it waited.
CHOSEN_BEFORE = {
    "delivered": ("delivered", ["message.delivered"], [], ["accepted"]),
    "hard-bounce": ("permanent-failure", ["message.failed", "suppression.added"], ["hard_bounce"], ["accepted"]),
    "soft-bounce": ("delivered", ["message.delivered"], [], ["temporary", "accepted"]),
    "complaint": ("delivered", ["message.delivered", "suppression.added"], ["complaint"], ["accepted"]),
    "out-of-office": ("delivered", ["message.delivered", "received_email"], [], ["accepted"]),
    "reply": ("delivered", ["message.delivered", "received_email"], [], ["accepted"]),
    "no-receipt": ("sending", [], [], ["accepted"]),
    "provider-down": ("created", [], [], ["temporary"]),
}
EVENTS = [event.value for event in CallbackEvent if event is not CallbackEvent.MESSAGE_SENT]


@pytest.fixture(autouse=True)
def closed_breaker(settings):
    """Give each test the sandbox with a new circuit breaker, because outcomes open it."""
    providers._providers.cache_clear()
    settings.PROVIDERS = ["sandbox"]


@pytest.fixture
def service(db, settings):
    service = factories.make_service(stop_texts_suppress=True)
    factories.make_callback(service, kind="events", events=EVENTS)
    factories.make_reply_to(service, f"ask@{settings.EMAIL_DOMAIN}")
    return service


def send(service, channel=Channel.EMAIL, **fields):
    message = factories.make_notification(factories.make_template(service, channel), **fields)
    drain_messages()
    message.refresh_from_db()
    return message


def again(message):
    """Make a message due, as if its delay were over, and send it."""
    type(message).objects.filter(pk=message.pk).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    drain_messages()
    message.refresh_from_db()


def play(message):
    SandboxEvent.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    play_events()
    message.refresh_from_db()


def events():
    return sorted(CallbackDelivery.objects.values_list("event", flat=True))


@pytest.mark.parametrize(
    ("channel", "outcome", "before", "after", "callbacks", "reasons"),
    [
        ("email", "delivered", "sending", "delivered", ["message.delivered"], []),
        ("sms", "delivered", "sending", "delivered", ["message.delivered"], []),
        (
            *("email", "hard-bounce", "sending", "permanent-failure"),
            *(["message.failed", "suppression.added"], ["hard_bounce"]),
        ),
        ("sms", "hard-bounce", "sending", "permanent-failure", ["message.failed"], []),
        (
            *("email", "complaint", "delivered", "delivered"),
            *(["message.delivered", "suppression.added"], ["complaint"]),
        ),
        ("email", "out-of-office", "delivered", "delivered", ["message.delivered", "received_email"], []),
        ("email", "reply", "delivered", "delivered", ["message.delivered", "received_email"], []),
        ("sms", "reply", "delivered", "delivered", ["message.delivered", "received_text"], []),
    ],
)
def test_an_outcome_by_rule_has_its_status_callbacks_and_suppression(
    call, service, channel, outcome, before, after, callbacks, reasons
):
    assert call("POST", "rules", {"outcome": outcome, "seconds": 5}).status_code == 201

    message = send(service, Channel(channel))
    assert message.status == before
    play(message)

    assert (message.status, events()) == (after, callbacks)
    assert list(Suppression.objects.values_list("reason", flat=True)) == reasons
    assert SandboxMessage.objects.filter(notification_id=message.pk).count() == 1
    assert not SandboxEvent.objects.exists()


def test_stop_as_a_reply_suppresses_the_number(call, service):
    call("POST", "rules", {"outcome": "reply", "reply": "STOP"})

    message = send(service, Channel.SMS)
    play(message)

    assert ReceivedText.objects.get().content == "STOP"
    assert Suppression.objects.get().reason == "stop"


def test_an_out_of_office_reply_is_marked_as_automatic_and_answers_the_message(call, service):
    call("POST", "rules", {"outcome": "out-of-office", "reply": "Back on Monday"})

    message = send(service)
    play(message)

    reply = ReceivedEmail.objects.get()
    assert (reply.is_automatic, reply.notification_id, reply.content.text) == (True, message.pk, "Back on Monday")


def test_a_soft_bounce_is_tried_again_and_delivered(call, service):
    call("POST", "rules", {"outcome": "soft-bounce"})

    message = send(service)
    assert (message.status, message.attempts[0]["outcome"]) == (Status.CREATED, "temporary")
    again(message)

    assert message.status == Status.DELIVERED
    assert [one["outcome"] for one in message.attempts] == ["temporary", "accepted"]


def test_a_provider_that_is_down_opens_the_circuit_breaker_until_the_message_expires(call, service):
    call("POST", "rules", {"outcome": "provider-down"})

    message = send(service)
    for _ in range(providers.FAILURES - 1):
        again(message)
    assert not providers.configured()[0].breaker.allows()
    type(message).objects.filter(pk=message.pk).update(due_at=timezone.now() - timedelta(hours=73))
    again(message)

    assert (message.status, events()) == (Status.TECHNICAL_FAILURE, ["message.failed"])
    assert not SandboxMessage.objects.exists()


def test_a_message_without_a_receipt_fails_after_72_hours(call, service):
    call("POST", "rules", {"outcome": "no-receipt"})

    live, test = send(service), send(service, key_type=KeyType.TEST)
    assert (live.status, test.status) == (Status.SENDING, Status.SENDING)
    type(live).objects.update(sent_at=timezone.now() - timedelta(hours=73))
    end_without_receipt()

    for message in (live, test):
        message.refresh_from_db()
        assert message.status == Status.TEMPORARY_FAILURE


def test_a_slow_provider_takes_its_seconds(call, service):
    call("POST", "rules", {"outcome": "provider-slow", "seconds": 1})

    message = send(service)

    assert message.status == Status.DELIVERED
    assert message.attempts[0]["ms"] >= 1000


def test_a_message_of_a_test_key_bounces_and_suppresses_nobody(call, service):
    call("POST", "rules", {"outcome": "hard-bounce"})

    message = send(service, key_type=KeyType.TEST)
    play(message)

    assert (message.status, events()) == (Status.PERMANENT_FAILURE, ["message.failed"])
    assert not Suppression.objects.exists()


def test_a_message_of_a_test_key_is_tried_again_after_a_soft_bounce(call, service):
    call("POST", "rules", {"outcome": "soft-bounce"})

    message = send(service, key_type=KeyType.TEST)
    assert (message.status, message.provider) == (Status.CREATED, "")
    again(message)

    assert message.status == Status.DELIVERED
    assert [one["outcome"] for one in message.attempts] == ["temporary", "test"]


def test_an_event_waits_until_its_message_is_recorded_as_sent(service):
    message = factories.make_notification(factories.make_template(service))
    SandboxEvent.objects.store(message.pk, "complaint", seconds=0)

    play(message)

    assert SandboxEvent.objects.count() == 1
    assert message.receipts == []


@pytest.mark.parametrize(
    ("condition", "matches"),
    [
        ({}, True),
        ({"recipient": "*@FAIL.test"}, True),
        ({"recipient": "Ana@fail.test"}, True),
        ({"recipient": "*@example.org"}, False),
        ({"recipient": "[a-z]*@fail.test"}, False),
        ({"channel": "email"}, True),
        ({"channel": "sms"}, False),
    ],
)
def test_a_rule_matches_by_recipient_and_channel(call, service, condition, matches):
    call("POST", "rules", {"outcome": "no-receipt", **condition})

    message = send(service, recipient="ana@fail.test")

    assert message.status == (Status.SENDING if matches else Status.DELIVERED)


def test_a_rule_matches_by_template_and_key_and_the_newest_wins(call, service):
    key, template = factories.make_api_key(service), factories.make_template(service)
    call("POST", "rules", {"outcome": "no-receipt", "api_key_id": str(key.pk)})
    other = send(service, api_key=key)
    call("POST", "rules", {"outcome": "delivered", "template_id": str(template.pk)})
    message = factories.make_notification(template, api_key=key)
    drain_messages()
    message.refresh_from_db()

    assert (other.status, message.status) == (Status.SENDING, Status.DELIVERED)


def test_rules_are_listed_and_deleted(call):
    first = call("POST", "rules", {"outcome": "reply", "reply": "Yes", "recipient": "07700 900123"}).json()
    second = call("POST", "rules", {"outcome": "delivered"}).json()

    assert [rule["id"] for rule in call("GET", "rules").json()["rules"]] == [second["id"], first["id"]]
    assert (first["recipient"], first["reply"], first["channel"]) == ("447700900123", "Yes", None)
    assert call("DELETE", f"rules/{first['id']}").status_code == 204
    assert call("DELETE", f"rules/{first['id']}").status_code == 404
    assert call("DELETE", "rules").status_code == 204
    assert call("GET", "rules").json() == {"rules": []}


def test_an_outcome_can_be_chosen_for_a_message_that_has_arrived(call, service):
    message = send(service)
    entry = SandboxMessage.objects.get(notification_id=message.pk)

    answer = call("POST", f"messages/{entry.pk}/outcome", {"outcome": "hard-bounce"})

    assert (answer.status_code, answer.json()["status"]) == (200, "permanent-failure")
    assert events() == ["message.delivered", "message.failed", "suppression.added"]


def test_an_outcome_can_be_chosen_before_a_message_is_sent(call, service):
    message = factories.make_notification(factories.make_template(service))
    call("POST", f"messages/{message.pk}/outcome", {"outcome": "delivered"})
    call("POST", f"messages/{message.pk}/outcome", {"outcome": "no-receipt"})

    drain_messages()
    message.refresh_from_db()

    assert message.status == Status.SENDING
    assert not SandboxRule.objects.exists()


@pytest.mark.parametrize(("outcome", "expected"), CHOSEN_BEFORE.items())
def test_every_outcome_of_a_waiting_email_counts_against_any_rule(call, service, outcome, expected):
    """The callbacks, the suppression, the attempts and the circuit breaker follow, as they do with a provider."""
    message = factories.make_notification(factories.make_template(service))
    assert call("POST", f"messages/{message.pk}/outcome", {"outcome": outcome}).status_code == 200
    call("POST", "rules", {"outcome": "no-receipt"})

    drain_messages()
    if outcome == "soft-bounce":
        again(message)
    play(message)

    attempts = [one["outcome"] for one in message.attempts]
    reasons = list(Suppression.objects.values_list("reason", flat=True))
    assert (message.status, events(), reasons, attempts) == expected
    assert SandboxMessage.objects.count() == (outcome != "provider-down")
    assert SandboxRule.objects.count() == (2 if outcome == "provider-down" else 1)
    assert providers.configured()[0].breaker.allows()


def test_outcomes_of_waiting_messages_displace_no_rule_and_end_with_the_message(call, service, monkeypatch):
    monkeypatch.setattr(outcomes, "MOST_RULES", 2)
    call("POST", "rules", {"outcome": "hard-bounce", "recipient": "*@fail.test"})
    template = factories.make_template(service)
    waiting = [factories.make_notification(template) for _ in range(3)]
    answers = [call("POST", f"messages/{one.pk}/outcome", {"outcome": "delivered"}).status_code for one in waiting]
    type(waiting[0]).objects.filter(pk=waiting[0].pk).update(status=Status.CANCELLED)

    again = call("POST", f"messages/{waiting[2].pk}/outcome", {"outcome": "delivered"})
    sent = send(service, recipient="ana@fail.test")

    assert (answers, again.status_code, sent.status) == ([200, 200, 400], 200, Status.SENDING)
    assert SandboxRule.objects.get().recipient == "*@fail.test"


def test_no_outcome_changes_a_message_that_has_ended(call, service):
    template = factories.make_template(service)
    for status, possible in {
        Status.TECHNICAL_FAILURE: set(),
        Status.CANCELLED: set(),
        Status.TEMPORARY_FAILURE: {"hard-bounce"},
        Status.PERMANENT_FAILURE: {"hard-bounce"},
    }.items():
        message = factories.make_notification(template, status=status, provider="sandbox")
        for outcome in SandboxOutcome.values:
            answer = call("POST", f"messages/{message.pk}/outcome", {"outcome": outcome})
            assert answer.status_code == (200 if outcome in possible else 400), (status, outcome)
        message.refresh_from_db()
        assert message.status == status


def test_a_message_that_waits_for_a_real_provider_has_no_outcome(call, service, settings):
    settings.PROVIDERS = ["smtp-1=smtp://127.0.0.1:2525"]
    waiting = factories.make_notification(factories.make_template(service))
    of_test_key = factories.make_notification(factories.make_template(service), key_type=KeyType.TEST)

    answers = [call("POST", f"messages/{one.pk}/outcome", {"outcome": "delivered"}) for one in (waiting, of_test_key)]

    assert [one.status_code for one in answers] == [400, 200]
    assert SandboxRule.objects.get().notification_id == of_test_key.pk


def test_the_same_reply_twice_is_two_replies(call, service):
    email, text = send(service), send(service, Channel.SMS)

    for message in (email, text) * 2:
        call("POST", f"messages/{message.pk}/outcome", {"outcome": "reply", "reply": "Yes"})

    assert (ReceivedEmail.objects.count(), ReceivedText.objects.count()) == (2, 2)


WRONG_BODIES = [
    b'{"outcome":"delivered","seconds":NaN}', b'{"outcome":"delivered","seconds":1e400}',
    b'{"outcome":"delivered","seconds":1.5}', b'{"outcome":"delivered","seconds":"5"}',
    b'{"outcome":"delivered","seconds":' + b"9" * 5000 + b"}", b'{"outcome":"delivered","seconds":604801}',
    b'{"outcome":["delivered"]}', b'{"outcome":"DELIVERED"}', b"{}", b"", b"[", b"\xff", b"null", b"[" * 50_000,
    b'{"outcome":"reply","reply":"\\u0000"}', b'{"outcome":"reply","reply":"\\ud800"}',
    b'{"outcome":"reply","reply":5}', b'{"outcome":"reply","reply":"' + b"x" * 1001 + b'"}',
]  # fmt: skip


def test_a_wrong_body_is_refused_as_json_and_stores_nothing(call, service, client):
    sent = send(service)

    for path in (f"messages/{sent.pk}/outcome", "rules"):
        for body in WRONG_BODIES:
            answer = client.generic("POST", f"/sandbox/api/{path}", body, content_type="application/json")
            assert (answer.status_code, answer.json().get("status_code")) == (400, 400), (path, body[:60])
        answer = client.generic("POST", f"/sandbox/api/{path}", b" " * 65537, content_type="application/json")
        assert (answer.status_code, answer.json()["errors"][0]["error"]) == (413, "PayloadTooLarge")

    assert (SandboxRule.objects.count(), SandboxEvent.objects.count()) == (0, 0)


def test_a_pattern_is_compared_as_recipients_are(call, db):
    def stored(recipient):
        return call("POST", "rules", {"outcome": "no-receipt", "recipient": recipient})

    assert [stored(one).json()["recipient"] for one in ("+44 7700 900123", "+4477*", " *@Fail.test ")] == [
        "447700900123",
        "4477*",
        "*@fail.test",
    ]
    for long in ("İ" * 399 + "*", "x" * 401):  # the first one has two characters for each letter in lower case
        assert stored(long).status_code == 400
    message = factories.make_notification(recipient=f"{'a' * 300}@example.org")
    assert not SandboxRule(recipient="*a" * 199 + "*b").matches(message)  # in no exponential time


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"outcome": "eaten"}, "outcome must be one of delivered, hard-bounce, soft-bounce"),
        ({"outcome": "delivered", "seconds": -1}, "seconds must be a whole number from 0 to 604800"),
        ({"outcome": "delivered", "seconds": True}, "seconds must be a whole number"),
        ({"outcome": "delivered", "colour": 1}, "colour must be left out"),
        ({"outcome": "provider-down"}, "outcome provider-down must happen before the message is sent"),
        ([], "The body must be a JSON object"),
    ],
)
def test_a_wrong_outcome_is_named(call, service, body, message):
    sent = send(service)

    answer = call("POST", f"messages/{sent.pk}/outcome", body)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"].startswith(message)


def test_texts_have_no_complaints_and_replies_need_an_address_of_this_installation(call, service):
    text = send(service, Channel.SMS)
    email = send(factories.make_service())

    for sent, outcome in ((text, "complaint"), (email, "reply")):
        assert call("POST", f"messages/{sent.pk}/outcome", {"outcome": outcome}).status_code == 400


def test_a_message_of_a_real_provider_cannot_be_changed(call, service):
    sent = factories.make_notification(
        factories.make_template(service), status=Status.SENDING, provider="smtp-1", sent_at=timezone.now()
    )

    answer = call("POST", f"messages/{sent.pk}/outcome", {"outcome": "hard-bounce"})

    sent.refresh_from_db()
    assert (answer.status_code, sent.status) == (400, Status.SENDING)


def test_only_operators_and_the_token_choose_outcomes(client, service, settings):
    settings.SANDBOX_TOKEN = "open-sesame"

    answer = client.post("/sandbox/api/rules", {}, content_type="application/json", REMOTE_ADDR="198.51.100.1")

    assert answer.status_code == 401


def test_the_page_of_a_message_plays_an_outcome(console, service):
    message = send(service)
    entry = SandboxMessage.objects.get(notification_id=message.pk)

    form = console.get(f"/sandbox/messages/{entry.pk}/").content.decode()
    page = console.post(f"/sandbox/messages/{entry.pk}/outcome/", {"outcome": "hard-bounce"}).content.decode()
    refused = console.post(f"/sandbox/messages/{entry.pk}/outcome/", {"outcome": "reply"}).content.decode()
    nul = console.post(f"/sandbox/messages/{entry.pk}/outcome/", {"outcome": "reply", "reply": "a\0"}).content.decode()

    assert '<option value="hard-bounce">' in form
    assert "The status of the message is permanent-failure." in page
    assert "Nothing happened: outcome reply must be possible" in refused
    assert "Nothing happened: reply must not contain NUL" in nul
    assert '<option value="provider-down">' not in form
