"""The webhook inspector: what it keeps, the check of signatures, its answers, and repeats to a local program."""

import base64
import gzip
import time
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from django.utils import timezone

from notifications.delivery.callbacks import signatures
from notifications.models import SandboxHook, SandboxHookCall, sandbox_hook
from notifications.models.sandbox_hook import MOST_CALLS
from notifications.one_person import encrypted
from notifications.one_person.person import Person
from notifications.sandbox import hooks, hooks_api
from tests import factories
from tests.receivers import Receiver

SECRET, OTHER, OLD, OLDER = (f"whsec_{first}KQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" for first in ("Mf", "AA", "BB", "CC"))
FORM = "application/x-www-form-urlencoded"
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
        (OLD, BODY, {}, "right"),
        (OLDER, BODY, {}, "wrong"),
        (OTHER, BODY, {}, "wrong"),
        (SECRET, "{}", {}, "wrong"),
        (SECRET, BODY, {"webhook-timestamp": "noon"}, "wrong"),
        (SECRET, BODY, {"webhook-signature": ""}, "missing"),
    ],
)
def test_a_signature_is_checked_with_the_secret_of_the_callback(client, call, secret, signed_body, header, expected):
    endpoint = factories.make_callback(url=hooks.url_of("mine"), signing_secret=OLDER)
    for newer, ago in ((OLD, timedelta(days=2)), (SECRET, timedelta(0))):  # the one before the last does not sign
        endpoint.replace_signing_secret(newer, timezone.now() - ago)
        endpoint.save()
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


ELSEWHERE = [
    "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/", "http://169.254.169.254/", "http://[fe80::1%25lo]/",
    "http://2130706433/", "http://0x7f.1/", "http://127.0.0.1.example/", "https://127.0.0.1.example/",
    "https://example.org/", "https://1.1.1.1/", "http://127.0.0.1:1@10.0.0.1/", "http://127.0.0.1\\@x/",
    "http://127.0.0.1:99999/", "file:///etc/passwd", "",
]  # fmt: skip


def test_a_repeat_goes_to_local_programs_only_and_follows_no_redirect(client, call):
    post(client)
    (kept,) = calls(call)

    def repeat(url):
        answer = call("POST", f"hooks/mine/calls/{kept['id']}/repeat", {"url": url})
        return answer.status_code, answer.json()

    for url in ELSEWHERE:
        status, answer = repeat(url)
        assert (status, "the URL must be that of a local program" in answer["errors"][0]["message"]) == (400, True), url
    status, answer = repeat("http://127.0.0.1:1/")
    assert (status, "the connection was refused" in answer["errors"][0]["message"]) == (400, True)
    with Receiver(302, location="http://10.0.0.1/") as receiver:
        assert repeat(receiver.url) == (200, {"status": 302, "body": "thanks"})
        assert len(receiver.posted) == 1


ZIPPED = gzip.compress(b"hello")
BODIES = {
    "nothing": (b"", "", "utf-8"),
    "text": ("Grüße 🌊".encode(), "Grüße 🌊", "utf-8"),
    "not UTF-8": (b"\xff\xfe", "//4=", "base64"),
    "NUL": (b"a\0", "YQA=", "base64"),
    "gzip": (ZIPPED, base64.b64encode(ZIPPED).decode(), "base64"),
}


@pytest.mark.parametrize(("body", "shown", "encoding"), BODIES.values(), ids=BODIES)
def test_each_byte_is_kept_and_repeated(client, call, body, shown, encoding):
    factories.make_callback(url=hooks.url_of("mine"), signing_secret=SECRET)
    signed = signatures.headers("msg_1", body, [SECRET], datetime.now(UTC))

    post(client, body=body, content_encoding="gzip", X_Name="caf\xe9", **signed)
    (kept,) = calls(call)
    with Receiver() as receiver:
        call("POST", f"hooks/mine/calls/{kept['id']}/repeat", {"url": receiver.url})

    assert (kept["body"], kept["encoding"], kept["signature"]) == (shown, encoding, "right")
    assert (receiver.posted[0].body, receiver.posted[0].headers["X-Name"]) == (body, "caf\xe9")


