"""Callers' URLs for one-click unsubscribes: find those in use, and post to one as email programs do (RFC 8058 §3.1).

Source: docs/reference/console.md §3.7.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction

from config import audit
from config.audit import Actor
from config.outbound import http_client
from config.outbound.http_client import Answer, CallFailed, Resolve
from config.outbound.targets import UnsafeUrl
from notifications.delivery import unsubscribe_links
from notifications.models import Channel, KeyType, Notification, Service, UnsubscribeProbe

SECONDS = 5.0
EMAILS_READ = 2_000  # the newest ones of a service, because no index finds those with a URL

_BODY = b"List-Unsubscribe=One-Click"
_HEADERS = {"Content-Type": "application/x-www-form-urlencoded"}

_SENTENCES = {
    400: "The URL does not accept the request (400). It must accept the form value List-Unsubscribe=One-Click.",
    401: "The URL wants a sign-in (401). It must accept the request of an email program without one.",
    403: "The URL refuses the request (403). It must need no sign-in, no cookie and no CSRF token.",
    404: "The URL does not exist (404).",
    405: "The URL does not accept a POST (405). Email programs send a POST, not a GET.",
    410: "The URL does not exist any more (410).",
    429: "The server got too many requests (429). Try again later.",
}


@dataclass(slots=True, kw_only=True)
class UrlInUse:
    """The URLs of one origin, and the email whose URL a test uses. emails: their number in the newest EMAILS_READ"""

    origin: str
    emails: int
    url: str
    notification_id: UUID
    sent_at: datetime
    is_test: bool


def post(url: str, *, resolve: Resolve = http_client.resolve) -> Answer:
    """Send the request of the unsubscribe button. Raises UnsafeUrl, CallFailed."""
    return http_client.post(url, _BODY, _HEADERS, seconds=SECONDS, resolve=resolve)


def in_use(service: Service) -> list[UrlInUse]:
    """Return the origins of callers' URLs in the newest emails of a service, that of the newest email first.

    A test uses the newest email of a test key if there is one, because nobody got that email.
    """
    emails = Notification.objects.filter(service=service, channel=Channel.EMAIL, created_at__gte=service.kept_since())
    columns = ("id", "one_click_unsubscribe_url", "created_at", "key_type")
    found: dict[str, UrlInUse] = {}
    for identifier, url, created_at, key_type in emails.order_by("-created_at", "-id").values_list(*columns)[
        :EMAILS_READ
    ]:
        if not url or unsubscribe_links.token_of(url):
            continue
        parts, is_test = urlsplit(url), key_type == KeyType.TEST
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"[:300]
        newest = UrlInUse(
            origin=origin, emails=0, url=url, notification_id=identifier, sent_at=created_at, is_test=is_test
        )
        known = found.setdefault(origin, newest)
        emails_so_far = known.emails + 1
        if is_test and not known.is_test:
            found[origin] = known = newest
        known.emails = emails_so_far
    return list(found.values())


def try_url(
    service: Service, used: UrlInUse, *, actor: Actor, by: str, resolve: Resolve = http_client.resolve
) -> UnsubscribeProbe:
    """Post to a URL, and store and audit the result. Call it outside a transaction: it may take 5 s."""
    status, sentence = _result(used.url, resolve)
    probe = UnsubscribeProbe(
        service=service,
        origin=used.origin,
        notification_id=used.notification_id,
        status=status,
        is_accepted=status is not None and 200 <= status < 300,
        sentence=sentence,
        created_by=by,
    )
    with transaction.atomic():
        probe.save(force_insert=True)
        after = {"unsubscribe_url_of": used.origin, "status": status}
        audit.record(actor, "tried", after=after, **audit.about(service))
    return probe


def _result(url: str, resolve: Resolve) -> tuple[int | None, str]:
    try:
        status = post(url, resolve=resolve).status
    except UnsafeUrl as error:
        return None, f"Nothing was posted: the URL {error}."
    except CallFailed as error:
        return None, f"There was no response: {error}."
    return status, _sentence(status)


def _sentence(status: int) -> str:
    """Return what a status means for the recipients.

    >>> _sentence(204), _sentence(404)
    ('The URL accepts the request (204). The unsubscribe button works.', 'The URL does not exist (404).')
    """
    if 200 <= status < 300:
        return f"The URL accepts the request ({status}). The unsubscribe button works."
    if 300 <= status < 400:
        return f"The URL redirects ({status}). Email programs do not follow redirects, so nobody is unsubscribed."
    if status >= 500:
        return f"The server has an error ({status}). Nobody is unsubscribed."
    return _SENTENCES.get(status, f"The URL does not accept the request ({status}).")
