"""Validate the settings of a service: its name, file contact, limits, retention and whether it may go live."""

import re
from collections.abc import Iterable

from config.invalid import InvalidValue
from notifications.recipients import email, phone
from notifications.validation.names import is_taken

_MAX_CONTACT_CHARACTERS = 255
_MAX_LIMIT = 2_147_483_647  # of a PostgreSQL integer column
RETENTION_DAYS = range(3, 91)  # after a message was created
UNSUBSCRIBE_REQUEST_DAYS = range(30, 731)  # after staff marked a request as done
DEFAULT_UNSUBSCRIBE_REQUEST_DAYS = 365
MAX_REPEAT_GUARD_MINUTES = 1440  # a day
PAGE_LANGUAGES = {"en-gb": "English", "cy": "Welsh"}  # the languages in settings.LANGUAGES
NEEDS_REPLY_TO = "Add a reply-to address first: this service sends email."

_HTTPS_LINK = re.compile(r"\Ahttps://[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?\Z")
_NUMBER_LIKE = re.compile(r"\A[+(]?\d[^@:]*\Z")


def check_service_name_is_new(name: str, others: Iterable[str]) -> None:
    """Raise InvalidValue if another service has this name, regardless of case."""
    if is_taken(name, others):
        raise InvalidValue("A service with this name already exists.")


def parse_file_contact(text: str) -> str:
    """Return the contact on the download page of a file: an HTTPS link, an email address or a phone number."""
    contact = text.strip()
    if len(contact) > _MAX_CONTACT_CHARACTERS:
        raise InvalidValue(f"Use at most {_MAX_CONTACT_CHARACTERS} characters. You entered {len(contact)}.")
    if _HTTPS_LINK.match(contact) or _is_email_address(contact):
        return contact
    if not _NUMBER_LIKE.match(contact):
        raise InvalidValue("Enter a link that begins with https://, an email address, or a phone number.")
    try:
        phone.parse_service_contact(contact)
    except phone.InvalidPhoneNumber as error:
        raise InvalidValue(error.outcome.ui_message) from error
    return contact


def check_retention_days(days: int) -> None:
    if days not in RETENTION_DAYS:
        raise InvalidValue("Messages can be kept for 3 to 90 days.")


def check_unsubscribe_request_days(days: int) -> None:
    if days not in UNSUBSCRIBE_REQUEST_DAYS:
        raise InvalidValue("Done unsubscribe requests can be kept for 30 to 730 days.")


def check_page_language(code: str) -> None:
    """Raise InvalidValue unless the public pages exist in this language."""
    if code not in PAGE_LANGUAGES:
        raise InvalidValue("Use en-gb (English) or cy (Welsh).")


def check_repeat_guard_minutes(minutes: int) -> None:
    if not 0 <= minutes <= MAX_REPEAT_GUARD_MINUTES:
        raise InvalidValue("Enter 1 to 1,440 minutes, or 0 to turn the repeat guard off.")


def check_rate_limit(rate: int) -> None:
    if rate < 1:
        raise InvalidValue("Enter 1 or more. A rate limit of 0 rejects every request.")
    check_daily_limit(rate)


def check_daily_limit(number: int) -> None:
    """Raise InvalidValue if the number does not fit the database column. 0 is valid and allows no messages."""
    if not 0 <= number <= _MAX_LIMIT:
        raise InvalidValue(f"Enter a number from 0 to {_MAX_LIMIT:,}.")


def lacks_reply_to(*, live: bool, active: bool, sends_email: bool, has_reply_to: bool) -> bool:
    """Return whether a live service that sends email has no reply-to address.

    Callers check this before a service goes live or is restored, before email is turned on, and before the last
    reply-to address is removed.
    """
    return live and active and sends_email and not has_reply_to


def _is_email_address(text: str) -> bool:
    try:
        email.parse(text)
    except email.InvalidEmailAddress:
        return False
    return True
