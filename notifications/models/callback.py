"""Callback endpoints: the URLs of a service that get events. Source: docs/reference/sending-api.md §20, §22."""

import base64
import secrets
import uuid
from datetime import datetime, timedelta
from typing import Self
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast
from django.utils import timezone

from config import encryption
from config.outbound import targets
from config.outbound.targets import UnsafeUrl
from notifications.models.callback_event import DEFAULT_EVENTS, CallbackEvent, CallbackKind
from notifications.models.service import Service
from notifications.validation.keys import MAX_CALLBACK_NAME_CHARACTERS

OLD_SECRET_SIGNS_FOR = timedelta(hours=24)  # Source: docs/reference/security.md §1


class PauseReason(models.TextChoices):
    """The reason why an endpoint is paused."""

    PERSON = "person", "Paused by hand"
    GONE = "gone", "The receiver answered 410 Gone"
    FAILING = "failing", "Every attempt failed for three days"


class CallbackEndpointQuerySet(models.QuerySet["CallbackEndpoint"]):
    def wanting(self, event: CallbackEvent) -> Self:
        """Return the endpoints that get an event. `WANTS_EVENT` is the same condition in SQL."""
        by_default = [kind for kind, events in DEFAULT_EVENTS.items() if event in events]
        written = self.annotate(written=Cast("events", models.TextField()))
        return written.filter(Q(written__contains=f'"{event.value}"') | Q(written="[]", kind__in=by_default))


# The endpoints, except those for single requests, that get the event of a message. Neither database can search JSON in
# the way of the other, so the condition searches the text. {event}: a column; blank for a status without an event
WANTS_EVENT = """
    endpoint.kind <> 'request' AND {event} <> '' AND (
      CAST(endpoint.events AS TEXT) LIKE '%%"' || {event} || '"%%'
      OR CAST(endpoint.events AS TEXT) = '[]' AND endpoint.kind = 'delivery_status' AND {event} <> 'message.sent'
    )
"""


class CallbackEndpoint(models.Model):
    """An endpoint of a service for some events. Its bearer token and signing secrets are encrypted.

    name: for staff; blank for endpoints of earlier versions
    kind: the format of the bodies
    events: the chosen events; empty for the default events of the kind
    data_sets: ids of the data sets whose events it gets; a data set may be deleted
    url, encrypted_bearer_token: empty for the row of CallbackKind.REQUEST
    failing_since: the time of the first failure since the last success, or null
    notify_owners_at: when to email the owners that the endpoint is paused; null after the email
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="callbacks")
    name = models.CharField(max_length=MAX_CALLBACK_NAME_CHARACTERS, blank=True, default="", db_default="")
    kind = models.CharField(max_length=21, choices=CallbackKind.choices)
    events = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    data_sets = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    url = models.CharField("URL", max_length=2000)
    encrypted_bearer_token = models.BinaryField(editable=False)
    encrypted_signing_secret = models.BinaryField(null=True, editable=False)
    encrypted_old_signing_secret = models.BinaryField(null=True, editable=False)
    old_signing_secret_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)
    paused_at = models.DateTimeField(null=True, editable=False)
    paused_by = models.CharField(max_length=255, blank=True, editable=False)
    pause_reason = models.CharField(max_length=7, choices=PauseReason.choices, blank=True, editable=False)
    notify_owners_at = models.DateTimeField(null=True, editable=False)

    objects = CallbackEndpointQuerySet.as_manager()

    class Meta:
        verbose_name = "callback"
        constraints = [
            models.UniqueConstraint(
                fields=["service"], condition=Q(kind="request"), name="callback_endpoint_of_requests"
            ),
            models.UniqueConstraint(
                fields=["service", "name"], condition=~Q(name=""), name="callback_endpoint_name_unique"
            ),
        ]
        indexes = [
            models.Index(
                fields=["notify_owners_at"],
                condition=~models.Q(notify_owners_at=None),
                name="callback_endpoint_to_notify",
            )
        ]

    def __str__(self) -> str:
        return f"Callback {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        """Return the name, or the kind and the host. The rest of a URL may contain a secret."""
        if self.is_of_requests:
            return CallbackKind.REQUEST.label
        return self.name or f"{self.get_kind_display()} to {urlsplit(self.url).hostname or 'nowhere'}"

    @property
    def is_of_requests(self) -> bool:
        """Return whether each callback has the URL of its request."""
        return self.kind == CallbackKind.REQUEST

    @property
    def chosen_events(self) -> list[CallbackEvent]:
        """Return the events that the endpoint gets, in their usual order."""
        return [CallbackEvent(event) for event in self.events] or list(DEFAULT_EVENTS[CallbackKind(self.kind)])

    def keeps_token_for(self, url: str) -> bool:
        """Return whether another URL has the same origin, so that the bearer token may be sent there too."""
        try:
            return targets.origin(url) == targets.origin(self.url)
        except UnsafeUrl:  # a URL that was stored before the current rules
            return False

    @property
    def bearer_token(self) -> str:
        return self._decrypt("bearer_token", self.encrypted_bearer_token)

    @property
    def signing_secret(self) -> str | None:
        return self._decrypt("signing_secret", self.encrypted_signing_secret) if self.encrypted_signing_secret else None

    def signing_secrets(self, now: datetime) -> list[str]:
        """Return the secrets that sign a callback, the newest first: none, one, or two after a rotation."""
        secrets_now = [self.signing_secret] if self.signing_secret else []
        if self.encrypted_old_signing_secret and self.old_signing_secret_until and now < self.old_signing_secret_until:
            secrets_now.append(self._decrypt("old_signing_secret", self.encrypted_old_signing_secret))
        return secrets_now

    def rotate_signing_secret(self, now: datetime) -> None:
        """Replace the signing secret with a random one, without saving."""
        self.replace_signing_secret(f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}", now)

    def replace_signing_secret(self, secret: str, now: datetime) -> None:
        """Set the signing secret, without saving. The previous one also signs for OLD_SECRET_SIGNS_FOR."""
        previous = self.signing_secret
        if previous is not None:
            self.encrypted_old_signing_secret = self.encrypt("old_signing_secret", previous)
            self.old_signing_secret_until = now + OLD_SECRET_SIGNS_FOR
        self.encrypted_signing_secret = self.encrypt("signing_secret", secret)

    def encrypt(self, column: str, value: str) -> bytes:
        """Return `value` encrypted for a column of this row: bearer_token, signing_secret or old_signing_secret."""
        return encryption.encrypt(value, table="callback_endpoint", column=column, row=str(self.id))

    def _decrypt(self, column: str, encrypted: bytes | memoryview) -> str:
        return encryption.decrypt(bytes(encrypted), table="callback_endpoint", column=column, row=str(self.id))
