"""Receipts of an Amazon topic with Amazon's signature, and forged ones."""

import base64
import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.test import Client, override_settings
from django.utils import timezone

from notifications.models import Channel, Notification, ReceivedText, Status
from tests.factories import make_notification, make_service, make_sms_sender, make_template
from tests.notifications.delivery.gateways import ScriptedGateway, answer

TOPIC = "arn:aws:sns:eu-west-2:123456789012:texts"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STRANGERS_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def url(endpoint: str, *, topic: str = TOPIC) -> str:
    return f"sns://AKID:s3cret@eu-west-2?endpoint={endpoint}&topic={topic}"


def certificate(valid: timedelta = timedelta(days=1)) -> str:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sns.amazonaws.com")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + valid)
        .sign(KEY, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()


@pytest.fixture
def theirs() -> Iterator[ScriptedGateway]:
    """A scripted host of Amazon with the certificate and the confirmation of subscriptions."""
    with ScriptedGateway([answer("200 OK", certificate())]) as server:
        yield server


Post = Callable[..., Any]


@pytest.fixture
def post(theirs: ScriptedGateway, db: None) -> Post:
    """Post the result of `signed` to the URL of the provider `sns`."""

    def send(body: object, path: str = "receipt", topic: str = TOPIC) -> Any:
        with override_settings(PROVIDERS=[f"sns={url(theirs.url, topic=topic)}"]):
            return Client(raise_request_exception=False).post(
                f"/providers/sns/{path}", json.dumps(body), content_type="text/plain; charset=UTF-8"
            )

    return send


def signed(theirs: ScriptedGateway, message: object, **fields: Any) -> dict[str, str]:
    """Return a receipt as Amazon creates and signs it. `fields` replace its own before the signature."""
    key = fields.pop("key", KEY)
    version = fields.pop("version", "2")
    report = {
        "Type": "Notification",
        "MessageId": str(uuid.uuid4()),
        "TopicArn": TOPIC,
        "Message": json.dumps(message),
        "Timestamp": timezone.now().strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "SignatureVersion": version,
        "SigningCertURL": f"{theirs.url}/SimpleNotificationService-1.pem",
    } | fields
    is_note = report["Type"] == "Notification"
    first = ("Message", "MessageId", "Subject") if is_note else ("Message", "MessageId", "SubscribeURL")
    names = (*first, "Timestamp", *(() if is_note else ("Token",)), "TopicArn", "Type")
    words = "".join(f"{name}\n{report[name]}\n" for name in names if name in report).encode()
    algorithm = hashes.SHA1() if version == "1" else hashes.SHA256()  # noqa: S303  Amazon's version 1
    signature = key.sign(words, padding.PKCS1v15(), algorithm)
    return {"Signature": base64.b64encode(signature).decode(), **report}


def sent() -> Notification:
    return make_notification(
        make_template(channel=Channel.SMS), status=Status.SENDING, provider="sns", provider_reference="a-1",
        sent_at=timezone.now(),
    )  # fmt: skip


def event(kind: str, **fields: object) -> dict[str, object]:
    return {"eventType": kind, "messageId": "a-1", "eventTimestamp": 1795000000000, "isFinal": True, **fields}


def record(status: str, words: str) -> dict[str, object]:
    return {"notification": {"messageId": "a-1"}, "delivery": {"providerResponse": words}, "status": status}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (event("TEXT_DELIVERED"), Status.DELIVERED),
        (event("TEXT_SUCCESSFUL"), Status.DELIVERED),
        (event("TEXT_SUCCESSFUL", isFinal=False), Status.PENDING),
        (event("TEXT_CARRIER_UNREACHABLE"), Status.TEMPORARY_FAILURE),
        (event("TEXT_BLOCKED"), Status.PERMANENT_FAILURE),
        (event("TEXT_UNKNOWN"), Status.TECHNICAL_FAILURE),
        (record("SUCCESS", "Message has been accepted by phone"), Status.DELIVERED),
        (record("FAILURE", "Phone is currently unreachable/unavailable"), Status.TEMPORARY_FAILURE),
        (record("FAILURE", "Invalid phone number"), Status.PERMANENT_FAILURE),
        (record("FAILURE", "Unknown error attempting to reach phone"), Status.TECHNICAL_FAILURE),
        (event("VOICE_ANSWERED"), Status.SENDING),
    ],
)
def test_a_receipt_of_the_topic_sets_the_status(
    post: Post, theirs: ScriptedGateway, message: dict[str, object], expected: Status
) -> None:
    row = sent()

    assert post(signed(theirs, message)).status_code == 200

    row.refresh_from_db()
    assert row.status == expected


