"""Send the request of the unsubscribe button of mail programs. Source: RFC 8058 §3.1."""

from dataclasses import dataclass

from config.outbound import http_client
from config.outbound.http_client import CallFailed, Resolve
from config.outbound.targets import UnsafeUrl
from notifications.delivery import unsubscribe_links
from notifications.submission import unsubscribe_requests

SECONDS = 5.0
_BODY = b"List-Unsubscribe=One-Click"
_HEADERS = {"Content-Type": "application/x-www-form-urlencoded"}
_MOST_SHOWN = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of it, in words; reply: the first 4 kB of what was answered."""

    words: str
    reply: str = ""


def press(url: str, *, resolve: Resolve = http_client.resolve) -> Answer:
    """Post to the URL of `List-Unsubscribe`. A link of ours is confirmed without a call to this very server."""
    if token := unsubscribe_links.token_of(url):
        return _confirmed(token)
    try:
        answer = http_client.post(url, _BODY, _HEADERS, seconds=SECONDS, resolve=resolve)
    except UnsafeUrl as error:
        return Answer(words=f"Nothing was posted: the URL {error}.")
    except CallFailed as error:
        return Answer(words=f"Posted, but there is no answer: {error}.")
    reply = answer.body[:_MOST_SHOWN].decode(errors="replace").strip()
    return Answer(words=f"Posted. The answer is {answer.status}.", reply=reply)


def _confirmed(token: str) -> Answer:
    found = unsubscribe_requests.find(token)
    if found is None:
        return Answer(words="This link does not work: it is damaged, or its service is not here.")
    unsubscribe_requests.confirm(found.email)
    return Answer(words=f"{found.service.name} has the request. Staff see it under Unsubscribe requests.")
