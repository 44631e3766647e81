"""Errors, and which calls are repeated."""

import asyncio
import time

import pytest
import signalbox
from signalbox import AsyncSignalbox, Signalbox

from tests.conftest import EMAIL_TEMPLATE, KEY, URL, VALUES
from tests.servers import serve

OK = (200, {}, {"templates": []})
SENT = (201, {}, {"id": "1"})
BUSY = (503, {}, {"status_code": 503, "errors": [{"error": "Exception", "message": "Try again"}]})
LIMITED = (429, {"Retry-After": "1"}, {"status_code": 429, "errors": [{"error": "RateLimitError", "message": "Slow"}]})


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch):
    monkeypatch.setattr("signalbox._wire._FIRST_DELAY_SECONDS", 0.01)


@pytest.mark.parametrize("first", [BUSY, None, (502, {}, b"<html>")], ids=["busy", "broken", "proxy"])
def test_a_read_is_repeated(first):
    with serve(first, OK) as (url, script):
        assert Signalbox(url, KEY).get_all_templates() == {"templates": []}

    assert len(script.asked) == 2
    assert script.asked[0][2]["Authorization"].startswith("Bearer ey")


def test_a_send_is_repeated_with_the_same_idempotency_key():
    with serve(None, BUSY, SENT) as (url, script):
        assert Signalbox(url, KEY).send_email_notification("a@example.org", EMAIL_TEMPLATE)["id"] == "1"

    keys = [headers["Idempotency-Key"] for _, _, headers, _ in script.asked]
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_a_change_that_the_service_cannot_recognise_is_not_repeated():
    with serve(BUSY, OK) as (url, script), pytest.raises(signalbox.ServerFailed):
        Signalbox(url, KEY).create_template(name="Tides", type="sms", body="x")

    assert len(script.asked) == 1


def test_a_limited_call_waits_as_long_as_the_service_wants():
    started = time.monotonic()
    with serve(LIMITED, OK) as (url, script):
        Signalbox(url, KEY).create_template(name="Tides", type="sms", body="x")

    assert time.monotonic() - started >= 1
    assert len(script.asked) == 2


def test_a_refusal_is_not_repeated_and_has_its_fix():
    with pytest.raises(signalbox.InvalidRequest) as caught:
        Signalbox(URL, KEY).send_email_notification("a@example.org", EMAIL_TEMPLATE, {"nam": "Ana"})

    error = caught.value
    assert (error.status_code, error.kind) == (400, "BadRequestError")
    assert "name" in error.message
    assert error.fix
    assert error.docs.startswith(f"{URL}/docs/#errors-")
    assert error.request_id
    assert isinstance(error, signalbox.SignalboxError)


def test_repeats_end():
    with serve(BUSY) as (url, script), pytest.raises(signalbox.ServerFailed, match="Try again"):
        Signalbox(url, KEY, max_retries=3).get_all_templates()

    assert len(script.asked) == 4


def test_no_answer_is_one_sentence_without_the_query():
    with serve(None) as (url, _), pytest.raises(signalbox.ConnectionFailed) as caught:
        Signalbox(url, KEY, max_retries=0).get_all_notifications(reference="secret")

    assert "secret" not in str(caught.value)
    assert caught.value.fix


def test_an_answer_that_is_too_slow_is_no_answer():
    with serve(1.0) as (url, _), pytest.raises(signalbox.ConnectionFailed, match="no answer in time"):
        Signalbox(url, KEY, max_retries=0, timeout_seconds=0.3).get_all_templates()


@pytest.mark.parametrize("key", ["", "half-a-key", KEY[:-1]])
def test_half_a_key_is_found_before_the_call(key):
    with pytest.raises(signalbox.AuthenticationFailed) as caught:
        Signalbox(URL, key).get_all_templates()

    assert caught.value.fix


def test_nothing_shows_the_secrets():
    client = Signalbox(URL, KEY, data_token="ds_secret")

    assert KEY[-36:] not in repr(client)
    assert "ds_secret" not in repr(client.data_set("demo/visits"))


def test_the_client_for_asyncio_repeats_and_fails_in_the_same_way():
    async def use(url):
        async with AsyncSignalbox(url, KEY) as client:
            return await client.get_all_templates()

    with serve(BUSY, None, OK) as (url, script):
        assert asyncio.run(use(url)) == {"templates": []}
    assert len(script.asked) == 3
    with serve(None) as (url, _), pytest.raises(signalbox.ConnectionFailed):
        asyncio.run(use(url))


def test_the_client_for_asyncio_sends_many_at_once():
    async def use():
        async with AsyncSignalbox(URL, KEY) as client:
            calls = (client.send_email_notification(f"a{n}@example.org", EMAIL_TEMPLATE, VALUES) for n in range(5))
            sent = await asyncio.gather(*calls)
            found = [one async for one in client.get_all_notifications_iterator(template_type="email")]
            return {one["id"] for one in sent} <= {one["id"] for one in found}

    assert asyncio.run(use())