def test_a_body_in_chunks_is_kept_and_repeated_with_its_length(client, call):
    body = b"x" * 100_000
    in_chunks = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": "", "wsgi.input_terminated": True}

    for path in ("/sandbox/hooks/mine", "/sandbox/api/rules"):
        answer = client.generic("POST", path, body, content_type=FORM, **in_chunks, **{"wsgi.input": BytesIO(body)})
        assert answer.status_code == (200 if path.endswith("mine") else 413)
    (kept,) = calls(call)
    with Receiver() as receiver:
        call("POST", f"hooks/mine/calls/{kept['id']}/repeat", {"url": receiver.url})

    assert kept["body"] == body.decode()
    assert receiver.posted[0].body == body


def test_credentials_of_this_installation_are_not_kept(client, call):
    call("PUT", "hooks/mine", {})
    client.cookies["sessionid"] = "secret"

    post(client)
    post(client, authorization="Bearer of-the-callback")

    newest, oldest = calls(call)
    assert newest["headers"]["Authorization"] == "Bearer of-the-callback"
    assert not {"Cookie", "Authorization"} & oldest["headers"].keys()
    assert "Cookie" not in newest["headers"]


def test_other_methods_are_kept_or_refused(client, call):
    answers = {
        method: client.generic(method, "/sandbox/hooks/mine", "a").status_code
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BASELINE-CONTROL")
    }

    assert answers == dict.fromkeys(["PUT", "PATCH", "DELETE", "OPTIONS"], 200) | {
        "TRACE": 405,
        "BASELINE-CONTROL": 405,
    }
    assert {one["method"] for one in calls(call)} == {"PUT", "PATCH", "DELETE", "OPTIONS"}


def test_a_hundred_headers_are_kept(client, call):
    post(client, **{f"X-{number}": "v" * 100 for number in range(100)})

    assert calls(call)[0]["headers"]["X-99"] == "v" * 100


def test_slow_answers_leave_threads_for_others(client, call):
    call("PUT", "hooks/mine", {"delay_seconds": 10})
    waiting = [hooks_api._WAITING.acquire(timeout=1) for _ in range(4)]
    started = time.monotonic()
    try:
        assert post(client).status_code == 200
    finally:
        for _ in waiting:
            hooks_api._WAITING.release()

    assert time.monotonic() - started < 9


def test_the_calls_of_one_answer_have_a_limit_of_size(client, call, monkeypatch):
    monkeypatch.setattr(sandbox_hook, "MOST_BYTES_SHOWN", 3000)
    for number in range(4):
        post(client, body=str(number) * 2000)

    assert [one["body"][0] for one in calls(call)] == ["3", "2"]


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


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("A", 400),
        ("-a", 400),
        ("a" * 61, 400),
        ("a" * 5000, 400),
        ("a_b", 400),
        ("%00", 404),
        ("%ff", 404),
        ("a%2Fb", 404),
    ],
)
def test_a_wrong_name_is_refused(client, call, name, status):
    assert call("PUT", f"hooks/{name}", {}).status_code == status
    assert call("GET", f"hooks/{name}/calls").status_code in {200, status}
    assert post(client, name).status_code == status


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
def test_a_body_that_is_too_long_is_refused_with_the_limit(client, call, content_type):
    call("PUT", "hooks/mine", {})

    for size in (1024 * 1024 + 1, 3_500_000, 5_000_000):
        answer = client.generic("POST", "/sandbox/hooks/mine", "x" * size, content_type=content_type)
        assert (answer.status_code, answer.json()["errors"][0]["message"]) == (
            413,
            "The request body is larger than 1048576 bytes",
        )


def test_the_page_shows_calls_and_changes_the_answer(client, console, call):
    factories.make_callback(url=hooks.url_of("mine"), signing_secret=SECRET)
    post(client, **signatures.headers("msg_1", BODY.encode(), [SECRET], datetime.now(UTC)))

    post(client, body=b"\xff")

    page = console.get("/sandbox/hooks/mine").content.decode()
    console.post("/sandbox/hooks/mine/settings", {"status": "700", "delay_seconds": "2"})

    assert "signature: right" in page
    assert "{&quot;id&quot;: 1}" in page
    assert "The body is not text. It is shown in base64." in page
    hook = SandboxHook.objects.get()
    assert (hook.status, hook.delay_seconds) == (599, 2)
