"""What a variable of the environment may be: for the `validate` of `env.str`, `env.int` and `env.list`.

The messages stand behind the variable's name and never repeat the value, which may be a secret.
"""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from cryptography.fernet import Fernet
from environs import ValidationError, validate

Check = Callable[[str], None]

_DOMAIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")


MOST = 2_147_483_647  # what a column of whole numbers holds


def at_least(least: float) -> validate.Range:
    return validate.Range(min=least, max=MOST, error=f"must be {least} or more")


def between(least: int, most: int) -> validate.Range:
    return validate.Range(min=least, max=most, error=f"must be from {least} to {most}")


def one_of(*values: str, any_case: bool = False) -> Check:
    """Return a check that takes these words only."""

    def check(value: str) -> None:
        if (value.lower() if any_case else value) not in values:
            raise ValidationError(f"must be {', '.join(values[:-1])} or {values[-1]}")

    return check


def url(value: str) -> None:
    """Take an address of a page or a service; whether it must be https is production's to decide."""
    try:
        parts = urlsplit(value)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or any(character.isspace() for character in value):
        raise ValidationError("must be a URL such as https://signalbox.example.org")


def base_url(value: str) -> None:
    """Take a URL that paths can be put behind."""
    url(value)
    if "?" in value or "#" in value:
        raise ValidationError("must be a URL without ? and #")


def redis_url(value: str) -> None:
    if value and not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValidationError("must be a URL such as redis://host/0")


def domain(value: str) -> None:
    if not _DOMAIN.fullmatch(value):
        raise ValidationError("must be a domain such as example.org")


def time_zone(value: str) -> None:
    try:
        ZoneInfo(value)
    except (ValueError, OSError, KeyError) as error:
        raise ValidationError("must be a time zone such as Europe/London") from error


def networks(values: list[str]) -> None:
    try:
        for value in values:
            ipaddress.ip_network(value)
    except ValueError as error:
        raise ValidationError("must be networks such as 10.0.0.0/8, with commas between") from error


def check_field_keys(keys: list[str]) -> None:
    """Raise ValueError where one is no key."""
    try:
        for key in keys:
            Fernet(key)
    except ValueError as error:
        raise ValueError("FIELD_KEYS must be keys of 32 bytes in URL-safe base64, with commas between") from error
