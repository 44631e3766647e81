"""The official Python client unchanged, and the fifteen rules that all six clients rely on, over real HTTP.

Source: docs/reference/sending-api.md §23; docs/reference/running.md §7.
"""

import json
import re
import socket
import time
import uuid
from datetime import datetime
from typing import Any

import pytest
import requests
from notifications_python_client import NotificationsAPIClient
from notifications_python_client.errors import HTTPError

from tests.notifications.provisioned import ADDRESS, NUMBER, Provisioned
from tests.notifications.tokens import make_token
from tests.servers import Program
from tests.service import Service

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def town_hall(service: Service, worker: Program) -> Provisioned:
    document = {
        "name": f"Town Hall {uuid.uuid4().hex[:8]}",
        "live": True,
        "file_contact": "https://contact.example.org",
        "sms_senders": [{"sender": "TOWNHALL", "default": True}],
        "reply_to_addresses": [{"email_address": "reply@example.com", "default": True}],
        "team": [{"email_address": "team@example.com", "phone_number": "07700900201"}],
        "templates": [
            {"type": "sms", "name": "text", "content": "Hello"},
            {"type": "email", "name": "email", "subject": "Hi", "content": "# Hello\n\nDear all"},
            {"type": "email", "name": "named", "subject": "Hi ((name))", "content": "Dear ((name))"},
        ],
        "api_keys": [{"name": f"{kind}-key", "type": kind} for kind in ("live", "team", "test")],
    }
    return Provisioned(service, document)


class TestPythonClient:
    def test_sends_a_text_and_an_email_and_reads_both_back(self, town_hall: Provisioned) -> None:
        client = town_hall.client()

        text = client.send_sms_notification(NUMBER, town_hall.templates["text"], reference="from-python")
        email = client.send_email_notification(
            ADDRESS,
            town_hall.templates["named"],
            personalisation={"name": "Jo"},
            one_click_unsubscribe_url="https://example.org/u",
            sanitise_content_for=["name"],
        )

        assert text["content"] == {"body": "Hello", "from_number": "TOWNHALL"}
        assert email["content"]["body"] == "Dear Jo"
        for sent, kind in ((text, "sms"), (email, "email")):
            record = self.once_delivered(client, sent["id"])
            assert (record["type"], record["body"]) == (kind, sent["content"]["body"])
            assert record["completed_at"] >= record["sent_at"] >= record["created_at"]

    @staticmethod
    def once_delivered(client: NotificationsAPIClient, notification_id: str) -> Any:
        deadline = time.monotonic() + 30
        while (record := client.get_notification_by_id(notification_id))["status"] != "delivered":
            assert time.monotonic() < deadline, record
            time.sleep(0.1)
        return record

    def test_iterates_over_every_message_once(self, town_hall: Provisioned) -> None:
        client, reference = town_hall.client(), str(uuid.uuid4())
        send = client.send_sms_notification
        sent = {send(NUMBER, town_hall.templates["text"], reference=reference)["id"] for _ in range(3)}

        walked = [row["id"] for row in client.get_all_notifications_iterator(template_type="sms", reference=reference)]

        assert len(walked) == 3
        assert set(walked) == sent

    def test_reads_templates_previews_and_received_texts(self, town_hall: Provisioned) -> None:
        client = town_hall.client()
        named = town_hall.templates["named"]

        assert client.get_template(named)["personalisation"] == {"name": {"required": True}}
        assert client.get_template_version(named, 1)["version"] == 1
        assert len(client.get_all_templates(template_type="email")["templates"]) == 2
        assert client.post_template_preview(named, {"name": "Jo"})["subject"] == "Hi Jo"
        assert list(client.get_received_texts_iterator()) == []

    def test_shows_the_list_of_errors(self, town_hall: Provisioned) -> None:
        with pytest.raises(HTTPError) as told:
            town_hall.client("team").send_sms_notification(NUMBER, town_hall.templates["text"])

        assert told.value.status_code == 400
        assert told.value.message[0]["message"] == "Can't send to this recipient using a team-only API key"

    def test_a_wrong_secret_is_in_the_list_of_errors(self, town_hall: Provisioned) -> None:
        key = town_hall.keys["test"][:-36] + str(uuid.uuid4())

        with pytest.raises(HTTPError) as told:
            NotificationsAPIClient(key, base_url=town_hall.url).get_all_templates()

        assert (told.value.status_code, told.value.message[0]["error"]) == (403, "AuthError")


