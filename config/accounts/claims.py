"""The claims of an ID token. They are checked before any of them is used, because a third party wrote them.

Source: docs/reference/security.md §5.
"""

import unicodedata
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MAX_SUBJECT_CHARACTERS = 255  # OpenID Connect Core §2, and the column
MAX_EMAIL_CHARACTERS = 254  # of the account's column
MAX_NAME_CHARACTERS = 150  # of the account's columns for the first and the last name
_NOT_IN_LINES = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control characters, surrogates, separators of lines


class NotAllowed(Exception):
    """The provider knows this person, but no account of Signalbox may be used.

    The text is for the person, and names whom to ask. account: the account that is refused to the person, if any
    """

    def __init__(self, text: str, account: User | None = None) -> None:
        super().__init__(text)
        self.account = account


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedClaims:
    """The checked claims of a verified ID token.

    email: blank unless the provider has verified it
    """

    subject: str
    email: str
    name: str
    groups: frozenset[str]

    @classmethod
    def of(cls, claims: dict[str, Any]) -> "VerifiedClaims":
        """Check the claims and return them. Raises NotAllowed."""
        email = claims.get("email") if claims.get("email_verified") is True else ""
        # Groups without a use are not read, so that a provider may send them in any form.
        groups = claims.get(settings.OIDC_GROUPS_CLAIM) if settings.OIDC_ROLES else None
        return cls(
            subject=_subject(claims.get("sub")),
            email=_email(email),
            name=_name(claims.get("name")),
            groups=_set(groups),
        )


def _subject(value: object) -> str:
    if not isinstance(value, str) or not _is_line(value, MAX_SUBJECT_CHARACTERS) or not value.strip():
        raise NotAllowed("Your sign-in provider sent no usable identity. Ask its administrator.")
    return value


def _email(value: object) -> str:
    """Return an email address that is one spelling of one mailbox.

    What NFKC changes is refused: U+FB01 in ﬁnance or U+212A in Kim would be read as another person's address.
    """
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not _is_line(value, MAX_EMAIL_CHARACTERS) or not value.isprintable():
        raise _unusable_email()
    if unicodedata.normalize("NFKC", value) != value:
        raise _unusable_email()
    try:
        validate_email(value)
    except ValidationError as error:
        raise _unusable_email() from error
    return value


def _name(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or not _is_line(value, MAX_NAME_CHARACTERS):
        raise NotAllowed("Your sign-in provider sent a name that cannot be stored. Ask its administrator.")
    return value


def _set(value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    if not isinstance(value, list) or not all(isinstance(group, str) for group in value):
        raise NotAllowed("Your sign-in provider did not send your groups as a list. Ask its administrator.")
    return frozenset(value)


def _is_line(text: str, max_characters: int) -> bool:
    """Return whether a text fits into its column and is one line. PostgreSQL stores no NUL."""
    return len(text) <= max_characters and not any(unicodedata.category(one) in _NOT_IN_LINES for one in text)


def _unusable_email() -> NotAllowed:
    return NotAllowed("Your sign-in provider sent an email address that cannot be used. Ask its administrator.")
