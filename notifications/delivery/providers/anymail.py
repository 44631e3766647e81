"""Emails through a provider's API with django-anymail's backends that use HTTP: `anymail+mailgun://?api_key=…`.

The query has the settings of anymail for the provider, in lower case and without its name, such as `api_url`.
Anymail builds requests and parses answers. Signalbox's own HTTP session sends them, with its time-outs and limits.
Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §11, §12.
"""

import re
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
from notifications.delivery.providers.anymail_posts import ID, AnymailPosts
from notifications.delivery.providers.per_thread import PerThread
from notifications.delivery.providers.provider_url import ProviderUrl

SCHEME = "anymail+"

_PARAMETER = re.compile(r"[a-z][a-z_]*\Z")
_NAMED = re.compile(r"(?:^|[?&])([^=&]+)=")


class Anymail(AnymailPosts):
    """One account with one provider. Each thread keeps and reuses its connections."""

    carries: tuple[type[OutgoingEmail], ...] = (OutgoingEmail,)

    def __init__(
        self,
        name: str,
        url: str,
        *,
        read_seconds: float = http.READ_SECONDS,
        total_seconds: float = http.TOTAL_SECONDS,
    ) -> None:
        """Raise ValueError for an unusable URL. The error leaves out the URL, because it may contain a password."""
        parsed = ProviderUrl.parse(url, known=_NAMED.findall(url.partition("?")[2]))
        if parsed.host or parsed.path or not all(map(_PARAMETER.match, parsed.parameters)):
            raise ValueError(f"must be such as {parsed.scheme}://?api_key=…, with anymail's own settings in the query")
        self.name = name
        self._service = parsed.scheme.removeprefix(SCHEME).replace("-", "_")
        self._options = dict(parsed.without("receipts").parameters)

        def backend_with_session() -> Any:  # Any: anymail has no types
            backend = self._new_backend()
            backend.session = http.HttpSession(read_seconds=read_seconds, total_seconds=total_seconds)
            return backend

        self._backend = PerThread(backend_with_session)
        try:
            self._new_backend()
            super().__init__(self._service, self._options)
        except AnymailConfigurationError as error:
            raise ValueError(
                f"lacks a setting of anymail's: {_missing(error)}"
            ) from None  # anymail's text may contain other settings
        self.sends_receipts = parsed.are_receipts_on(
            can_check_receipts=self.believes_posts, by_default=self.expects_posts(self._options)
        )

    @property
    def server(self) -> tuple[str, int]:
        return http.server_of(self._backend().api_url)

    def send(self, message: OutgoingEmail) -> Accepted:
        """Send one email. Raises TemporaryFailure or PermanentFailure."""
        mail = _mail(message)
        try:
            self._backend().send_messages([mail])
        except AnymailError as error:
            raise _failure(error) from error
        if isinstance(mail.anymail_status.esp_response, requests.Response):
            http.check(mail.anymail_status.esp_response)  # some backends ignore a rejection that names no recipient
        # One recipient has one id. A few backends learn it from the first receipt, which also has Signalbox's id.
        reference = str(mail.anymail_status.message_id or "")[:LONGEST_REFERENCE]
        return Accepted(reference=reference, reply=", ".join(sorted(mail.anymail_status.status or [])))

    def _new_backend(self) -> Any:  # Any: anymail has no types
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
    """Return the failure for an error of anymail."""
    response: requests.Response | None = error.response  # type: ignore[has-type]  # anymail has no types
    if isinstance(error, AnymailRecipientsRefused):
        words = "" if response is None else f"{response.status_code} {response.text}"
        return PermanentFailure("recipient rejected", reply=words, is_recipients=True)
    if not isinstance(error, AnymailRequestsAPIError):
        return PermanentFailure(type(error).__name__, reply="The provider's API does not support this email.")
    if response is None:
        cause = error.__cause__
        return http.connection_failure(cause if isinstance(cause, Exception) else error)
    if 200 <= response.status_code <= 299:
        return http.unreadable(response)
    return http.failure_for(response.status_code, response.text, response.headers.get("Retry-After"))


def _missing(error: AnymailConfigurationError) -> str:
    """Return the missing setting: the first name in capitals, because anymail names Django settings."""
    found = re.search(r"'([A-Z_]+)'", str(error))
    return found[1].lower() if found else type(error).__name__
