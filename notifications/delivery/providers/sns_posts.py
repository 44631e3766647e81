"""Notifications of an SNS topic. Amazon signs them with a certificate from its own host.

Anyone with an AWS account can publish signed notifications, so the topic must match, too.
Source: docs/reference/sending-api.md §19.2, §19.3; docs/reference/security.md §6;
Amazon SNS developer guide, "Verifying the signatures of Amazon SNS messages".
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from urllib.parse import urlsplit

import requests
import structlog
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.http import HttpRequest
from django.utils import timezone

from notifications.delivery import posts
from notifications.delivery.messages import IncomingText, Receipt, ReceiptOutcome
from notifications.delivery.posts import LONGEST_NUMBER, LONGEST_REFERENCE
from notifications.delivery.providers import http
from notifications.delivery.providers.per_thread import PerThread
from notifications.errors import ReceiptCredentialsWrong, ReceiptNotCheckable, ReceiptUnreadable

CLOCK = timedelta(minutes=5)
MOST_CERTIFICATES = 8  # Amazon uses one at a time and announces the next

_SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    "UnsubscribeConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
_HASHES: dict[str, hashes.HashAlgorithm] = {"1": hashes.SHA1(), "2": hashes.SHA256()}  # noqa: S303  Amazon's version 1
_PEM = re.compile(r"/[A-Za-z0-9_-]+\.pem\Z")

_EVENTS = {
    "TEXT_DELIVERED": ReceiptOutcome.DELIVERED,
    **dict.fromkeys(("TEXT_SUCCESSFUL", "TEXT_QUEUED", "TEXT_PENDING", "TEXT_SENT"), ReceiptOutcome.PENDING),
    **dict.fromkeys(
        ("TEXT_UNREACHABLE", "TEXT_CARRIER_UNREACHABLE", "TEXT_TTL_EXPIRED"), ReceiptOutcome.TEMPORARY_FAILURE
    ),
    **dict.fromkeys(
        ("TEXT_BLOCKED", "TEXT_CARRIER_BLOCKED", "TEXT_INVALID", "TEXT_INVALID_MESSAGE", "TEXT_SPAM"),
        ReceiptOutcome.PERMANENT_FAILURE,
    ),
}

log = structlog.get_logger()


class SnsPosts:
    """The notifications of one topic. Without a topic, every notification is rejected."""

    name: str

    def __init__(self, *, topic: str, region: str, endpoint: str) -> None:
        self._topic = topic
        host = f"sns.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
        self._origins = {("https", host, None)} | ({_origin(endpoint)} if endpoint else set())
        self._certificate_at = lru_cache(maxsize=MOST_CERTIFICATES)(self._fetch_certificate)
        self._session = PerThread(http.HttpSession)

    def check_caller(self, request: HttpRequest) -> None:
        """Check everything that needs no HTTP call first, so that a stranger cannot cause calls."""
        try:
            posted = posts.loads(request.body)
            signed_at = posts.moment(posts.text(posted, "Timestamp"))
            signature = base64.b64decode(posts.text(posted, "Signature"), validate=True)
            names, algorithm = _SIGNED[posts.text(posted, "Type")], _HASHES[posts.text(posted, "SignatureVersion")]
            signed = [(name, posts.text(posted, name)) for name in names if name != "Subject" or name in posted]
            url = posts.text(posted, "SigningCertURL")
        except (ReceiptUnreadable, binascii.Error, LookupError) as error:
            raise ReceiptCredentialsWrong from error
        if not self._topic or posted["TopicArn"] != self._topic or abs(timezone.now() - signed_at) > CLOCK:
            raise ReceiptCredentialsWrong
        if not self._is_amazons(url) or not _PEM.search(urlsplit(url).path):
            raise ReceiptCredentialsWrong
        words = "".join(f"{name}\n{value}\n" for name, value in signed).encode()
        key = self._certificate(url).public_key()
        try:
            if not isinstance(key, rsa.RSAPublicKey):
                raise ReceiptCredentialsWrong
            key.verify(signature, words, padding.PKCS1v15(), algorithm)
        except InvalidSignature as error:
            raise ReceiptCredentialsWrong from error

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Raise ReceiptUnreadable, ReceiptNotCheckable."""
        event = self._notification(request)
        if event is None or "inboundMessageId" in event:
            return []
        if str(event.get("eventType", "")).startswith("TEXT_"):
            return [_of_event(event)]
        return [_of_log(event)] if "notification" in event else []

    def incoming_texts(self, request: HttpRequest) -> Sequence[IncomingText]:
        """Raise ReceiptUnreadable, ReceiptNotCheckable."""
        event = self._notification(request)
        if event is None or "inboundMessageId" not in event:
            return []
        return [
            IncomingText(
                sender=posts.text(event, "originationNumber", most=LONGEST_NUMBER),
                recipient=posts.text(event, "destinationNumber", most=LONGEST_NUMBER),
                content=posts.text(event, "messageBody"),
            )
        ]

    def _notification(self, request: HttpRequest) -> Mapping[str, object] | None:
        """Return the notification of the topic, or confirm its subscription and return None."""
        posted = posts.loads(request.body)
        if posted["Type"] == "Notification":
            return posts.loads(posts.text(posted, "Message").encode())
        if posted["Type"] == "SubscriptionConfirmation":
            url = posts.text(posted, "SubscribeURL")
            if not self._is_amazons(url):
                raise ReceiptUnreadable("SubscribeURL leads elsewhere")
            self._get(url)
            log.info("provider.subscribed", provider=self.name)
        return None

    def _is_amazons(self, url: str) -> bool:
        try:
            return _origin(url) in self._origins
        except ValueError:
            return False

    def _certificate(self, url: str) -> x509.Certificate:
        """Return the certificate at a URL of Amazon. Raises ReceiptCredentialsWrong, ReceiptNotCheckable."""
        certificate = self._certificate_at(url)
        if not certificate.not_valid_before_utc <= timezone.now() <= certificate.not_valid_after_utc:
            raise ReceiptCredentialsWrong
        return certificate

    def _fetch_certificate(self, url: str) -> x509.Certificate:
        try:
            return x509.load_pem_x509_certificate(self._get(url))
        except ValueError as error:
            raise ReceiptCredentialsWrong from error

    def _get(self, url: str) -> bytes:
        try:
            response = self._session().get(url)
            response.raise_for_status()
        except requests.RequestException as error:
            raise ReceiptNotCheckable from error
        if response.status_code != 200:
            raise ReceiptCredentialsWrong
        return response.content


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """Raise ValueError, also for a URL with a user name."""
    parts = urlsplit(url)
    if "@" in parts.netloc or "\\" in url:
        raise ValueError("user name in a URL")
    return parts.scheme, parts.hostname, parts.port


