"""Send the request of the unsubscribe button of mail programs. Source: RFC 8058 §3.1."""

from dataclasses import dataclass

from config.outbound import http_client
from config.outbound.http_client import CallFailed, Resolve
from config.outbound.targets import UnsafeUrl
from notifications.delivery import unsubscribe_links
from notifications.submission.suppressions import one_click, unsubscribe_requests

_MOST_SHOWN = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickResult:
    """The result of a click as a sentence. reply: the first 4 kB of the response"""

    text: str
    reply: str = ""


def press(url: str, *, resolve: Resolve = http_client.resolve) -> ClickResult:
    """Post to the URL of `List-Unsubscribe`. A link of Signalbox is confirmed without an HTTP call."""
    if token := unsubscribe_links.token_of(url):
        return _confirmed(token)
    try:
        answer = one_click.post(url, resolve=resolve)
    except UnsafeUrl as error:
        return ClickResult(text=f"Nothing was posted: the URL {error}.")
    except CallFailed as error:
        return ClickResult(text=f"Posted, but there was no response: {error}.")
    reply = answer.body[:_MOST_SHOWN].decode(errors="replace").strip()
    return ClickResult(text=f"Posted. The response has the status {answer.status}.", reply=reply)


def _confirmed(token: str) -> ClickResult:
    found = unsubscribe_requests.find(token)
    if found is None:
        return ClickResult(text="This link does not work. It is damaged, or its service does not exist.")
    unsubscribe_requests.confirm(found.email)
    return ClickResult(text=f"{found.service.name} has the request. Staff see it under Unsubscribe requests.")
