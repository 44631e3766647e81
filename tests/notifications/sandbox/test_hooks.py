"""The webhook inspector: what it keeps, the check of signatures, its answers, and repeats to a local program."""

import time
from datetime import UTC, datetime

import pytest

from notifications.delivery.callbacks import signatures
from notifications.models import SandboxHook, SandboxHookCall
from notifications.models.sandbox_hook import MOST_CALLS
from notifications.one_person import encrypted
from notifications.one_person.person import Person
from notifications.sandbox import hooks
from tests import factories
from tests.receivers import Receiver

SECRET, OTHER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = '{"id": 1}'


def post(client, name="mine", body=BODY, **headers):
    return client.generic("POST", f"/sandbox/hooks/{name}", body, content_type="application/json", headers=headers)


def calls(call, name="mine", query=""):
    return call("GET", f"hooks/{name}/calls{query}").json()["calls"]


def test_a_call_is_kept_with_its_headers_and_body(client, call):
    assert post(client, X_Colour="blue").status_code == 200

    (found,) = calls(call, query="?wait=5")

    assert (found["method"], found["body"], found["status"]) == ("POST", BODY, 200)
    assert found["headers"]["X-Colour"] == "blue"
    assert found["signature"] == "unknown"
    assert b"blue" not in bytes(SandboxHookCall.objects.get().encrypted_content)


def test_a_hook_answers_as_chosen(client, call):
    answer = call("PUT", "hooks/mine", {"status": 503, "delay_seconds": 1})
    assert answer.json() == {"name": "mine", "url": hooks.url_of("mine"), "status": 503, "delay_seconds": 1}

    started = time.monotonic()
    assert post(client).status_code == 503

    assert time.monotonic() - started >= 1
    assert calls(call)[0]["status"] == 503


@pytest.mark.parametrize(
    ("secret", "signed_body", "header", "expected"),
    [
        (SECRET, BODY, {}, "right"),
        (OTHER, BODY, {}, "wrong"),
        (SECRET, "{}", {}, "wrong"),
        (SECRET, BODY, {"webhook-timestamp": "noon"}, "wrong"),
        (SECRET, BODY, {"webhook-signature": ""}, "missing"),
    ],
)
def test_a_signature_is_checked_with_the_secret_of_the_callback(client, call, secret, signed_body, header, expected):
    factories.make_callback(url=hooks.url_of("mine"), signing_secret=SECRET)
    signed = signatures.headers("msg_1", signed_body.encode(), [secret], datetime.now(UTC))

    post(client, **{**signed, **header})

    assert calls(call)[0]["signature"] == expected


def test_a_call_is_repeated_to_a_local_program(client, call):
    post(client, webhook_id="msg_1")
    (kept,) = calls(call)

    with Receiver(202) as receiver:
        answer = call("POST", f"hooks/mine/calls/{kept['id']}/repeat", {"url": receiver.url})

    assert (answer.status_code, answer.json()) == (200, {"status": 202, "body": "thanks"})
    assert receiver.posted[0].body == BODY.encode()
    assert receiver.posted[0].headers["Webhook-Id"] == "msg_1"


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "file:///etc/passwd", "http://127.0.0.1:1/"])
def test_a_repeat_goes_to_no_private_network(client, call, url):
    post(client)
    (kept,) = calls(call)

    answer = call("POST", f"hooks/mine/calls/{kept['id']}/repeat", {"url": url})

    assert answer.status_code == 400
    assert answer.headers["Link"].endswith('/docs/#errors-sandbox-hook-unreachable>; rel="help"')


LOCAL = {"REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "127.0.0.1"}


@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        (LOCAL, 200),
        ({"REMOTE_ADDR": "198.51.100.1"}, 403),
        ({**LOCAL, "HTTP_ORIGIN": "https://evil.example"}, 403),
        ({**LOCAL, "HTTP_SEC_FETCH_SITE": "cross-site"}, 403),
    ],
    ids=["this machine", "stranger", "page of another site", "form of another site"],
)
def test_strangers_and_other_sites_create_no_hooks(client, db, request_of, status):
    answer = client.post("/sandbox/hooks/mine", {}, **request_of)

    assert (answer.status_code, SandboxHook.objects.count()) == (status, int(status == 200))


def test_strangers_can_call_a_hook_and_not_read_it(client, db):
    SandboxHook.objects.create(name="mine")

    assert client.post("/sandbox/hooks/mine", {}, REMOTE_ADDR="198.51.100.1").status_code == 200
    assert client.get("/sandbox/api/hooks/mine/calls", REMOTE_ADDR="198.51.100.1").status_code == 401
    assert client.get("/sandbox/hooks/mine", REMOTE_ADDR="198.51.100.1").status_code == 302


def test_the_newest_calls_are_kept(client, call):
    hook = SandboxHook.objects.create(name="mine")
    SandboxHookCall.objects.bulk_create(
        SandboxHookCall(hook=hook, method="POST", status=200, signature="unknown", encrypted_content=b"")
        for _ in range(MOST_CALLS + 5)
    )

    post(client)

    assert SandboxHookCall.objects.count() == MOST_CALLS
    assert calls(call)[0]["body"] == BODY


def test_the_erasure_of_a_person_deletes_calls_that_name_them(client, call):
    post(client, body='{"to": "ann@example.org"}')
    post(client, body='{"to": "joann@example.org"}')

    assert sum(encrypted.erase_mentions(Person.parse("Ann@example.org"))) == 1

    assert [one["body"] for one in calls(call)] == ['{"to": "joann@example.org"}']


def test_hooks_are_deleted(client, call):
    post(client)

    assert call("DELETE", "hooks/mine/calls").status_code == 204
    assert calls(call) == []
    assert call("DELETE", "hooks/mine").status_code == 204
    assert call("GET", "hooks/mine").status_code == 404


@pytest.mark.parametrize("name", ["A", "-a", "a" * 61, "a_b"])
def test_a_wrong_name_is_refused(client, call, name):
    assert call("PUT", f"hooks/{name}", {}).status_code == 400
    assert post(client, name).status_code == 400


def test_a_body_that_is_too_long_is_refused(client, call):
    call("PUT", "hooks/mine", {})

    assert post(client, body="x" * (1024 * 1024 + 1)).status_code == 413


def test_the_page_shows_calls_and_changes_the_answer(client, console, call):
    factories.make_callback(url=hooks.url_of("mine"), signing_secret=SECRET)
    post(client, **signatures.headers("msg_1", BODY.encode(), [SECRET], datetime.now(UTC)))

    page = console.get("/sandbox/hooks/mine").content.decode()
    console.post("/sandbox/hooks/mine/settings", {"status": "700", "delay_seconds": "2"})

    assert "signature: right" in page
    assert "{&quot;id&quot;: 1}" in page
    hook = SandboxHook.objects.get()
    assert (hook.status, hook.delay_seconds) == (599, 2)