def _of_event(event: Mapping[str, object]) -> Receipt:
    """Read an event of AWS End User Messaging. In some countries, TEXT_SUCCESSFUL is the last event."""
    kind = str(event["eventType"])
    outcome = _EVENTS.get(kind, ReceiptOutcome.TECHNICAL_FAILURE)
    if kind == "TEXT_SUCCESSFUL" and event.get("isFinal") is True:
        outcome = ReceiptOutcome.DELIVERED
    at = event.get("eventTimestamp")
    return Receipt(
        outcome=outcome,
        reference=posts.text(event, "messageId", most=LONGEST_REFERENCE),
        code=kind.removeprefix("TEXT_")[:100],
        at=datetime.fromtimestamp(at / 1000, UTC) if isinstance(at, int) and 0 < at < 10**14 else None,
    )


def _of_log(event: Mapping[str, object]) -> Receipt:
    """Read a record of the SNS delivery status log that was forwarded to the topic."""
    about, delivery = event["notification"], event.get("delivery")
    if not isinstance(about, dict):
        raise ReceiptUnreadable("notification must be an object")
    words = str(delivery.get("providerResponse", "")) if isinstance(delivery, dict) else ""
    if event.get("status") == "SUCCESS":
        outcome = ReceiptOutcome.DELIVERED
    elif "unreachable" in words:
        outcome = ReceiptOutcome.TEMPORARY_FAILURE
    elif not words or "Unknown error" in words or "max price" in words:
        outcome = ReceiptOutcome.TECHNICAL_FAILURE
    else:
        outcome = ReceiptOutcome.PERMANENT_FAILURE
    return Receipt(outcome=outcome, reference=posts.text(about, "messageId", most=LONGEST_REFERENCE), code=words[:100])
