"""The fixture `signalbox`: outcomes, callbacks, the clock, and the time of a test."""

import time
import uuid

import pytest
from signalbox.errors import NotFound
from signalbox.pytest_plugin import NothingArrived, TestService

from tests.conftest import EMAIL_TEMPLATE, SMS_TEMPLATE, VALUES, in_hours


def recipient():
    return f"ana-{uuid.uuid4().hex}@example.org"


def finished(signalbox, identifier, seconds=10):
    """Wait for the end of a message, and return its status."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        status = signalbox.client.get_notification_by_id(identifier)["status"]
        if status not in {"created", "sending"}:
            return status
        time.sleep(0.05)
    raise TimeoutError(status)


def test_an_email_and_a_text_arrive(signalbox):
    to = recipient()
    signalbox.client.send_email_notification(to, EMAIL_TEMPLATE, VALUES)
    signalbox.client.send_sms_notification("07700 900456", SMS_TEMPLATE, {"code": "4711"})

    assert "a passport" in signalbox.wait_for_email(to, contains="Ana")["text"]
    assert "4711" in signalbox.wait_for_text("07700 900456")["text"]


def test_the_time_to_send_and_read_an_email_is_short(signalbox):
    signalbox.client.send_email_notification(recipient(), EMAIL_TEMPLATE, VALUES)  # warm
    seconds = []
    for _ in range(10):
        to, started = recipient(), time.monotonic()
        signalbox.client.send_email_notification(to, EMAIL_TEMPLATE, VALUES)
        signalbox.wait_for_email(to)
        seconds.append(time.monotonic() - started)

    # 25 ms on a quiet machine. The sweep, which finds messages whose wake-up was lost, would take up to 10 s.
    assert sorted(seconds)[5] < 1


def test_nothing_that_matches_is_an_assertion_with_what_arrived(signalbox):
    to = recipient()
    signalbox.client.send_email_notification(to, EMAIL_TEMPLATE, VALUES)

    with pytest.raises(NothingArrived, match=r"contains 'no such word'. 1 arrived: \['Your visit is booked, Ana'\]"):
        signalbox.wait_for_email(to, contains="no such word", seconds=2)


def test_a_bounce_is_reported_by_a_callback(signalbox):
    signalbox.outcome("hard-bounce", to="*@fail.test")
    callback = {"url": signalbox.hook.url, "bearer_token": "a-token-of-the-test"}

    sent = signalbox.client.send_email_notification("ana@fail.test", EMAIL_TEMPLATE, VALUES, callback=callback)
    call = signalbox.wait_for_callback(lambda call: sent["id"] in call["body"])

    assert '"permanent-failure"' in call["body"]
    assert call["headers"]["Authorization"] == "Bearer a-token-of-the-test"


def test_rules_of_a_test_end_with_it(signalbox):
    assert signalbox.client.sandbox.rules()["rules"] == []


def test_three_days_later_takes_a_second(signalbox):
    to = recipient()
    sent = signalbox.client.send_email_notification(to, EMAIL_TEMPLATE, VALUES, scheduled_for=in_hours(20))
    assert signalbox.client.get_notification_by_id(sent["id"])["status"] == "created"

    signalbox.clock.advance(hours=21)

    assert signalbox.wait_for_email(to)
    assert finished(signalbox, sent["id"]) == "delivered"


def test_a_hook_answers_as_the_test_wants(signalbox):
    signalbox.hook.answer(410)
    callback = {"url": signalbox.hook.url, "bearer_token": "a-token-of-the-test"}

    signalbox.client.send_email_notification(recipient(), EMAIL_TEMPLATE, VALUES, callback=callback)

    assert signalbox.wait_for_callback()["status"] == 410


def test_the_webhook_of_a_test_ends_with_it(signalbox_service):
    test = TestService(*signalbox_service)
    test.hook.answer(500)
    name = test.hook.name

    test.close()

    assert test.client.sandbox.hook_calls(name)["calls"] == []
    with pytest.raises(NotFound):
        test.client.sandbox.remove_hook(name)
