"""A separate service in a running Signalbox as its callers see it: ids, keys, and signed requests."""

import json
from collections.abc import Mapping
from typing import Any

import requests
from notifications_python_client import NotificationsAPIClient

from tests.notifications.tokens import make_token
from tests.service import Service

NUMBER, ADDRESS = "07700900123", "someone@example.org"


class Provisioned:
    """A separate service: its ids, keys, and requests signed with its test key."""

    def __init__(self, service: Service, document: Mapping[str, Any]) -> None:
        done = service.manage("provision", "-", input=json.dumps({"services": [document]}))
        assert done.returncode == 0, done.stderr
        self.row = json.loads(done.stdout)["services"][0]
        self.url = service.url
        self.id = self.row["id"]
        self.keys = {row["type"]: row["api_key"] for row in self.row["api_keys"]}
        self.templates = {row["name"]: row["id"] for row in self.row["templates"]}

    def client(self, key_type: str = "test") -> NotificationsAPIClient:
        return NotificationsAPIClient(self.keys[key_type], base_url=self.url)

    def request(
        self, method: str, path: str, body: Any = None, *, key_type: str = "test", **headers: str
    ) -> requests.Response:
        token = make_token(self.id, self.keys[key_type][-36:])
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
        data = None if body is None else json.dumps(body)
        return requests.request(method, self.url + path, data=data, headers=sent, timeout=30, allow_redirects=False)

    def send_sms(
        self, path: str = "/v2/notifications/sms", *, key_type: str = "test", **fields: Any
    ) -> requests.Response:
        body = {"phone_number": NUMBER, "template_id": self.templates["text"], **fields}
        return self.request("POST", path, body, key_type=key_type)

    def send_email(self, **fields: Any) -> requests.Response:
        body = {"email_address": ADDRESS, "template_id": self.templates["email"], **fields}
        return self.request("POST", "/v2/notifications/email", body)
