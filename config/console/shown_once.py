"""The page that shows a secret once: straight from the POST that made it, and never again.

The form carries a signed single-use nonce. The transaction that makes the secret spends it, so Back or reload shows
"already shown", never a second key, and a double click makes one key. Neither session, messages, audit nor logs ever
hold the secret. A nonce goes by clean-up, once its signature is no longer good.

Source: Staff console §1.2 T4; Security §1.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.template.response import TemplateResponse

from config.console.models import SpentNonce

FIELD = "nonce"
_SALT = "shown-once"
FORMS_ARE_GOOD_FOR = timedelta(hours=12)  # the longest session


class AlreadyShown(Exception):
    """The form has been sent before, or carries no nonce of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """Text to be copied as it stands, such as a curl that works as pasted."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What the page shows.

    kind: the word for it, such as "API key"; value: the secret itself; parts: label and text of the pieces it consists
    of; examples: a first call, by language; where_next: label and address of the button that leaves the page.
    """

    kind: str
    name: str
    value: str
    explanation: str = ""
    parts: tuple[Snippet, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    examples: tuple[Snippet, ...] = ()
    where_next: tuple[str, str]


def new_nonce(request: HttpRequest) -> str:
    """Return a nonce for one form of this person."""
    return signing.dumps([str(uuid.uuid4()), request.user.pk], salt=_SALT)


def spend(request: HttpRequest) -> None:
    """Use up the nonce the form carries; call it in the transaction that makes the secret. Raises AlreadyShown."""
    nonce = _nonce_of(request)
    try:
        with transaction.atomic():
            SpentNonce.objects.create(nonce=nonce)
    except IntegrityError as error:
        raise AlreadyShown from error


def is_spent(request: HttpRequest) -> bool:
    """Say whether this form has made its secret already, before its fields are judged."""
    try:
        return SpentNonce.objects.filter(nonce=_nonce_of(request)).exists()
    except AlreadyShown:
        return True


def page(request: HttpRequest, secret: Secret, context: dict[str, object]) -> TemplateResponse:
    """Show the secret; `context` is the frame of the console (`ConsoleModelAdmin.page_context`)."""
    return _uncached(request, "admin/shown_once.html", {**context, "secret": secret}, status=200)


def already_shown_page(request: HttpRequest, kind: str, context: dict[str, object]) -> TemplateResponse:
    return _uncached(request, "admin/already_shown.html", {**context, "kind": kind}, status=409)


def _nonce_of(request: HttpRequest) -> uuid.UUID:
    try:
        nonce, user_id = signing.loads(request.POST.get(FIELD, ""), salt=_SALT, max_age=FORMS_ARE_GOOD_FOR)
    except signing.BadSignature as error:
        raise AlreadyShown from error
    if user_id != request.user.pk:
        raise AlreadyShown
    return uuid.UUID(nonce)


def _uncached(request: HttpRequest, template: str, context: dict[str, object], *, status: int) -> TemplateResponse:
    return TemplateResponse(request, template, context, status=status, headers={"Cache-Control": "no-store"})
