"""Test the running service against its OpenAPI document: requests are generated from it, and responses must match it.

The number of requests and the seed are fixed: valid requests with the caller's ids and recipients, and invalid ones.
"""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests

from config.docs.document import document
from tests.datasets.test_http import Writer
from tests.notifications.provisioned import ADDRESS, NUMBER, Provisioned
from tests.notifications.tokens import make_token
from tests.service import Service

METHODS = {"get", "post", "put", "patch", "delete"}
OPERATIONS = [
    f"{method.upper()} {path}" for path, item in document()["paths"].items() for method in item if method in METHODS
]
RECORD_ID = "one"
BULK_ACTIONS = ("read", "pause", "resume", "cancel", "retry-failed")


class Callers:
    """A caller of both areas, with its ids and recipients."""

    def __init__(self, service: Service) -> None:
        self.base_url = service.url
        self.sender = Provisioned(
            service,
            {
                "name": f"Described {uuid.uuid4().hex[:8]}",
                "live": True,
                "file_contact": "help@example.org",
                "sms_senders": [{"sender": "DESCRIBED", "default": True}],
                "reply_to_addresses": [{"email_address": "reply@example.com", "default": True}],
                "templates": [
                    {"type": "sms", "name": "sms", "content": "Hello"},
                    {"type": "email", "name": "email", "subject": "Hi", "content": "# Hello\n\nDear all"},
                ],
                "api_keys": [
                    {"name": "test-key", "type": "test"},
                    {"name": "team-key", "type": "team", "manage_templates": True},
                ],
            },
        )
        question = {"measure": {"field": "count"}, "range": {"kind": "all"}, "split": "channel"}
        query = {"name": "Visits", "public": True, "chart": "bar", "question": question}
        self.writer = Writer(service, saved_queries=[query])
        self.writer.post([{"_timestamp": "2024-01-01T00:00:00Z", "channel": "web", "count": 1}])
        self.import_id = ""
        sent = self.sender.client().send_sms_notification(NUMBER, self.sender.templates["sms"])
        self.message_id = sent["id"]
        self.scheduled_ids = {action: self._schedule() for action in ("PATCH", "POST")}
        self.bulk_send_ids = {action: self._schedule_bulk(action) for action in BULK_ACTIONS}
        retried = f"BulkSend.objects.filter(name='pause').update(retry_of='{self.bulk_send_ids['retry-failed']}')"
        done = service.manage("shell", "-v", "0", "-c", f"from notifications.models import BulkSend; {retried}")
        assert done.returncode == 0, done.stderr

        suppressed = self.sender.request("POST", "/v2/suppressions", {"email_address": ADDRESS}, key_type="team")
        files = {"files": {"terms": {"file": "YSxiCg==", "filename": "terms.csv"}}}
        place = f"/v2/templates/{self.sender.templates['email']}"
        self.file_id = self.sender.request("PATCH", place, files, key_type="team").json()["files"]["terms"]["id"]
        self.suppression_id = suppressed.json()["id"]

    def _schedule(self) -> str:
        at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        body = {"phone_number": NUMBER, "template_id": self.sender.templates["sms"], "scheduled_for": at}
        answer = self.sender.request("POST", "/v2/notifications/sms", body, key_type="test")
        return str(answer.json()["id"])

    def _schedule_bulk(self, name: str) -> str:
        at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        body = {"template_id": self.sender.templates["sms"], "name": name, "scheduled_for": at}
        body["rows"] = [["phone number"], [NUMBER]]
        answer = self.sender.request("POST", "/v2/notifications/bulk", body, key_type="test")
        return str(answer.json()["data"]["id"])

    def _import(self, *, is_new: bool) -> str:
        """Return the id of an import. A data set has at most 20 that are not finished, so most calls share one."""
        if is_new or not self.import_id:
            headers = {"Authorization": f"Bearer {self.writer.token}", "Content-Type": "text/csv"}
            url, file = f"{self.writer.url}/imports", b"_timestamp,n\n2024-01-01,1\n"
            self.import_id = str(requests.post(url, file, headers=headers, timeout=30).json()["id"])
        return self.import_id

    def authorization(self, path: str) -> str:
        if path.startswith(("/data/", "/queries")):
            return f"Bearer {self.writer.token}"
        # A test key may not change suppressions, and only the team key may manage templates.
        key_type = "team" if path.startswith(("/v2/suppressions", "/v2/templates")) else "test"
        return f"Bearer {make_token(self.sender.id, self.sender.keys[key_type][-36:])}"

    def know(self, case: Any) -> None:
        """Put the caller's ids and recipients into a valid request."""
        known = {
            "template_id": self.sender.templates["email" if "email" in case.path or "files" in case.path else "sms"],
            "notification_id": self.scheduled_ids.get(case.method, self.message_id),
            "bulk_send_id": self.bulk_send_ids.get(case.path.rpartition("/")[2], self.bulk_send_ids["read"]),
            "suppression_id": self.suppression_id,
            "file_id": self.file_id,
            "group": self.writer.group,
            "public_id": self.writer.saved_query_id,
            "type": "visits",
            "record_id": RECORD_ID,
            "number": 1,
        }
        case.path_parameters = {name: known.get(name, value) for name, value in (case.path_parameters or {}).items()}
        if case.path.endswith("/records/{record_id}"):
            self.writer.post([{"_timestamp": "2024-01-01T00:00:00Z", "_id": RECORD_ID}])
            case.headers = {name: value for name, value in (case.headers or {}).items() if name != "If-Match"}
            if isinstance(case.body, dict):
                case.body = {name: value for name, value in case.body.items() if name != "_id"}
        if case.path == "/data/{group}/{type}/imports":
            for name in ("settings", "cursor"):
                case.query.pop(name, None)
        if case.path.startswith("/data/{group}/{type}/imports/"):
            case.path_parameters["id"] = self._import(is_new=case.method == "DELETE")
        if case.path.endswith("/undo"):
            self.writer.post([{"_timestamp": "2024-01-01T00:00:00Z"}])
            self.writer.call("PUT", b"[]")
        if isinstance(case.body, dict) and "template_id" in case.body:
            recipient = {"phone_number": NUMBER, "email_address": ADDRESS}
            ours = {**recipient, "template_id": known["template_id"]}
            case.body = {name: ours.get(name, value) for name, value in case.body.items()}
        if case.method == "POST" and case.path.startswith("/v2/suppressions") and isinstance(case.body, dict):
            case.body = {"email_address": ADDRESS}  # the document cannot state "either of two" without a union
        if case.path.startswith("/v2/templates") and isinstance(case.body, dict):  # names and texts have rules
            text = {"name": "Made", "type": "sms", "body": "Hi", "state": "draft", "archived": False, "files": {}}
            text |= dict.fromkeys(("unsubscribe_link", "breaks_calls", "redact_personalisation"), False)
            given = {name: text.get(name, value) for name, value in case.body.items() if name != "subject"}
            case.body = given


@pytest.fixture(scope="module")
def callers(service: Service) -> Callers:
    return Callers(service)


@pytest.mark.parametrize("is_valid", [True, False], ids=["good", "bad"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.fault("E10", "E11")
def test_every_response_matches_the_document(operation: str, is_valid: bool, callers: Callers) -> None:
    from tests.config.docs import generated_requests

    statuses = set()

    def ask(case: Any) -> None:
        if is_valid:
            callers.know(case)
        authorization = callers.authorization(operation.partition(" ")[2])
        answer = case.call(base_url=callers.base_url, headers={"Authorization": authorization}, timeout=30)
        statuses.add(answer.status_code)
        if answer.status_code == 414:  # the web server's own answer to a longer address than it reads
            return
        case.validate_response(answer, checks=generated_requests.CHECKS)

    generated_requests.each(operation, ask, is_valid=is_valid)

    if is_valid:
        is_waited_for = operation.startswith("PATCH /data/")  # only an import that asks or works can be changed
        assert statuses & {200, 201, 202} or (is_waited_for and 409 in statuses)


def test_every_operation_of_the_document_is_tested() -> None:
    from tests.config.docs import generated_requests

    assert sorted(OPERATIONS) == sorted(generated_requests.OPERATIONS)
