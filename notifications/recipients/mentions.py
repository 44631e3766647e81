"""Find one recipient in texts: in any spelling, and as part of a URL.

`Mentions` has two rules. In texts about other people a longer email address or number is another recipient. On the rows
of the recipient everything that has the recipient in it is theirs, such as the reference case-ann@example.org.
`like_patterns` and `digits` are for a database that searches many rows first; they may match more.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from config import mailboxes
from config.erased import ERASED
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber

_UK_CODE = "44"
_LAST_DIGITS = 6
_BETWEEN_DIGITS = r"(?:[\s().\-/\u00a0\u2010-\u2015]|%20|\+(?=\d))*"
_PLUS = r"(?:\+|%2[Bb]|00)?"
_STARTS_HERE = r"(?:(?<![A-Za-z0-9._+-])|(?<=%[0-9A-Fa-f]{2}))"  # not within a longer email address

# Not within a longer host name. But the name of a file may end with an email address and its extension.
_FULL_STOP = r"(?:[.\u3002\uff0e\uff61]|%2E)"
_EXTENSIONS = "csv|docx?|eml|gif|html?|jpe?g|json|md|od[st]|pdf|png|rtf|txt|xlsx?|xml|zip"
_ENDS_HERE = rf"(?![A-Za-z0-9-]|\.(?!(?:{_EXTENSIONS})\b)[A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Mentions:
    """The places in texts where a recipient is written."""

    recipient: PhoneNumber | EmailAddress
    _pattern: re.Pattern[str] = field(init=False)
    _own_pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        if isinstance(self.recipient, PhoneNumber):
            text, flags = _phone(self.recipient), 0
            whole = rf"(?<!\d){text}(?!\d)"
        else:
            text, flags = _email(self.recipient), re.IGNORECASE
            whole = f"{_STARTS_HERE}{text}{_ENDS_HERE}"
        object.__setattr__(self, "_pattern", re.compile(whole, flags))
        object.__setattr__(self, "_own_pattern", re.compile(text, flags))

    @property
    def digits(self) -> str:
        """Return the digits that every spelling of a phone number has without its separators. Blank for an email."""
        if isinstance(self.recipient, EmailAddress):
            return ""
        return _national(self.recipient.normalised)

    @property
    def like_patterns(self) -> list[str]:
        """Return patterns for LIKE, not case-sensitive, of which one matches each text with the email address."""
        if isinstance(self.recipient, PhoneNumber):
            return []
        return sorted({_like(form) for form in _typed(self.recipient)})

    def are_in(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def are_in_own(self, text: str) -> bool:
        """Return whether a text of a row of the recipient has it, also within a longer word."""
        return self._own_pattern.search(text) is not None

    def may_be_in(self, text: str) -> bool:
        """Return whether the text has the recipient, or enough of it to recognise it: the name or six digits."""
        if isinstance(self.recipient, EmailAddress):
            return self.are_in_own(text) or self.recipient.key.rpartition("@")[0] in text.lower()
        return self.are_in_own(text) or self.digits[-_LAST_DIGITS:] in re.sub(r"\D", "", text)

    def erase(self, text: str) -> str:
        """Return the text with ERASED in place of the recipient."""
        return self._pattern.sub(ERASED, text)

    def erase_own(self, text: str) -> str:
        """Return a text of a row of the recipient with ERASED in place of it, also within a longer word."""
        return self._own_pattern.sub(ERASED, text)

    def erase_own_in(self, value: Any) -> Any:  # Any: JSON
        """Return a JSON value of a row of the recipient in which no text has it."""
        return _map_texts(value, self.erase_own)

    def erase_in(self, value: Any) -> Any:  # Any: JSON
        """Return a JSON value in which no text has the recipient. Keys are texts, too."""
        return _map_texts(value, self.erase)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:  # Any: JSON
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(one, change) for one in value]
    if isinstance(value, dict):
        return {change(name): _map_texts(one, change) for name, one in value.items()}
    return value


def _national(normalised: str) -> str:
    """Return a number without the UK's code. People write other numbers with their country code only.

    >>> _national("447700900123"), _national("33698765432")
    ('7700900123', '33698765432')
    """
    return normalised.removeprefix(_UK_CODE)


def _phone(number: PhoneNumber) -> str:
    national = _BETWEEN_DIGITS.join(_national(number.normalised))
    prefix = _PLUS
    if number.normalised.startswith(_UK_CODE):
        prefix = (
            rf"(?:{_PLUS}{_BETWEEN_DIGITS.join(_UK_CODE)}{_BETWEEN_DIGITS}(?:0{_BETWEEN_DIGITS})?|0{_BETWEEN_DIGITS})?"
        )
    return rf"(?:\({_BETWEEN_DIGITS})?{prefix}{national}"


def _email(email_address: EmailAddress) -> str:
    local = email_address.as_given.rpartition("@")[0]
    hosts = "|".join(_host(form.rpartition("@")[2]) for form in _forms(email_address))
    at = r"(?:@|%40|&\#64;|&commat;|\\u0040)"
    return rf"{_quotable(local)}{at}(?:{hosts})"


def _forms(email_address: EmailAddress) -> list[str]:
    """Return the spellings of the host that people type and programs write: encoded, composed and decomposed."""
    typed = _typed(email_address)
    return sorted(typed | {unicodedata.normalize("NFD", form) for form in typed})


def _typed(email_address: EmailAddress) -> set[str]:
    return {email_address.normalised, *mailboxes.keys_of(email_address.key)}


def _host(text: str) -> str:
    return _FULL_STOP.join(map(_quotable, text.split(".")))


def _quotable(text: str) -> str:
    """Return a pattern for a text whose special characters may be percent-encoded, as in a URL."""
    return "".join(char if char.isalnum() and char.isascii() else _encoded(char) for char in text)


def _encoded(char: str) -> str:
    percent = "".join(f"%{byte:02X}" for byte in char.encode())
    return rf"(?:{re.escape(char)}|{percent})"


def _like(email_address: str) -> str:
    """Return a pattern for LIKE in which characters that may be encoded match anything.

    >>> _like("fern+news@bücher.example")
    '%fern%news%b%cher.example%'
    """
    plain = "".join(char if char.isascii() and (char.isalnum() or char in ".-") else "%" for char in email_address)
    return f"%{plain}%"
