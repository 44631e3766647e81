"""A caller of the sending API with one key, through Django's test client: the whole stack except sockets."""

import json
from typing import Any

from django.test import Client

from config.rest.handler import HELPFUL
from notifications.models import ApiKey, Channel, KeyType, Service, Template
from tests.factories import make_api_key, make_reply_to, make_service, make_sms_sender, make_template
from tests.notifications.tokens import make_token

NUMBER = "07700900123"
ADDRESS = "someone@example.org"


class Caller:
    """Holds a key of a service. `raise_request_exception` is off, so that errors are answered instead of raised."""

    def __init__(self, key: ApiKey) -> None:
        self.key = key
        self.service = key.service
        self.client = Client(raise_request_exception=False)

    def authorization(self, **token: Any) -> str:
        return f"Bearer {make_token(str(self.service.id), self.key.secret, **token)}"

    def get(self, path: str, query: Any = None, **headers: str) -> Any:
        return self.client.get(path, query, headers={"Authorization": self.authorization(), **headers})

    def patch(self, path: str, body: Any) -> Any:
        headers = {"Authorization": self.authorization()}
        return self.client.patch(path, json.dumps(body), content_type="application/json", headers=headers)

    def post(self, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Any:
        """Send `body` as JSON, or `raw` unchanged. Header names may have underscores."""
        data = json.dumps(body).encode() if raw is None else raw
        sent = {"Content-Type": "application/json", "Authorization": self.authorization()}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.generic("POST", path, data, content_type=sent["Content-Type"], headers=sent)

    def send_sms(self, template: Template, *, headers: dict[str, str] | None = None, **fields: Any) -> Any:
        body = {"phone_number": NUMBER, "template_id": str(template.id), **fields}
        return self.post("/v2/notifications/sms", body, **(headers or {}))

    def send_email(self, template: Template, *, headers: dict[str, str] | None = None, **fields: Any) -> Any:
        body = {"email_address": ADDRESS, "template_id": str(template.id), **fields}
        return self.post("/v2/notifications/email", body, **(headers or {}))


def make_caller(service: Service | None = None, key_type: KeyType = KeyType.LIVE, **fields: Any) -> Caller:
    """Return a caller of a live service with a default sender and reply-to address. `fields`: of the service."""
    if service is None:
        service = make_service(**fields)
        make_sms_sender(service)
        make_reply_to(service)
    return Caller(make_api_key(service, key_type))


def asking_for_help(caller: Caller) -> Caller:
    """Return the caller, who now requests `fix` and `docs` for each error."""
    caller.client.defaults["HTTP_ACCEPT"] = HELPFUL
    return caller


def sms_template(caller: Caller, content: str = "Hello there", **fields: Any) -> Template:
    return make_template(caller.service, Channel.SMS, content, **fields)


def email_template(caller: Caller, content: str = "Dear all", subject: str = "Hi", **fields: Any) -> Template:
    return make_template(caller.service, Channel.EMAIL, content, subject, **fields)


def messages(response: Any) -> list[str]:
    """Return the messages of an answer's errors."""
    return [entry["message"] for entry in response.json()["errors"]]
