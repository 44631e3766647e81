"""The page that shows a secret once, as the response to the POST that created it.

The form carries a signed single-use nonce. The transaction that creates the secret stores the nonce, so Back, reload
or a double click creates no second secret. Sessions, messages, audit and logs never contain the secret. Clean-up
deletes a nonce when its signature has expired.

Source: docs/reference/console.md §1.2 T4; docs/reference/security.md §1.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from config.console.models import SpentNonce

FIELD = "nonce"
_SALT = "shown-once"
FORMS_ARE_VALID_FOR = timedelta(hours=12)  # the maximum age of a session


class AlreadyShown(Exception):
    """The form was sent before, or its nonce is not valid."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text for the user to copy, such as a curl command."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """The content of the page.

    kind: such as "API key"
    value: the secret
    parts: label and text of each part of the secret
    examples: a first call, one for each language
    where_next: label and URL of the button that leaves the page
    done: a sentence that it is created, if kind and name do not make one
    """

    kind: str
    name: str
    value: str
    explanation: str = ""
    parts: tuple[Snippet, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    examples: tuple[Snippet, ...] = ()
    where_next: tuple[str, str]
    done: str = ""


def new_nonce(request: HttpRequest) -> str:
    """Return a nonce for one form. Only this person can use it."""
    return signing.dumps([str(uuid.uuid4()), request.user.pk], salt=_SALT)


def spend(request: HttpRequest) -> None:
    """Mark the form's nonce as used. Call it in the transaction that creates the secret. Raises AlreadyShown."""
    spend_nonce(_nonce_of(request))


def spend_nonce(nonce: uuid.UUID) -> None:
    """Mark a nonce as used. Of two concurrent calls, one raises AlreadyShown."""
    try:
        with transaction.atomic():
            SpentNonce.objects.create(nonce=nonce)
    except IntegrityError as error:
        raise AlreadyShown from error


def is_spent(request: HttpRequest) -> bool:
    """Return whether this form has created its secret before."""
    try:
        return SpentNonce.objects.filter(nonce=_nonce_of(request)).exists()
    except AlreadyShown:
        return True


def _nonce_of(request: HttpRequest) -> uuid.UUID:
    try:
        nonce, user_id = signing.loads(request.POST.get(FIELD, ""), salt=_SALT, max_age=FORMS_ARE_VALID_FOR)
    except signing.BadSignature as error:
        raise AlreadyShown from error
    if user_id != request.user.pk:
        raise AlreadyShown
    return uuid.UUID(nonce)
