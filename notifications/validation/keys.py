"""Validate the names and secrets of API keys, and the names and tokens of callbacks."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Collection, Iterable
from uuid import UUID

from config.invalid import InvalidValue

KEY_EXISTS = "An active key with this name already exists."

MAX_CALLBACK_NAME_CHARACTERS = 60
MAX_KEY_LIMITS = 100  # networks, or templates, of one key
MAX_DAILY_LIMIT = 2_000_000_000  # fits the column

_MAX_NAME_CHARACTERS = 60
_ALLOWED = re.compile(r"[A-Za-z0-9_-]")
_BEARER_TOKEN = re.compile(r"[!-~]{10,2000}")
_VERSION_OF_CLIENTS = 4  # the PHP client rejects a key with a UUID of any other version


def check_key_name(name: str) -> None:
    """Raise InvalidValue if the name cannot be the first part of an API key."""
    wrong = next((character for character in name if not _ALLOWED.match(character)), None)
    if wrong is not None:
        shown = "A space" if wrong.isspace() else wrong
        raise InvalidValue(f"{shown} is not allowed here: use letters, digits, _ and -")
    if not 1 <= len(name) <= _MAX_NAME_CHARACTERS:
        raise InvalidValue(f"Use 1 to {_MAX_NAME_CHARACTERS} characters. You entered {len(name)}.")


def check_key_name_is_new(name: str, others: Iterable[str]) -> None:
    """Raise InvalidValue if an unrevoked key of the service has the same name, case included."""
    if name in others:
        raise InvalidValue(KEY_EXISTS)


def parse_networks(text: str) -> list[str]:
    """Return the networks of a text with commas, spaces or line breaks between them. Raises InvalidValue.

    >>> parse_networks("192.0.2.7, 2001:db8::/32")
    ['192.0.2.7/32', '2001:db8::/32']
    """
    try:
        found = [str(ipaddress.ip_network(part)) for part in re.split(r"[\s,]+", text) if part]
    except ValueError as error:
        raise InvalidValue(
            "Enter networks such as 192.0.2.0/24 or single IP addresses, with commas between."
        ) from error
    if len(found) > MAX_KEY_LIMITS:
        raise InvalidValue(f"Enter at most {MAX_KEY_LIMITS} networks.")
    return list(dict.fromkeys(found))


def parse_template_ids(text: str, known: Collection[UUID]) -> list[str]:
    """Return the ids of templates of a text, if each one is known. Raises InvalidValue."""
    try:
        found = [UUID(part) for part in re.split(r"[\s,]+", text) if part]
    except ValueError as error:
        raise InvalidValue("Enter ids of templates, with commas between.") from error
    for identifier in found:
        if identifier not in known:
            raise InvalidValue(f"The service has no template with the id {identifier}.")
    if len(found) > MAX_KEY_LIMITS:
        raise InvalidValue(f"Enter at most {MAX_KEY_LIMITS} templates.")
    return [str(one) for one in dict.fromkeys(found)]


def check_daily_limit(number: int) -> None:
    """Raise InvalidValue unless a key may have this limit of messages a day."""
    if not 1 <= number <= MAX_DAILY_LIMIT:
        raise InvalidValue(f"Enter a number from 1 to {MAX_DAILY_LIMIT:,}.")


def check_part_of_key(value: UUID) -> None:
    """Raise InvalidValue if client libraries reject this service id or secret as a part of an API key."""
    if value.version != _VERSION_OF_CLIENTS:
        raise InvalidValue("must be a version 4 UUID: client libraries reject API keys with any other")


def check_callback_name(name: str) -> None:
    """Raise InvalidValue unless staff can recognise the callback by its name."""
    if not name.strip() or len(name) > MAX_CALLBACK_NAME_CHARACTERS or not name.isprintable():
        raise InvalidValue(f"Enter a name of at most {MAX_CALLBACK_NAME_CHARACTERS} characters, on one line.")


def check_bearer_token(token: str) -> None:
    if not _BEARER_TOKEN.fullmatch(token):
        raise InvalidValue("Enter 10 to 2000 letters, digits or symbols, without spaces and accents.")


def check_signing_secret(text: str) -> None:
    """Raise InvalidValue if the text is not a secret of Standard Webhooks 1.0, "Signature scheme"."""
    try:
        is_one = text.startswith("whsec_") and 24 <= len(base64.b64decode(text[6:], validate=True)) <= 64
    except binascii.Error:
        is_one = False
    if not is_one:
        raise InvalidValue("must be whsec_ and 24 to 64 bytes in base64")
