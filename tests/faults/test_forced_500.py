"""A table is missing, so requests fail: the caller gets a fixed text, and the log contains nothing of the request.

Source: docs/reference/security.md §7; docs/testing.md, H8.
"""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client

from notifications.submission import ttl_cache
from tests.datasets.making import make_data_set, make_token
from tests.notifications.calling import ADDRESS, NUMBER, email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db

WORD = "a-word-of-the-body"
COOKIE = "a-value-of-a-cookie"
KEY = "K" * 43


def without(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER TABLE "{table}" RENAME TO "moved_{table}"')


def fail(kind: str, console: Client) -> tuple[int, bytes, list[str]]:
    """Make one failing request of this kind. Return the answer and the texts that must not be in it or in the log."""
    caller = make_caller()
    caller.client.cookies["other"] = COOKIE
    mail, text = email_template(caller, "Dear ((name))"), sms_template(caller, "Dear ((name))")
    values = {"personalisation": {"name": WORD}}
    secrets = [caller.authorization().removeprefix("Bearer "), caller.key.secret, WORD, COOKIE, ADDRESS, NUMBER, KEY]
    data_set = make_data_set()
    token = make_token(data_set)
    stranger = Client(raise_request_exception=False)
    console.raise_request_exception = False
    data = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    path = f"/data/{data_set.group}/{data_set.type}"
    ttl_cache.clear()
    if kind == "post a text":
        without("notifications_templateversion")
        answer = caller.send_sms(text, **values)
    elif kind == "post an email":
        without("notifications_templateversion")
        answer = caller.send_email(mail, **values)
    elif kind == "list messages":
        without("notifications_notification")
        answer = caller.get("/v2/notifications")
    elif kind == "read a message":
        without("notifications_notification")
        answer = caller.get(f"/v2/notifications/{mail.id}")
    elif kind == "read a template":
        without("notifications_templateversion")
        answer = caller.get(f"/v2/template/{mail.id}")
    elif kind == "preview a template":
        without("notifications_templateversion")
        answer = caller.post(f"/v2/template/{mail.id}/preview", values)
    elif kind == "received texts":
        without("notifications_receivedtext")
        answer = caller.get("/v2/received-text-messages")
    elif kind == "write records":
        without("datasets_record")
        body = json.dumps([{"_timestamp": "2026-11-20T09:00:00Z", "word": WORD}]).encode()
        answer = stranger.generic("POST", path, body, content_type="application/json", headers=data)
    elif kind == "read records":
        without("datasets_record")
        answer = stranger.get(path, headers=data)
    elif kind == "a download page":
        without("notifications_attachment")
        answer = stranger.get("/d/" + "A" * 22, {"key": KEY})
    else:
        without("notifications_service")
        answer = console.get("/admin/notifications/service/")
    return answer.status_code, answer.content, [*secrets, str(token)]


KINDS = [
    "post a text",
    "post an email",
    "list messages",
    "read a message",
    "read a template",
    "preview a template",
    "received texts",
    "write records",
    "read records",
    "a download page",
    "a page of the console",
]


@pytest.fixture
def said(request) -> Callable[[], str]:
    """Return a function that returns the log output since its last call."""
    captured = request.config.pluginmanager.getplugin("capturemanager")
    return lambda: "".join(captured.read_global_capture())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.fault("H8", "T13")
def test_a_500_reveals_nothing_of_the_error_or_the_request(kind, console, said):
    said()
    status, content, secrets = fail(kind, console)

    text = said()
    assert status == 500
    for place, words in (("answer", content.decode()), ("log", text)):
        assert not [secret for secret in secrets if secret in words], place
    assert b"Traceback" not in content
    assert b"moved_" not in content
    assert "Authorization" not in text
    assert "key=" not in text
    assert "request.failed" in text or "request_failed" in text
    if "page" not in kind:
        body = json.loads(content)
        assert body.get("status") == "error" or body["errors"] == [
            {"error": "Exception", "message": "Internal server error"}
        ]
