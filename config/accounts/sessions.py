"""Session expiry: 30 minutes without activity, 12 hours in all, or when the account's permissions change.

Source: docs/reference/security.md §1, §5. A page that refreshes itself does not count as activity.
The store writes the expiry time into the session's row, so pages need not check the session's age.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.accounts import user_agents
from config.rest.request import is_below
from config.web.ip_addresses import client_ip

GetResponse = Callable[[HttpRequest], HttpResponseBase]

MAX_AGE_SECONDS = 12 * 60 * 60
_RENEW_INTERVAL_SECONDS = 60  # writes the row once a minute instead of at every request
_BEGAN, _SEEN = "began_at", "seen_at"
_IP_ADDRESS, _USER_AGENT = "ip_address", "user_agent"  # of the sign-in, for the list of a person's sessions
_AGENT_CHARACTERS = 300
# Set by a sign-in through a provider: its ID token, which its sign-out needs, and whether it checked a second factor.
THROUGH_PROVIDER, PROVED_BY_PROVIDER = "signed_in_through_provider", "second_factor_at_provider"
_PLACES = ("/admin/", "/sandbox/")  # pages for staff; a page for recipients must not touch a session
# Without scripts these reload themselves
_REFRESHING = (
    "/sandbox/",
    "/admin/operations/clean-up/",
    "/admin/operations/health/",
    "/admin/operations/queue/",
)
# And so does each page below these.
_PROGRESS = (
    "/admin/operations/jobs/",
    "/admin/operations/queue/providers/",
    "/admin/notifications/bulksend/",
    "/sandbox/hooks/",
)
_IMPORT = re.compile(r"/admin/datasets/dataset/[0-9]+/import/")

_HASH_BYTES = 30  # 240 bits of SHA-256: in base64 they fill the 40 characters of Django's column


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """One live session, as its owner sees it. session_hash: the hash of its id, which opens nothing."""

    session_hash: str
    browser: str
    ip_address: str
    began_at: datetime
    seen_at: datetime
    is_current: bool


def hash_id(session_id: str) -> str:
    """Return the hash of a session id. The database stores only the hash, so a copy of it opens no session."""
    digest = hashlib.sha256(session_id.encode(errors="replace")).digest()[:_HASH_BYTES]
    return base64.urlsafe_b64encode(digest).decode()


class SessionStore(db.SessionStore):
    """Django's database store, with hashed ids, and sessions that expire 30 minutes after the last activity.

    `session_key` is the id in the cookie. The column with that name holds the id's hash. The overridden methods differ
    from Django's only in that hash.
    """

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        found = self.model.objects.filter(session_key=hash_id(self.session_key or ""), expire_date__gt=timezone.now())
        session = found.first()
        if session is None:
            self._session_key = None
        return session

    def exists(self, session_key: str) -> bool:
        return super().exists(hash_id(session_key))

    def create_model_instance(self, data: dict[str, object]) -> AbstractBaseSession:
        instance = super().create_model_instance(data)
        instance.session_key = hash_id(instance.session_key)
        return instance

    def delete(self, session_key: str | None = None) -> None:
        session_id = session_key or self.session_key
        if session_id:
            super().delete(hash_id(session_id))

    def get_session_cookie_age(self) -> int:
        idle: int = super().get_session_cookie_age()
        now = _now()
        seen, began = self.get(_SEEN, now), self.get(_BEGAN, now)
        return max(0, int(min(seen + idle, began + MAX_AGE_SECONDS) - now))


@receiver(user_logged_in)
def begin(request: HttpRequest, **kwargs: object) -> None:
    """Give every sign-in a new session id, even if the person was signed in before."""
    request.session[_BEGAN] = request.session[_SEEN] = _now()
    request.session[_IP_ADDRESS] = client_ip(request)
    request.session[_USER_AGENT] = request.headers.get("User-Agent", "")[:_AGENT_CHARACTERS]
    request.session.cycle_key()


def renew(get_response: GetResponse) -> GetResponse:
    """Return middleware that records activity in the console, which extends the session."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if is_signed_in(request) and not refreshes_itself(request):
            now = _now()
            request.session.setdefault(_BEGAN, now)
            if now - request.session.get(_SEEN, 0) >= _RENEW_INTERVAL_SECONDS:
                request.session[_SEEN] = now
        return get_response(request)

    return middleware


def is_signed_in(request: HttpRequest) -> bool:
    """Return whether a signed-in person requests a page for staff. Without a cookie there is no database query."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not is_below(request.path_info, _PLACES):
        return False
    return SESSION_KEY in request.session


def account_of(request: HttpRequest) -> User:
    """Return the account that is signed in. Raises PermissionDenied if none is."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def refreshes_itself(request: HttpRequest) -> bool:
    """Return whether a script or a self-refreshing page sent this request. A POST always counts as a person's."""
    if request.method not in {"GET", "HEAD"}:
        return False
    asked_by_script = "X-Requested-With" in request.headers or (
        request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate"
    )
    path = request.path_info
    return asked_by_script or path in _REFRESHING or path.startswith(_PROGRESS) or bool(_IMPORT.fullmatch(path))


def end_all(user_id: int, *, but: SessionBase | None = None) -> int:
    """End every session of an account except `but` and return the number of ended sessions.

    Call it when a password, a second factor or a role changes. The account id is inside the encoded session, so this
    decodes all live sessions; a console has few.
    """
    kept = hash_id(but.session_key) if but is not None and but.session_key else None
    gone, _ = Session.objects.filter(pk__in=[pk for pk, _ in _live(user_id) if pk != kept]).delete()
    return gone


def end_one(user_id: int, session_hash: str) -> bool:
    """End one session of an account. Return whether it was still there."""
    return any(pk == session_hash and Session.objects.filter(pk=pk).delete()[0] for pk, _ in _live(user_id))


def of_account(user_id: int, current: SessionBase) -> list[OpenSession]:
    """Return the live sessions of an account, the current one first, then by their last activity."""
    this = hash_id(current.session_key or "")
    found = [
        OpenSession(
            session_hash=pk,
            browser=user_agents.describe(values.get(_USER_AGENT, "")),
            ip_address=values.get(_IP_ADDRESS) or "",
            began_at=_moment(values.get(_BEGAN)),
            seen_at=_moment(values.get(_SEEN)),
            is_current=pk == this,
        )
        for pk, values in _live(user_id)
    ]
    return sorted(found, key=lambda one: (one.is_current, one.seen_at), reverse=True)


def _live(user_id: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the hash and the values of each live session of an account."""
    for session in Session.objects.filter(expire_date__gt=timezone.now()):
        values = session.get_decoded()
        if values.get(SESSION_KEY) == str(user_id):
            yield session.pk, values


def _moment(seconds: float | None) -> datetime:
    return datetime.fromtimestamp(seconds or 0, UTC)


def _now() -> float:
    return timezone.now().timestamp()
