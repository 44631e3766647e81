"""How long a session lives: 30 minutes without a step, 12 hours in all, and no longer than the rights it was made with.

Source: Security and reliability §1, §5. A page that refreshes itself is nobody's step: it keeps no session alive.
The store writes the end of a session into its row, so no page needs to ask how old one is.
"""

import base64
import hashlib
from collections.abc import Callable

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

from config import envelopes

GetResponse = Callable[[HttpRequest], HttpResponseBase]

LONGEST_SECONDS = 12 * 60 * 60
_RENEWED_EVERY_SECONDS = 60  # a row is written once a minute, not at every click
_BEGAN, _SEEN = "began_at", "seen_at"
_PLACES = ("/admin/", "/sandbox/")  # where people work; a recipient's page must not touch a session
_REFRESHING = ("/sandbox/", "/admin/operations/clean-up/")  # without scripts these ask for themselves every few seconds
_PROGRESS = "/admin/operations/steps/"  # and so does each page below


_HASH_BYTES = 30  # 240 bits of SHA-256: in base64 they fill the 40 characters of Django's column


def hash_id(session_id: str) -> str:
    """Return what the database holds of the id in a cookie, so that a copy of the database opens no session."""
    digest = hashlib.sha256(session_id.encode(errors="replace")).digest()[:_HASH_BYTES]
    return base64.urlsafe_b64encode(digest).decode()


class SessionStore(db.SessionStore):
    """Django's store in the database; a session ends 30 minutes after its last step and 12 hours after its first.

    `session_key` is the id in the cookie; the column of that name holds its hash. Each method here that Django has too
    differs in that alone.
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
        return max(0, int(min(seen + idle, began + LONGEST_SECONDS) - now))


@receiver(user_logged_in)
def begin(request: HttpRequest, **kwargs: object) -> None:
    """Give every sign-in a session id of its own, also that of a person who is signed in already."""
    request.session[_BEGAN] = request.session[_SEEN] = _now()
    request.session.cycle_key()


def renew(get_response: GetResponse) -> GetResponse:
    """Note that somebody does something in the console."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if is_signed_in(request) and not refreshes_itself(request):
            now = _now()
            request.session.setdefault(_BEGAN, now)
            if now - request.session.get(_SEEN, 0) >= _RENEWED_EVERY_SECONDS:
                request.session[_SEEN] = now
        return get_response(request)

    return middleware


def is_signed_in(request: HttpRequest) -> bool:
    """Say whether a page of ours is asked for within a session; without a cookie the database is not asked."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not envelopes.is_below(request.path_info, _PLACES):
        return False
    return SESSION_KEY in request.session


def account_of(request: HttpRequest) -> User:
    """Return who is signed in. Raises PermissionDenied where nobody is."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def refreshes_itself(request: HttpRequest) -> bool:
    """Say whether a script or the page itself asks, and no person. What is posted, a person has typed."""
    if request.method not in {"GET", "HEAD"}:
        return False
    asked_by_script = "X-Requested-With" in request.headers or (
        request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate"
    )
    return asked_by_script or request.path_info in _REFRESHING or request.path_info.startswith(_PROGRESS)


def end_all(user_id: int, *, but: SessionBase | None = None) -> int:
    """End every session of an account but this one. Returns how many.

    To be called where a password, a second factor or a role changes. A console has few sessions, and whose one is
    stands inside it, so all that live are opened.
    """
    kept = hash_id(but.session_key) if but is not None and but.session_key else None
    theirs = [
        session.pk
        for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator()
        if session.get_decoded().get(SESSION_KEY) == str(user_id) and session.pk != kept
    ]
    gone, _ = Session.objects.filter(pk__in=theirs).delete()
    return gone


def _now() -> float:
    return timezone.now().timestamp()