# The fifteen rules, with one test each.


def test_rule_1_v2_is_at_the_root_of_the_host(town_hall: Provisioned) -> None:
    client = NotificationsAPIClient(town_hall.keys["test"], base_url=f"{town_hall.url}/lost/by/the/client")

    assert client.get_all_templates()["templates"]


def test_rule_2_two_slashes_work_and_a_post_is_never_redirected(town_hall: Provisioned) -> None:
    for path in ("//v2/notifications/sms", "/v2/notifications/sms/"):
        assert town_hall.send_sms(path).status_code == 201


def test_rule_3_sends_answer_201_reads_and_previews_200(town_hall: Provisioned) -> None:
    sent = town_hall.send_email()

    assert sent.status_code == 201
    for method, path, body in (
        ("GET", f"/v2/notifications/{sent.json()['id']}", None),
        ("GET", "/v2/notifications", None),
        ("GET", "/v2/templates", None),
        ("GET", f"/v2/template/{town_hall.templates['email']}", None),
        ("POST", f"/v2/template/{town_hall.templates['email']}/preview", {"personalisation": {}}),
    ):
        assert town_hall.request(method, path, body).status_code == 200


def failures(town_hall: Provisioned) -> list[requests.Response]:
    return [
        town_hall.request("GET", "/v2/nowhere"),
        town_hall.request("GET", f"/v2/notifications/{uuid.uuid4()}"),
        town_hall.request("GET", f"/v2/notifications/{uuid.uuid4()}/pdf"),
        town_hall.request("POST", "/v2/notifications/letter", {}),
        town_hall.request("PUT", "/v2/templates", {}),
        town_hall.request("POST", "/v2/notifications/sms", {}),
        town_hall.request("POST", "/v2/notifications/sms", {}, **{"Content-Type": "text/plain"}),
        town_hall.request("GET", "/v2/notifications", Authorization="Bearer a.b.c"),
        town_hall.request("GET", "/v2/notifications", Authorization=""),
        town_hall.send_sms(template_id=str(uuid.uuid4())),
    ]


def test_rule_4_every_failure_has_a_status_code_and_a_filled_list(town_hall: Provisioned) -> None:
    for response in failures(town_hall):
        body = response.json()
        assert body["status_code"] == response.status_code >= 400
        assert body["errors"]
        assert all(entry["error"] and entry["message"] for entry in body["errors"])