def test_the_certificate_is_fetched_once_and_both_kinds_of_signature_are_valid(
    post: Post, theirs: ScriptedGateway
) -> None:
    row = sent()

    assert post(signed(theirs, event("TEXT_PENDING"), version="1")).status_code == 200
    assert post(signed(theirs, event("TEXT_DELIVERED"), Subject="news")).status_code == 200

    row.refresh_from_db()
    assert row.status == Status.DELIVERED
    assert [request.line for request in theirs.requests] == ["GET /SimpleNotificationService-1.pem HTTP/1.1"]


OLD = (timezone.now() - timedelta(minutes=6)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@pytest.mark.parametrize(
    ("fields", "calls"),
    [
        ({"key": STRANGERS_KEY}, 1),
        ({"Timestamp": OLD}, 0),
        ({"TopicArn": "arn:aws:sns:eu-west-2:999999999999:texts"}, 0),
        ({"SigningCertURL": "https://sns.eu-west-2.amazonaws.com.example.org/a.pem"}, 0),
        ({"SigningCertURL": "https://sns.eu-west-2.amazonaws.com@example.org/a.pem"}, 0),
        ({"SigningCertURL": "http://sns.eu-west-2.amazonaws.com/a.pem"}, 0),
        ({"SigningCertURL": "https://bucket.s3.amazonaws.com/a.pem"}, 0),
        ({"SigningCertURL": "http://127.0.0.1:9/a.pem"}, 0),
    ],
    ids=["another key", "6 minutes old", "another topic", "suffix", "user name", "plain", "another service", "port"],
)
def test_an_invalid_signature_is_403_and_causes_no_calls(
    post: Post, theirs: ScriptedGateway, fields: dict[str, Any], calls: int
) -> None:
    row = sent()

    refusal = post(signed(theirs, event("TEXT_DELIVERED"), **fields))

    row.refresh_from_db()
    assert (refusal.status_code, refusal.json()["errors"][0]["error"]) == (403, "AuthError")
    assert (row.status, len(theirs.requests)) == (Status.SENDING, calls)


@pytest.mark.parametrize(
    "missing", ["Signature", "Timestamp", "SigningCertURL", "Type", "TopicArn", "SignatureVersion"]
)
def test_a_missing_part_is_403(post: Post, theirs: ScriptedGateway, missing: str) -> None:
    body = signed(theirs, event("TEXT_DELIVERED"))
    del body[missing]

    assert post(body).status_code == 403
    assert theirs.requests == []


@pytest.mark.parametrize("body", [[], None, "x", {}])
def test_anything_but_a_receipt_is_403(post: Post, body: object) -> None:
    assert post(body).status_code == 403


def test_without_a_topic_no_receipt_is_accepted(post: Post, theirs: ScriptedGateway) -> None:
    assert post(signed(theirs, event("TEXT_DELIVERED"), TopicArn=""), topic="").status_code == 403


def test_an_expired_certificate_proves_nothing(post: Post, theirs: ScriptedGateway) -> None:
    theirs.script[:] = [answer("200 OK", certificate(timedelta(days=-1)))]

    assert post(signed(theirs, event("TEXT_DELIVERED"))).status_code == 403


def test_an_unavailable_certificate_causes_a_retry(post: Post, theirs: ScriptedGateway) -> None:
    theirs.script[:] = [answer("503 Away")]

    refusal = post(signed(theirs, event("TEXT_DELIVERED")))

    assert (refusal.status_code, refusal.headers["Retry-After"]) == (503, "60")


def test_a_valid_signature_with_another_form_is_400(post: Post, theirs: ScriptedGateway) -> None:
    assert post(signed(theirs, "no object")).status_code == 400
    assert post(signed(theirs, {"eventType": "TEXT_DELIVERED"})).status_code == 400


def confirmation(theirs: ScriptedGateway, url: str) -> dict[str, str]:
    return signed(theirs, "", Type="SubscriptionConfirmation", Token="t-1", SubscribeURL=url, Message="You have chosen")


def test_a_subscription_is_confirmed_on_amazons_host_only(post: Post, theirs: ScriptedGateway) -> None:
    with ScriptedGateway() as elsewhere:
        assert post(confirmation(theirs, f"{elsewhere.url}/?Action=ConfirmSubscription")).status_code == 400
        assert elsewhere.requests == []

    assert post(confirmation(theirs, f"{theirs.url}/?Action=ConfirmSubscription&Token=t-1")).status_code == 200
    assert theirs.requests[-1].line == "GET /?Action=ConfirmSubscription&Token=t-1 HTTP/1.1"


def test_a_received_text_is_stored(post: Post, theirs: ScriptedGateway) -> None:
    service = make_service()
    make_sms_sender(service, "07700 900851")
    text = {
        "originationNumber": "+447700900456", "destinationNumber": "+447700900851", "messageBody": "Yes",
        "inboundMessageId": "i-1", "messageKeyword": "KEYWORD",
    }  # fmt: skip

    assert post(signed(theirs, text), "received-text").status_code == 200

    received = ReceivedText.objects.get()
    assert (received.service, received.user_number, received.content) == (service, "447700900456", "Yes")
