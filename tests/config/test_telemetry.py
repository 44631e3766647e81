"""Traces and error reports reach a collector on loopback and contain no data of callers.

Source: docs/reference/running.md §14.
"""

import gzip
import json
import uuid
from typing import Any

from tests import forks
from tests.notifications.provisioned import NUMBER, Provisioned
from tests.receivers import Receiver
from tests.servers import wait_until

SERVER = 2  # the kind of the span of a request
WORD = "a-word-of-the-message"
SERVICE: dict[str, Any] = {
    "name": "Traced",
    "live": True,
    "permissions": ["sms"],
    "sms_senders": [{"sender": "TRACE", "default": True}],
    "templates": [{"type": "sms", "name": "text", "content": "Hello ((name))"}],
    "api_keys": [{"name": "k", "type": "live"}],
}
HIDE = "ALTER TABLE notifications_templateversion RENAME TO hidden"
SHOW = "ALTER TABLE hidden RENAME TO notifications_templateversion"


def spans(collector: Receiver) -> list[dict[str, Any]]:
    bodies = [json.loads(posted.body) for posted in list(collector.posted)]
    scopes = [scope for body in bodies for resource in body["resourceSpans"] for scope in resource["scopeSpans"]]
    return [span for scope in scopes for span in scope["spans"]]


def received(sentry: Receiver) -> list[dict[str, Any]]:
    """Return the events in the envelopes: a line of headers, then a line of headers and one of JSON for each item."""
    found = []
    for posted in list(sentry.posted):
        body = gzip.decompress(posted.body) if posted.headers.get("Content-Encoding") == "gzip" else posted.body
        found += [json.loads(line) for line in body.splitlines()[2::2]]
    return found


def test_one_trace_leads_from_the_request_to_the_callback_and_an_error_is_reported(start_service) -> None:
    with Receiver(200, reply=b"") as collector, Receiver(200) as sentry, Receiver(204, reply=b"") as endpoint:
        service = start_service(
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.port}",
            SENTRY_DSN=f"http://public@127.0.0.1:{sentry.port}/1",
        )
        callback = {"url": endpoint.url, "bearer_token": "a-token-of-the-callback"}
        caller = Provisioned(service, {**SERVICE, "callbacks": {"delivery_status": callback}})
        service.start_worker()

        sent = caller.send_sms(key_type="live", personalisation={"name": WORD}, reference="a-reference")
        trace = uuid.UUID(sent.headers["X-Request-Id"])
        wait_until(lambda: {"callback", "send sms"} <= {span["name"] for span in spans(collector)})
        change = "from django.db import connection as c; c.cursor().execute({!r})"
        service.manage("shell", "--no-imports", "-c", change.format(HIDE))
        failed = caller.send_sms(key_type="live", template_id=str(uuid.uuid4()), personalisation={"name": WORD})
        service.manage("shell", "--no-imports", "-c", change.format(SHOW))
        wait_until(lambda: received(sentry))
        wait_until(
            lambda: any(span["traceId"] == trace.hex and "parentSpanId" not in span for span in spans(collector))
        )

    ours = {span["name"]: span for span in spans(collector) if span["traceId"] == trace.hex}
    (root,) = [span for span in ours.values() if "parentSpanId" not in span]
    (event,) = received(sentry)
    assert sent.status_code == 201
    assert failed.status_code == 500
    assert set(ours) == {root["name"], "send sms", "callback"}
    assert root["name"] == "POST /v2/notifications/sms"
    assert {span.get("parentSpanId") for span in ours.values()} == {None, root["spanId"]}
    assert event["tags"]["request_id"] == failed.headers["X-Request-Id"]
    assert event["exception"]["values"][-1]["type"] in {"ProgrammingError", "OperationalError"}
    assert all(not one["value"] for one in event["exception"]["values"])
    everything = b"".join(posted.body for posted in collector.posted) + json.dumps(event).encode()
    secrets = (WORD, NUMBER, "a-reference", "a-token-of-the-callback", caller.keys["live"][-36:], "hidden", "SELECT")
    assert [secret for secret in secrets if secret.encode() in everything] == []


def test_nothing_is_imported_while_both_are_off(tmp_path) -> None:
    libraries = {"config.telemetry.otlp", "config.telemetry.sentry", "sentry_sdk"}
    code = f"import django; django.setup(); import sys; print(sorted({libraries} & set(sys.modules)))"

    assert forks.output_of(code, tmp_path).strip() == "[]"
