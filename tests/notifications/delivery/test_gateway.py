"""The HTTP gateway: its requests, and the effect of each answer and error on a message."""

import base64
import resource
import time
from datetime import timedelta

import pytest
from django.utils import timezone
from structlog.testing import capture_logs

from notifications.delivery.messages import OutgoingSms, TemporaryFailure
from notifications.delivery.providers.gateway import Gateway
from notifications.models import Channel, Notification, ProviderCircuit, Status
from tests.factories import make_notification, make_service, make_sms_sender, make_template
from tests.notifications.delivery.gateways import GOOD, ScriptedGateway, answer, drip, pour
from tests.notifications.delivery.next_try import is_tried_again_in
from tests.notifications.draining import drain_messages

SMS = OutgoingSms(to="447700900123", content="Grüße €", sender="PARKS", reference="our-id", international=False)
REFUSES_US = ["401 Unauthorized", "403 Forbidden", "302 Found", "301 Moved Permanently", "307 Temporary Redirect"]


def make_text(**fields):
    service = make_service()
    return make_notification(
        make_template(service, Channel.SMS), body="Hi Ana", sms_sender=make_sms_sender(service), **fields
    )


def after_one_try(gateway, settings, query="?token=t", **fields):
    settings.PROVIDERS = [f"gateway-1={gateway.url}/messages{query}"]
    message = make_text(**fields)
    drain_messages()
    message.refresh_from_db()
    return message


def test_texts_are_sent_as_json_with_a_reference_over_one_connection():
    with ScriptedGateway() as gateway:
        provider = Gateway("g", gateway.url.replace("://", "://user:p%40ss@") + "/messages?token=x")

        assert [provider.send(SMS).reference for _ in range(3)] == ["m-1"] * 3

        assert gateway.connections == 1
        [first, *_] = gateway.requests
        assert first.line == "POST /messages HTTP/1.1"
        assert first.headers["authorization"] == "Basic " + base64.b64encode(b"user:p@ss").decode()
        assert first.json == {"to": "447700900123", "from": "PARKS", "content": "Grüße €", "reference": "our-id"}


def test_a_secret_without_a_user_is_a_bearer_token():
    with ScriptedGateway() as gateway:
        Gateway("g", gateway.url.replace("://", "://:s3cret@")).send(SMS)

        assert gateway.requests[0].headers["authorization"] == "Bearer s3cret"


@pytest.mark.django_db
def test_an_accepted_text_is_sending_with_the_gateways_reference(settings):
    with ScriptedGateway() as gateway:
        message = after_one_try(gateway, settings)

    assert (message.status, message.provider, message.provider_reference) == (Status.SENDING, "gateway-1", "m-1")
    assert [attempt["outcome"] for attempt in message.attempts] == ["accepted"]


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["500 Oh", "502 Bad", "503 Away", "504 Late", "429 Slow down"])
@pytest.mark.fault("B6")
def test_a_failing_gateway_is_retried(settings, status):
    with ScriptedGateway([answer(status)]) as gateway:
        message = after_one_try(gateway, settings)

    assert (message.status, message.failed_attempts, len(gateway.requests)) == (Status.CREATED, 1, 1)
    assert message.attempts[0]["outcome"] == "temporary"
    assert is_tried_again_in(message, timedelta(seconds=4), timedelta(seconds=6))


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "header", "seconds"), [("503 Away", "120", 120), ("429 Slow", "86400", 3600)])
@pytest.mark.fault("B6")
def test_retry_after_is_followed_for_at_most_an_hour(settings, status, header, seconds):
    with ScriptedGateway([answer(status, Retry_After=header)]) as gateway:
        message = after_one_try(gateway, settings)

    assert is_tried_again_in(message, timedelta(seconds=seconds), timedelta(seconds=seconds))


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "422 Unprocessable"])
def test_a_rejected_message_fails_after_one_attempt(settings, status):
    with ScriptedGateway([answer(status, '{"error": "no"}')]) as gateway:
        message = after_one_try(gateway, settings)

    assert (message.status, len(gateway.requests)) == (Status.TECHNICAL_FAILURE, 1)
    assert message.attempts[0]["reply"] == f'{status[:3]} {{"error": "no"}}'


@pytest.mark.django_db
@pytest.mark.parametrize("status", REFUSES_US)
@pytest.mark.fault("B6")
def test_a_rejected_login_pauses_the_provider_and_messages_wait(settings, status):
    elsewhere = answer(status, Location="http://127.0.0.1:1/elsewhere")
    with capture_logs() as logs, ScriptedGateway([elsewhere, GOOD]) as gateway:
        first = after_one_try(gateway, settings)
        second = make_text()
        drain_messages()
        assert len(gateway.requests) == 1  # and no redirect was followed

        ProviderCircuit.objects.update(probe_at=timezone.now() - timedelta(seconds=1))
        Notification.objects.filter(id=second.id).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
        second.refresh_from_db()
        assert (second.status, second.attempt, second.failed_attempts, second.attempts) == (Status.CREATED, 0, 0, [])
        drain_messages()

    second.refresh_from_db()
    assert (first.status, first.failed_attempts) == (Status.CREATED, 0)
    assert is_tried_again_in(first, timedelta(seconds=48), timedelta(seconds=72))
    assert second.status == Status.SENDING
    assert ProviderCircuit.objects.count() == 0
    alarms = [
        (one["log_level"], one["event"], one["reason"]) for one in logs if one["event"] == "provider.circuit_opened"
    ]
    assert alarms == [("error", "provider.circuit_opened", f"HTTP {status[:3]}")]


