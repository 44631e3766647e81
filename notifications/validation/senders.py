"""Validate text message senders and reply-to addresses."""

import re
import unicodedata
from collections.abc import Iterable

from config import mailboxes
from config.invalid import InvalidValue
from notifications.recipients import email, phone
from notifications.recipients.senders import from_number

SENDER_EXISTS = "This sender already exists."
REPLY_TO_EXISTS = "This reply-to address already exists."
SENDER_HELP = "3 to 11 letters, digits, spaces or & . - _, or a phone number or short code. Not beginning with 00."

_ALLOWED = re.compile(r"[A-Za-z0-9 &._-]")
_LENGTHS = range(3, 12)  # mobile networks truncate longer names
_MAX_NUMBER_CHARACTERS = 20  # of the database column, spaces included


def parse_sms_sender(text: str) -> str:
    """Return a sender as it is stored: a name or short code of 3 to 11 characters, or a phone number as given.

    >>> parse_sms_sender(" PIGEON "), parse_sms_sender("+44 7700 900123")
    ('PIGEON', '+44 7700 900123')
    """
    sender = text.strip()
    if sender.startswith("00"):
        raise InvalidValue("Enter a sender that does not begin with 00: networks replace it.")
    number = _as_number(sender)
    if number is not None:
        return number
    wrong = next((character for character in sender if not _ALLOWED.match(character)), None)
    if wrong is not None:
        raise InvalidValue(f"{_shown(wrong)} is not allowed here: use letters, digits, spaces or & . - _")
    if len(sender) not in _LENGTHS:
        raise InvalidValue(f"Use 3 to 11 characters, or a valid phone number. You entered {len(sender)}.")
    if not any(character.isalnum() for character in sender):
        raise InvalidValue("Use at least one letter or digit.")
    return sender


def check_sms_sender_is_new(sender: str, others: Iterable[str]) -> None:
    """Raise InvalidValue if the service has this sender, regardless of case or of how a number is written."""
    if _same_sender(sender) in map(_same_sender, others):
        raise InvalidValue(SENDER_EXISTS)


def parse_reply_to(text: str) -> str:
    """Return a reply-to address as it is stored, or raise InvalidValue."""
    try:
        return email.parse(text).as_given
    except email.InvalidEmailAddress as error:
        raise InvalidValue(error.ui_message) from error


def check_reply_to_is_new(address: str, others: Iterable[str]) -> None:
    """Raise InvalidValue if the service has this reply-to address, in any spelling."""
    if mailboxes.key_of(address) in map(mailboxes.key_of, others):
        raise InvalidValue(REPLY_TO_EXISTS)


def _as_number(sender: str) -> str | None:
    try:
        number = phone.parse(sender, international=True, landlines=True).as_given
    except phone.InvalidPhoneNumber:
        return None
    return number if len(number) <= _MAX_NUMBER_CHARACTERS else None


def _same_sender(sender: str) -> str:
    return from_number(sender).casefold()


def _shown(character: str) -> str:
    """Return a character with its Unicode name or code point, unless it is printable ASCII."""
    if not character.isprintable():
        return f"U+{ord(character):04X}"
    return character if character.isascii() else f"{character} ({unicodedata.name(character, 'unnamed').lower()})"
