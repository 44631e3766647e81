"""Delivery receipts of email providers. Anymail checks the signature or password and parses the events.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §6.
"""

import json
import time
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from anymail.exceptions import (
    AnymailConfigurationError,
    AnymailError,
    AnymailInsecureWebhookWarning,
    AnymailWebhookValidationFailure,
)
from anymail.signals import AnymailTrackingEvent, EventType, RejectReason
from anymail.webhooks.base import AnymailCoreWebhookView
from django.http import HttpRequest

from config.reading import read_uuid
from notifications.delivery.messages import Receipt, ReceiptOutcome
from notifications.delivery.posts import LONGEST_CODE, LONGEST_REFERENCE, is_known_year
from notifications.errors import ReceiptCredentialsMissing, ReceiptCredentialsWrong, ReceiptUnreadable

ID = "notification_id"  # the metadata field with Signalbox's id of a message
CLOCK_SECONDS = 5 * 60

_OUTCOMES = {
    EventType.DELIVERED: ReceiptOutcome.DELIVERED,
    EventType.BOUNCED: ReceiptOutcome.PERMANENT_FAILURE,
    EventType.REJECTED: ReceiptOutcome.PERMANENT_FAILURE,
    EventType.FAILED: ReceiptOutcome.TECHNICAL_FAILURE,
    EventType.COMPLAINED: ReceiptOutcome.COMPLAINT,
}  # ignored: queued, sent, deferred, opened, clicked, unsubscribed

# Errors that anymail's views raise for a malformed request, because they do not validate it first.
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, OverflowError)

# The settings that the views get. The other settings are for sending.
_VIEW_SETTINGS = ("webhook_secret", "webhook_signing_key", "webhook_key", "webhook_url", "signing_secret", "api_key",
             "tracking_webhook_secret")  # fmt: skip


class AnymailPosts:
    """The provider's tracking webhook. It needs a signature or a `webhook_secret`."""

    def __init__(self, service: str, options: Mapping[str, str]) -> None:
        """Raise AnymailConfigurationError."""
        self._view = _tracking_view(service, {name: value for name, value in options.items() if name in _VIEW_SETTINGS})

    @property
    def believes_posts(self) -> bool:
        """Return whether the webhook has a signature or password. Without one, anymail would accept any request."""
        view = self._view
        return view is not None and bool(view.basic_auth or not view.warn_if_no_basic_auth)

    @staticmethod
    def expects_posts(options: Mapping[str, str]) -> bool:
        """Return whether an option is only for the webhook. Some providers sign receipts with the key for sending."""
        return any(name in _VIEW_SETTINGS and name != "api_key" for name in options)

    def check_caller(self, request: HttpRequest) -> None:
        view = self._view
        if not self.believes_posts:
            raise ReceiptCredentialsWrong
        if view.basic_auth and "Authorization" not in request.headers:
            missing = ReceiptCredentialsMissing(credentials="name and password", way="by Basic authentication")
            missing.challenge = "Basic"
            raise missing
        try:
            view.run_validators(request)
        except (AnymailWebhookValidationFailure, *_MALFORMED) as error:
            raise ReceiptCredentialsWrong from error
        if (signed_at := _signed_at(view, request)) is not None and abs(time.time() - signed_at) > CLOCK_SECONDS:
            raise ReceiptCredentialsWrong

    def receipts(self, request: HttpRequest) -> Sequence[Receipt]:
        """Raise ReceiptUnreadable."""
        try:
            events = self._view.parse_events(request) if self._view else []
            read = [_receipt(event) for event in events]
        except (AnymailError, AnymailConfigurationError, *_MALFORMED) as error:
            raise ReceiptUnreadable(f"it is not in this provider's format ({type(error).__name__})") from error
        return [receipt for receipt in read if receipt is not None]


def _tracking_view(service: str, options: Mapping[str, str]) -> Any:  # Any: anymail has no types
    """Return the service's view for tracking events, or None. Raises AnymailConfigurationError."""
    try:
        module = import_module(f"anymail.webhooks.{service}")
    except ModuleNotFoundError:  # one service has no webhook
        return None
    views = [
        kind
        for name, kind in vars(module).items()
        if name.endswith(("TrackingWebhookView", "CombinedWebhookView"))
        and kind.__module__ == module.__name__
        and issubclass(kind, AnymailCoreWebhookView)
    ]
    try:
        with warnings.catch_warnings(
            action="ignore", category=AnymailInsecureWebhookWarning
        ):  # `check_caller` rejects requests then
            return views[0](**options)
    except AnymailConfigurationError:
        if any("webhook" in name or "signing" in name for name in options):
            raise
        return None  # no setting for the webhook, so it is not used


def _receipt(event: Any) -> Receipt | None:  # Any: anymail has no types
    if not isinstance(event, AnymailTrackingEvent) or event.event_type not in _OUTCOMES:
        return None
    outcome = _OUTCOMES[event.event_type]
    if outcome == ReceiptOutcome.PERMANENT_FAILURE and event.reject_reason == RejectReason.TIMED_OUT:
        outcome = ReceiptOutcome.TEMPORARY_FAILURE
    reference = str(event.message_id or "")[:LONGEST_REFERENCE]
    identifier = read_uuid((event.metadata or {}).get(ID))
    if not reference and identifier is None:
        return None
    code = event.reject_reason or event.event_type
    at = event.timestamp if event.timestamp and is_known_year(event.timestamp) else None
    return Receipt(outcome=outcome, reference=reference, notification_id=identifier, code=code[:LONGEST_CODE], at=at)


def _signed_at(view: Any, request: HttpRequest) -> float | None:  # Any: anymail has no types
    """Return the signed time of a request, if the service signs it and anymail does not check it.

    The view has checked the signature, so the fields exist.
    """
    if view.esp_name != "Mailgun":
        return None
    is_json = request.content_type == "application/json"
    return float(json.loads(request.body)["signature"]["timestamp"] if is_json else request.POST["timestamp"])