@pytest.mark.django_db
@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"reference": 7}', "null", "OK"])
def test_a_success_without_content_is_uncertain(settings, body):
    with ScriptedGateway([answer("200 OK", body)]) as gateway:
        message = after_one_try(gateway, settings)

    assert (message.status, message.attempts[0]["outcome"]) == (Status.CREATED, "uncertain")


@pytest.mark.django_db
@pytest.mark.fault("B6")
def test_an_endless_answer_is_cut_off(settings):
    with ScriptedGateway([pour(50)]) as gateway:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        message = after_one_try(gateway, settings)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert message.attempts[0]["outcome"] == "uncertain"
    assert grown < 5 * 1024  # KiB


def test_a_reset_is_uncertain_and_the_next_message_has_a_new_connection():
    with ScriptedGateway(["reset", GOOD]) as gateway:
        provider = Gateway("g", gateway.url)
        with pytest.raises(TemporaryFailure) as failure:
            provider.send(SMS)

        assert failure.value.is_uncertain
        assert provider.send(SMS).reference == "m-1"


def test_a_refused_connection_is_not_uncertain():
    with pytest.raises(TemporaryFailure) as failure:
        Gateway("g", "http://127.0.0.1:1").send(SMS)

    assert not failure.value.is_uncertain


def test_a_silent_gateway_times_out():
    with ScriptedGateway([None]) as gateway, pytest.raises(TemporaryFailure) as failure:
        Gateway("g", gateway.url, read_seconds=0.3, total_seconds=20).send(SMS)

    assert (failure.value.reason, failure.value.is_uncertain) == ("ReadTimeout", True)


@pytest.mark.parametrize("error", [drip, None])
def test_a_dripping_gateway_ends_at_the_deadline(error):
    started = time.monotonic()
    with ScriptedGateway([error]) as gateway, pytest.raises(TemporaryFailure) as failure:
        Gateway("g", gateway.url, read_seconds=20, total_seconds=0.5).send(SMS)

    assert failure.value.is_uncertain
    assert time.monotonic() - started < 15  # one read might take 20 s


def test_a_reply_that_quotes_the_message_is_not_stored_as_a_reason():
    with (
        ScriptedGateway([answer("500 Oh", "447700900123 Grüße")]) as gateway,
        pytest.raises(TemporaryFailure) as failure,
    ):
        Gateway("g", gateway.url).send(SMS)

    assert (failure.value.reason, str(failure.value)) == ("HTTP 500", "HTTP 500")


@pytest.mark.django_db
def test_with_one_gateway_down_the_other_gets_the_message_at_once(settings):
    with ScriptedGateway() as gateway:
        settings.PROVIDERS = ["down=http://127.0.0.1:1", f"up={gateway.url}?token=t"]
        message = make_text()

        assert drain_messages() == set()

    message.refresh_from_db()
    assert (message.status, message.provider) == (Status.SENDING, "up")
    assert [attempt["provider"] for attempt in message.attempts] == ["down", "up"]


def after_a_doubt(settings, *script):
    """Send through a gateway that supports queries and resets the first call. Return the message and later requests."""
    with ScriptedGateway(["reset", *script]) as gateway:
        message = after_one_try(gateway, settings, query="?ask=yes&token=t")
        Notification.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
        drain_messages()
    message.refresh_from_db()
    return message, [request.line for request in gateway.requests[1:]]


@pytest.mark.django_db
@pytest.mark.fault("B5")
def test_an_uncertain_message_that_the_gateway_has_is_not_sent_again(settings):
    message, lines = after_a_doubt(settings, GOOD)

    assert lines == [f"GET /messages?reference={message.id} HTTP/1.1"]
    assert (message.status, message.provider_reference) == (Status.SENDING, "m-1")
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "accepted"]


@pytest.mark.django_db
def test_an_uncertain_message_that_the_gateway_does_not_have_is_sent_again(settings):
    message, lines = after_a_doubt(settings, answer("404 Not Found"), GOOD)

    assert lines == [f"GET /messages?reference={message.id} HTTP/1.1", "POST /messages HTTP/1.1"]
    assert message.status == Status.SENDING


@pytest.mark.django_db
@pytest.mark.parametrize("reply", ["500 Internal Server Error", "400 Bad Request", "405 Method Not Allowed"])
def test_without_an_answer_the_message_stays_uncertain_and_is_not_sent_again(settings, reply):
    message, lines = after_a_doubt(settings, answer(reply))

    assert len(lines) == 1
    assert message.status == Status.CREATED
    assert [attempt["outcome"] for attempt in message.attempts] == ["uncertain", "uncertain"]


@pytest.mark.django_db
def test_a_certain_outcome_needs_no_query(settings):
    with ScriptedGateway([answer("503 Service Unavailable"), GOOD]) as gateway:
        after_one_try(gateway, settings, query="?ask=yes&token=t")
        Notification.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
        drain_messages()

    assert [request.line.split()[0] for request in gateway.requests] == ["POST", "POST"]


@pytest.mark.django_db
def test_only_the_same_gateway_is_asked_about_an_uncertain_message(settings):
    with ScriptedGateway(["reset", GOOD]) as first, ScriptedGateway() as second:
        settings.PROVIDERS = [f"first={first.url}", f"second={second.url}"]
        message = make_text()
        [delay] = drain_messages()
        Notification.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
        drain_messages()

    message.refresh_from_db()
    assert delay > 3
    assert [attempt["provider"] for attempt in message.attempts] == ["first", "first"]
    assert [request.json["reference"] for request in first.requests] == [str(message.id)] * 2
    assert second.requests == []