def raw_exchange(url: str, request: bytes) -> tuple[bytes, Any]:
    """Send raw bytes, which no client library would, and return the head and the JSON of the answer."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(request)
        answer = b""
        while block := connection.recv(65_536):
            answer += block
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, json.loads(body)


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ("Content-Length: 1073741824", "", 413),
        ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n", 411),
        ("", "", 400),
    ],
)
def test_rule_4_holds_for_bodies_without_or_beyond_a_length(
    town_hall: Provisioned, headers: str, body: str, status: int
) -> None:
    token = make_token(town_hall.id, town_hall.keys["test"][-36:])
    lines = ["POST /v2/notifications/sms HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}"]
    lines += ["Content-Type: application/json", "Connection: close", *([headers] if headers else [])]

    head, told = raw_exchange(town_hall.url, ("\r\n".join(lines) + "\r\n\r\n" + body).encode())

    assert int(head.split()[1]) == told["status_code"] == status
    assert told["errors"]


def test_rule_5_no_message_on_top(town_hall: Provisioned) -> None:
    assert all("message" not in response.json() for response in failures(town_hall))


def test_rule_6_links(town_hall: Provisioned) -> None:
    reference = str(uuid.uuid4())
    sent = town_hall.send_sms(reference=reference).json()["id"]

    filled = town_hall.request("GET", f"/v2/notifications?reference={reference}").json()["links"]
    empty = town_hall.request("GET", f"/v2/notifications?reference={uuid.uuid4()}").json()["links"]

    assert UUID.findall(filled["next"])[0] == sent
    assert filled["current"].endswith(f"?reference={reference}")
    assert list(empty) == ["current"]


def test_rule_7_times(town_hall: Provisioned) -> None:
    sent = town_hall.send_sms().json()

    record = town_hall.request("GET", f"/v2/notifications/{sent['id']}").json()

    assert TIME.fullmatch(record["created_at"])
    assert TIME.fullmatch(town_hall.request("GET", "/v2/templates").json()["templates"][0]["created_at"])
    assert datetime.fromisoformat(record["created_at"]).tzinfo is not None


def test_rule_9_filters_may_repeat_and_include_jobs_is_written_in_two_ways(town_hall: Provisioned) -> None:
    for query in ("status=created&status=delivered", "template_type=sms&template_type=email", "include_jobs=True"):
        assert town_hall.request("GET", f"/v2/notifications?{query}").status_code == 200
    assert town_hall.request("GET", "/v2/notifications?include_jobs=true").status_code == 200


def test_rule_10_personalisation_may_be_empty_missing_or_more_than_is_needed(town_hall: Provisioned) -> None:
    for personalisation in ({}, {"unknown": "x"}):
        assert town_hall.send_sms(personalisation=personalisation).status_code == 201
    assert town_hall.send_sms().status_code == 201


def test_rule_11_types_of_the_answer(town_hall: Provisioned) -> None:
    body = town_hall.send_email().json()

    strings = [body["uri"], body["template"]["uri"], body["content"]["subject"], body["content"]["body"]]
    assert all(isinstance(value, str) for value in strings)
    assert body["sanitised_content"] == {}


def test_rule_12_404_on_a_read_means_no_such_id(town_hall: Provisioned) -> None:
    missing = town_hall.request("GET", f"/v2/notifications/{uuid.uuid4()}")

    assert (missing.status_code, missing.json()["errors"][0]["error"]) == (404, "NoResultFound")
    assert town_hall.request("GET", "/v2/notifications/no-uuid").status_code == 400


def test_rule_13_what_a_template_carries(town_hall: Provisioned) -> None:
    template = town_hall.request("GET", f"/v2/template/{town_hall.templates['named']}").json()

    assert template["personalisation"] == {"name": {"required": True}}
    assert "@" in template["created_by"]
    assert template["updated_at"] is None
    assert "letter_contact_block" in template


def test_rule_14_403_for_every_bad_token_and_401_only_without_one(town_hall: Provisioned) -> None:
    late = make_token(town_hall.id, town_hall.keys["test"][-36:], iat_offset=-99)
    statuses = {
        header: town_hall.request("GET", "/v2/templates", Authorization=header).status_code
        for header in ("", "Basic YTpi", "Bearer x", f"Bearer {late}")
    }

    assert list(statuses.values()) == [401, 401, 403, 403]


def test_rule_15_keys_end_in_two_canonical_uuids(town_hall: Provisioned) -> None:
    for key in town_hall.keys.values():
        assert re.fullmatch(rf"\S+-{UUID.pattern}-{UUID.pattern}", key)
        assert key[-73:-37] == town_hall.id
        assert len(key) >= 75


def test_a_read_may_have_a_content_type_without_a_body(town_hall: Provisioned) -> None:
    assert town_hall.request("GET", "/v2/templates", **{"Content-Type": "application/json"}).status_code == 200
