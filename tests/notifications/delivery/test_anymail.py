"""Emails through a provider's API: requests to Mailgun, its answers, and receipts of Mailgun and Postmark."""

import base64
import hashlib
import hmac
import json
import time
import uuid
from datetime import timedelta
from email import message_from_string, policy
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings
from django.utils import timezone

from notifications.delivery import providers
from notifications.models import EarlyReceipt, Notification, ProviderCircuit, Status
from tests.factories import make_notification, make_reply_to, make_service, make_template
from tests.notifications.delivery.gateways import ScriptedGateway, answer
from tests.notifications.delivery.next_try import is_tried_again_in
from tests.notifications.draining import drain_messages

SIGNING_KEY = "the-signing-key"
PASSWORD = "postmark:hunter2"
TAKEN = answer("200 OK", '{"id": "<20261121.1@mg.example.org>", "message": "Queued. Thank you."}')


def mailgun(url: str = "http://127.0.0.1:1") -> str:
    query = f"api_key=key-1&sender_domain=mg.example.org&webhook_signing_key={SIGNING_KEY}&api_url={url}/v3"
    return f"mailgun=anymail+mailgun://?{query}"


def postmark(url: str = "http://127.0.0.1:1") -> str:
    return f"postmark=anymail+postmark://?server_token=t-1&api_url={url}&webhook_secret={PASSWORD}"


def after_one_try(settings: Any, entry: str, **fields: Any) -> Notification:
    settings.PROVIDERS = [entry]
    message = make_notification(**fields)
    drain_messages()
    message.refresh_from_db()
    return message


def fields_of(request: Any) -> dict[str, Any]:
    """Return the form as the provider would parse it."""
    content_type = request.headers["content-type"]
    if content_type.startswith("application/x-www-form-urlencoded"):
        return {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
    form = message_from_string(f"Content-Type: {content_type}\n\n{request.body.decode()}", policy=policy.HTTP)
    return {str(part.get_param("name", header="content-disposition")): part.get_payload() for part in form.iter_parts()}


@pytest.mark.django_db
def test_an_email_is_sent_with_its_id_as_message_id_and_metadata(settings: Any) -> None:
    service = make_service(name="Parks & Gardens")
    with ScriptedGateway([TAKEN]) as api:
        message = after_one_try(
            settings, mailgun(api.url), template=make_template(service), subject="Grüße", body="Dear **Ana**",
            reply_to=make_reply_to(service, "office@parks.example.org"),
            one_click_unsubscribe_url="https://example.org/u",
        )  # fmt: skip
        [request] = api.requests

    form = fields_of(request)
    assert request.line == "POST /v3/mg.example.org/messages HTTP/1.1"
    assert request.headers["authorization"] == "Basic " + base64.b64encode(b"api:key-1").decode()
    assert (form["to"], form["subject"]) == ("ana@example.com", "Grüße")
    assert form["from"].endswith("<parks.gardens@signalbox.invalid>")
    assert ("Dear" in form["text"], "<html" in form["html"]) == (True, True)
    assert form["h:Message-Id" if "h:Message-Id" in form else "h:Message-ID"] == f"<{message.id}@signalbox.invalid>"
    assert form["h:Reply-To"] == "office@parks.example.org"
    assert form["h:List-Unsubscribe"] == "<https://example.org/u>"
    assert form["v:notification_id"] == str(message.id)
    assert (message.status, message.provider) == (Status.SENDING, "mailgun")
    assert message.provider_reference == "<20261121.1@mg.example.org>"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reply", "status", "outcome"),
    [
        (answer("500 Oh"), Status.CREATED, "temporary"),
        (answer("429 Slow", Retry_After="120"), Status.CREATED, "temporary"),
        (answer("400 Bad", '{"message": "to is no address"}'), Status.TECHNICAL_FAILURE, "permanent"),
        (answer("401 Unauthorized"), Status.CREATED, "temporary"),
        (answer("302 Found", Location="http://127.0.0.1:1/"), Status.CREATED, "temporary"),
        (answer("200 OK", "{"), Status.CREATED, "uncertain"),
        (answer("200 OK", "{}"), Status.CREATED, "uncertain"),
        ("reset", Status.CREATED, "uncertain"),
    ],
)  # fmt: skip
def test_answers_have_the_same_meaning_as_those_of_other_gateways(
    settings: Any, reply: str, status: Status, outcome: str
) -> None:
    with ScriptedGateway([reply]) as api:
        message = after_one_try(settings, mailgun(api.url))
        assert len(api.requests) == 1

    assert (message.status, message.attempts[0]["outcome"]) == (status, outcome)
    assert ProviderCircuit.objects.count() == (1 if reply.startswith(("HTTP/1.1 401", "HTTP/1.1 302")) else 0)
    if "Retry-After" in reply:
        assert is_tried_again_in(message, timedelta(seconds=120), timedelta(seconds=120))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Found inactive addresses: ana@example.com.\n Inactive recipients are ones that bounced.", "permanent"),
        ("You tried to send something strange.", "technical"),
    ],
)
def test_a_recipient_that_the_provider_rejects_is_a_permanent_failure(settings: Any, words: str, status: str) -> None:
    refused = {"ErrorCode": 406, "Message": words}
    with ScriptedGateway([answer("422 No", json.dumps(refused))]) as api:
        message = after_one_try(settings, postmark(api.url))

    assert message.status == f"{status}-failure"
    assert words[:15] in message.attempts[0]["reply"]


