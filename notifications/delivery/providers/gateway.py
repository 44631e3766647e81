"""Text messages as JSON over HTTP to a gateway that supports Signalbox's own format: `https://`.

A message is `{"to", "from", "content", "reference"}`. The gateway answers 2xx with `{"reference": "its own id"}`.
Numbers are E.164 without the plus. The reference is the same for every attempt, so a gateway can drop duplicates. With
`ask=yes`, after an attempt with an unknown outcome, `GET …?reference=…` looks the message up: the same answer, or 404.
Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §9.
"""

from typing import Any

import requests

from notifications.delivery.messages import Accepted, OutgoingSms
from notifications.delivery.posts import LONGEST_REFERENCE, OwnForm
from notifications.delivery.providers import http
from notifications.delivery.providers.per_thread import PerThread
from notifications.delivery.providers.provider_url import ProviderUrl

_NOT_FOUND = 404


class Gateway(OwnForm):
    """`https://user:password@host/path?token=…` with Basic, `https://:secret@host/path` with a bearer token."""

    carries: tuple[type[OutgoingSms], ...] = (OutgoingSms,)

    def __init__(
        self,
        name: str,
        url: str,
        *,
        read_seconds: float = http.READ_SECONDS,
        total_seconds: float = http.TOTAL_SECONDS,
    ) -> None:
        """Raise ValueError for an unusable URL. The error leaves out the URL, because it may contain a password."""
        parsed = ProviderUrl.parse(url, known=("ask", "receipts", "token"))
        if not parsed.host:
            raise ValueError("must be such as https://user:password@gateway.example.org/messages?token=…")
        if parsed.scheme == "http" and not parsed.is_local:
            raise ValueError("must be https, because messages are private")
        self.name = name
        self.is_askable = parsed.is_yes("ask", default=False)
        self.posting_token = parsed.parameters.get("token", "")
        self.sends_receipts = parsed.are_receipts_on(can_check_receipts=bool(self.posting_token))
        self._url = f"{parsed.scheme}://{parsed.origin}{parsed.path}"
        self._auth = (parsed.user, parsed.password) if parsed.user else None
        self._headers = {"Authorization": f"Bearer {parsed.password}"} if parsed.password and not parsed.user else {}
        self._session = PerThread(lambda: http.HttpSession(read_seconds=read_seconds, total_seconds=total_seconds))

    @property
    def server(self) -> tuple[str, int]:
        return http.server_of(self._url)

    def send(self, message: OutgoingSms) -> Accepted:
        """Send one text message. Raises TemporaryFailure or PermanentFailure."""
        body = {"to": message.to, "from": message.sender, "content": message.content, "reference": message.reference}
        response = self._call("POST", json=body)
        http.check(response)
        return _accepted(response)

    def find(self, message: OutgoingSms) -> Accepted | None:
        """Look up a text message by its reference. Raises what `send` raises."""
        response = self._call("GET", params={"reference": message.reference})
        if response.status_code == _NOT_FOUND:
            return None
        http.check(response)
        return _accepted(response)

    def _call(self, method: str, **content: Any) -> requests.Response:  # Any: arguments of `requests`
        try:
            return self._session().request(method, self._url, headers=self._headers, auth=self._auth, **content)
        except requests.RequestException as error:
            raise http.connection_failure(error) from error


def _accepted(response: requests.Response) -> Accepted:
    return Accepted(reference=_reference(response), reply=f"{response.status_code} {response.reason}")


def _reference(response: requests.Response) -> str:
    """Return the gateway's id of the message. Raises TemporaryFailure."""
    try:
        answer = response.json()
    except ValueError as error:
        raise http.unreadable(response) from error
    reference = answer.get("reference") if isinstance(answer, dict) else None
    if not isinstance(reference, str) or not 0 < len(reference) <= LONGEST_REFERENCE:
        raise http.unreadable(response)
    return reference
