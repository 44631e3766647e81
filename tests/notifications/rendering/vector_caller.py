"""A caller of the services of the rendering vectors over HTTP, provisioned at once with a template for each."""

import json
import time
import uuid
from typing import Any

import requests

from tests.notifications.tokens import make_token
from tests.service import Service

ADDRESS, NUMBER = "someone@example.org", "07700900123"
LIST, BOTH = ["sms", "email"], ["sms", "email", "international_sms", "sms_to_uk_landlines"]

Vector = dict[str, Any]  # the keys differ by kind


class Caller:
    """The services of these cases, provisioned at once, and their signed requests."""

    def __init__(self, service: Service, vectors: list[Vector]) -> None:
        self.url = service.url
        self.services: dict[object, dict[str, Any]] = {}
        self.templates = {vector["id"]: str(uuid.uuid4()) for vector in vectors}
        for vector in vectors:
            self._service(vector)["templates"].append(self._template(vector))
        document = {"services": list(self.services.values())}
        done = service.manage("provision", "-", input=json.dumps(document))
        assert done.returncode == 0, done.stderr

    def post(self, vector: Vector, path: str, body: Any, *, key: str = "test") -> requests.Response:
        return self._request("POST", vector, path, body, key=key)

    def get(self, vector: Vector, path: str) -> dict[str, Any]:
        response = self._request("GET", vector, path)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def preview(self, vector: Vector) -> dict[str, Any]:
        values = {"personalisation": vector.get("personalisation", {})}
        response = self.post(vector, f"/v2/template/{self.templates[vector['id']]}/preview", values)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def send(self, vector: Vector, *, key: str = "test", **fields: Any) -> requests.Response:
        """Send a vector's own template as a text or as an email."""
        path, recipient = (
            ("sms", {"phone_number": NUMBER}) if _is_text(vector) else ("email", {"email_address": ADDRESS})
        )
        body = {**recipient, "template_id": self.templates[vector["id"]], **_values(vector), **fields}
        return self.post(vector, f"/v2/notifications/{path}", body, key=key)

    def received(self, vector: Vector) -> dict[str, Any]:
        """Return the message in the sandbox once a worker has sent it."""
        query = {"template": self.templates[vector["id"]], "wait": "30"}
        messages = _ask("GET", f"{self.url}/sandbox/api/messages", params=query).json()["messages"]
        assert messages, "nothing arrived"
        return dict(messages[0])

    def costs(self, vector: Vector, sent: requests.Response) -> dict[str, Any]:
        """Return the costs in the record once the message is sent."""
        deadline = time.monotonic() + 30
        while not (record := self.get(vector, f"/v2/notifications/{sent.json()['id']}"))["is_cost_data_ready"]:
            assert time.monotonic() < deadline, "never handed over"
            time.sleep(0.1)
        return dict(record["cost_details"])

    def _request(self, method: str, vector: Vector, path: str, body: Any = None, *, key: str = "test") -> Any:
        row = self._service(vector)
        secret = next(one["secret"] for one in row["api_keys"] if one["type"] == key)
        headers = {"Authorization": f"Bearer {make_token(row['id'], secret)}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        return _ask(method, self.url + path, data=data, headers=headers)

    def _service(self, vector: Vector) -> dict[str, Any]:
        """Return the document of a case's service: its prefix, permissions and guest list."""
        prefix = vector.get("prefix") if vector.get("show_prefix", True) else None
        permissions = LIST
        if vector["kind"] == "phone":
            chosen = {"international_sms": vector["international"], "sms_to_uk_landlines": vector["landline"]}
            permissions = [*LIST, *(name for name, is_on in chosen.items() if is_on)]
        elif vector["kind"] in {"v2_validation", "recipient_match"}:
            permissions = BOTH
        guests = vector["allowed"] if vector["kind"] == "recipient_match" else []
        what = (prefix, tuple(permissions), tuple(guests))
        if what not in self.services:
            self.services[what] = {
                "id": str(uuid.uuid4()),
                "name": prefix or "Harbour rendering",
                "live": True,
                "reply_to_addresses": [{"email_address": "reply@example.com"}],
                "prefix_sms": prefix is not None,
                "permissions": permissions,
                "file_contact": "https://harbour.example/help",
                "rate_limit_per_minute": 100_000,
                "guest_list": {
                    "email_addresses": [guest for guest in guests if "@" in guest],
                    "phone_numbers": [guest for guest in guests if "@" not in guest],
                },
                "api_keys": [
                    {"name": f"{kind}-key", "type": kind, "secret": str(uuid.uuid4())} for kind in ("test", "team")
                ],
                "templates": [],
            }
        return self.services[what]

    def _template(self, vector: Vector) -> dict[str, Any]:
        content = _repeated(vector) or vector.get("template")
        if content is None:
            content = "((doc))" if vector.get("schema") == "file" else "x"
        if vector["kind"] == "sanitise_value":
            content = "((v))"
        elif vector["kind"] == "sanitise_request":
            content = " ".join(f"(({name}))" for name in vector["personalisation"])
        if _has_too_long_text(vector):
            content = "((text))"  # `provision` rejects a template that is too long, so the text is a value
        row = {"id": self.templates[vector["id"]], "name": vector["id"], "content": content}
        if _is_text(vector):
            return {**row, "type": "sms"}
        subject = vector.get("subject", "Subject")
        return {**row, "type": "email", "subject": subject, "unsubscribe_link": "unsubscribe_link" in vector}


def _ask(method: str, url: str, **request: Any) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False  # it would read the environment, which pytest changes while the threads run
        return session.request(method, url, timeout=60, **request)


def _is_text(vector: Vector) -> bool:
    if vector["kind"] == "recipient_match":
        return "@" not in vector["recipient"]
    channel = vector.get("channel") or vector.get("schema")
    return channel == "sms" or vector["kind"] in {"sms_body", "sms_length", "phone"}


def _repeated(vector: Vector) -> str:
    repeat = vector.get("template_repeat")
    return repeat["text"] * repeat["times"] + repeat.get("suffix", "") if repeat else ""


def _has_too_long_text(vector: Vector) -> bool:
    return vector["kind"] == "sms_length" and vector["too_long"]


def _values(vector: Vector) -> dict[str, Any]:
    if _has_too_long_text(vector):
        return {"personalisation": {"text": _repeated(vector)}}
    return {"personalisation": vector["personalisation"]} if "personalisation" in vector else {}
