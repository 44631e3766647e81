"""Emails through a provider's API, by any of django-anymail's backends that speak HTTP: `anymail+mailgun://?api_key=…`.

The query holds anymail's own settings for that provider, in small letters and without its name, `api_url` among them.
The time-outs, caps and rules of our own calls hold here too: anymail only says what to post and reads the answer.
Source: the sending contract §19.2; Security and reliability §11, §12.
"""

import re
import threading
from email.utils import formataddr
from importlib import import_module
from typing import Any

import requests
from anymail.exceptions import (
    AnymailConfigurationError,
    AnymailError,
    AnymailRecipientsRefused,
    AnymailRequestsAPIError,
)
from anymail.message import AnymailMessage

from notifications.delivery.messages import Accepted, DeliveryFailure, OutgoingEmail, PermanentFailure
from notifications.delivery.posts import LONGEST_REFERENCE
from notifications.delivery.providers import http
from notifications.delivery.providers.address import Address
from notifications.delivery.providers.anymail_posts import ID, AnymailPosts

SCHEME = "anymail+"

_PARAMETER = re.compile(r"[a-z][a-z_]*\Z")
_NAMED = re.compile(r"(?:^|[?&])([^=&]+)=")


class Anymail(AnymailPosts):
    """One account with one provider. Each thread keeps its connections and uses them again."""

    carries: tuple[type[OutgoingEmail], ...] = (OutgoingEmail,)

    def __init__(
        self,
        name: str,
        url: str,
        *,
        read_seconds: float = http.READ_SECONDS,
        total_seconds: float = http.TOTAL_SECONDS,
    ) -> None:
        """Raises ValueError, without the URL in its words, where it cannot be used."""
        address = Address.parse(url, known=_NAMED.findall(url.partition("?")[2]))
        if address.host or address.path or not all(map(_PARAMETER.match, address.parameters)):
            raise ValueError(f"must be such as {address.scheme}://?api_key=…, with anymail's own settings in the query")
        self.name = name
        self._service = address.scheme.removeprefix(SCHEME).replace("-", "_")
        self._options = dict(address.without("receipts").parameters)
        self._seconds = {"read_seconds": read_seconds, "total_seconds": total_seconds}
        self._of_thread = threading.local()
        try:
            self._new_backend()
            super().__init__(self._service, self._options)
        except AnymailConfigurationError as error:
            raise ValueError(f"lacks a setting of anymail's: {_missing(error)}") from None  # its words may show others
        self.reports_deliveries = address.is_reporting(
            can_report=self.believes_posts, by_default=self.expects_posts(self._options)
        )

    @property
    def server(self) -> tuple[str, int]:
        return http.server_of(self._backend().api_url)

    def send(self, message: OutgoingEmail) -> Accepted:
        """Hand one email over. Raises TemporaryFailure or PermanentFailure."""
        mail = _mail(message)
        try:
            self._backend().send_messages([mail])
        except AnymailError as error:
            raise _failure(error) from error
        if isinstance(mail.anymail_status.esp_response, requests.Response):
            http.check(mail.anymail_status.esp_response)  # some backends pass over a refusal that names no recipient
        # One recipient, so one name; a few backends know none until the provider's first receipt, which has our own id.
        reference = str(mail.anymail_status.message_id or "")[:LONGEST_REFERENCE]
        return Accepted(reference=reference, reply=", ".join(sorted(mail.anymail_status.status or [])))

    def _backend(self) -> Any:  # Any: anymail's, which has no types
        if not hasattr(self._of_thread, "backend"):
            self._of_thread.backend = self._new_backend()
            self._of_thread.backend.session = http.Session(**self._seconds)
        return self._of_thread.backend

    def _new_backend(self) -> Any:  # Any: as above
        module = import_module(f"anymail.backends.{self._service}")
        return module.EmailBackend(ignore_unsupported_features=True, **self._options)


def _mail(message: OutgoingEmail) -> AnymailMessage:
    mail = AnymailMessage(
        subject=message.subject,
        body=message.text,
        from_email=formataddr((message.from_name, message.from_address)),
        to=[message.to],
        reply_to=[message.reply_to] if message.reply_to else None,
        headers={"Message-ID": message.message_id, **message.headers},
        metadata={ID: message.message_id.strip("<>").partition("@")[0]},
    )
    mail.attach_alternative(message.html, "text/html")
    return mail


def _failure(error: AnymailError) -> DeliveryFailure:
    """Return what anymail's words mean for the message."""
    response: requests.Response | None = error.response  # type: ignore[has-type]  # anymail has no types
    if isinstance(error, AnymailRecipientsRefused):
        words = "" if response is None else f"{response.status_code} {response.text}"
        return PermanentFailure("recipient refused", reply=words, is_recipients=True)
    if not isinstance(error, AnymailRequestsAPIError):
        return PermanentFailure(type(error).__name__, reply="Its API cannot take this email as it is.")
    if response is None:
        cause = error.__cause__
        return http.broken(cause if isinstance(cause, Exception) else error)
    if 200 <= response.status_code <= 299:
        return http.unreadable(response)
    return http.refusal(response.status_code, response.text, response.headers.get("Retry-After"))


def _missing(error: AnymailConfigurationError) -> str:
    """Return the first name in capitals; anymail asks for Django's settings, of which these are the ends."""
    found = re.search(r"'([A-Z_]+)'", str(error))
    return found[1].lower() if found else type(error).__name__