@pytest.mark.parametrize(
    "entry",
    [
        "m=anymail+mailgun://",
        "m=anymail+mailgun://mg.example.org?api_key=hunter2",
        "m=anymail+pigeon://?api_key=hunter2",
        "m=anymail+postmark://?api_key=hunter2",
        "m=anymail+mailgun://?api_key=hunter2&API_URL=x",
    ],
)
def test_a_wrong_setting_stops_the_start_and_shows_no_secret(settings: Any, entry: str) -> None:
    settings.PROVIDERS = [entry]

    with pytest.raises(ImproperlyConfigured, match="PROVIDERS") as error:
        providers.configured()

    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("service", providers.ANYMAIL_SERVICES)
def test_every_email_service_has_its_settings(settings: Any, service: str) -> None:
    names = (
        "api_key",
        "secret_key",
        "api_token",
        "server_token",
        "sender_domain",
        "api_url",
        "auth_token",
        "project_id",
    )
    query = "&".join(f"{name}=x" for name in names)
    settings.PROVIDERS = [f"m=anymail+{service}://?{query}"]

    assert [provider.name for provider in providers.configured()] == ["m"]


def post(name: str, body: object, **headers: str) -> Any:
    with override_settings(PROVIDERS=[mailgun(), postmark(), "open=anymail+postmark://?server_token=t-1"]):
        return Client(raise_request_exception=False).post(
            f"/providers/{name}/receipt", json.dumps(body), content_type="application/json", headers=headers
        )


def signed(event: str, *, at: float | None = None, key: str = SIGNING_KEY, **data: Any) -> dict[str, Any]:
    """Return a receipt as Mailgun creates and signs it."""
    timestamp, token = str(int(at or time.time())), uuid.uuid4().hex
    signature = hmac.new(key.encode(), f"{timestamp}{token}".encode(), hashlib.sha256).hexdigest()
    message = {"headers": {"message-id": "20261121.1@mg.example.org"}}
    return {
        "signature": {"timestamp": timestamp, "token": token, "signature": signature},
        "event-data": {"event": event, "id": "e1", "timestamp": time.time(), "recipient": "a@b", "message": message}
        | data,
    }


def sent(**fields: Any) -> Notification:
    values = {"status": Status.SENDING, "sent_at": timezone.now(), "provider": "mailgun"}
    return make_notification(**values | {"provider_reference": "<20261121.1@mg.example.org>"} | fields)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("event", "data", "status", "noted"),
    [
        ("delivered", {}, Status.DELIVERED, ["delivered"]),
        ("failed", {"severity": "permanent", "reason": "bounce"}, Status.PERMANENT_FAILURE, ["permanent-failure"]),
        ("failed", {"severity": "temporary", "reason": "generic"}, Status.SENDING, []),
        ("complained", {}, Status.SENDING, ["complaint"]),
        ("opened", {}, Status.SENDING, []),
    ],
)
def test_a_receipt_of_mailgun_changes_the_status(
    event: str, data: dict[str, str], status: Status, noted: list[str]
) -> None:
    message = sent()

    assert post("mailgun", signed(event, **data)).status_code == 200

    message.refresh_from_db()
    assert message.status == status
    assert [one["outcome"] for one in message.receipts] == noted
    assert EarlyReceipt.objects.count() == 0


@pytest.mark.django_db
def test_the_id_in_the_metadata_finds_the_message(settings: Any) -> None:
    message = sent(provider_reference="")

    post("mailgun", signed("delivered", **{"user-variables": {"notification_id": str(message.id)}}))

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        signed("delivered", key="another-key"),
        signed("delivered", at=time.time() - 6 * 60),
        {key: value for key, value in signed("delivered").items() if key != "signature"},
        {},
        [],
    ],
    ids=["wrong", "6 minutes old", "missing", "nothing", "no object"],
)
def test_a_wrong_missing_or_old_signature_is_403(body: object) -> None:
    message = sent()

    refusal = post("mailgun", body)

    message.refresh_from_db()
    assert (refusal.status_code, refusal.json()["errors"][0]["error"]) == (403, "AuthError")
    assert (message.status, message.receipts) == (Status.SENDING, [])


@pytest.mark.django_db
def test_a_signed_post_in_another_form_is_400() -> None:
    body = signed("delivered")
    del body["event-data"]

    assert post("mailgun", body).status_code == 400


@pytest.mark.django_db
def test_postmark_authenticates_with_a_password() -> None:
    message = sent(provider="postmark", provider_reference="pm-1")
    body = {"RecordType": "Delivery", "MessageID": "pm-1", "DeliveredAt": "2026-11-21T10:00:00Z", "Recipient": "a@b"}
    basic = {"Authorization": "Basic " + base64.b64encode(PASSWORD.encode()).decode()}
    wrong = {"Authorization": "Basic " + base64.b64encode(b"postmark:wrong").decode()}

    nobody = post("postmark", body)
    assert (nobody.status_code, nobody.headers["WWW-Authenticate"]) == (401, "Basic")
    assert post("postmark", body, **wrong).status_code == 403
    assert post("open", body, **basic).status_code == 403  # without a password in the settings, nobody is accepted
    assert Notification.objects.get().status == Status.SENDING
    assert post("postmark", body, **basic).status_code == 200

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
