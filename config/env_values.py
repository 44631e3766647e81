"""Validators of environment variables, for `validate` of `env.str`, `env.int` and `env.list`.

Their messages follow the name of the variable and never repeat the value, which may be a secret.
"""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

from cryptography.fernet import Fernet
from environs import ValidationError, validate

Check = Callable[[str], None]

_DOMAIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")
_EMAIL_ADDRESS = re.compile(rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_DOMAIN.pattern}")

MOST = 2_147_483_647  # the maximum of an integer column


def at_least(least: float) -> validate.Range:
    return validate.Range(min=least, max=MOST, error=f"must be {least} or more")


def between(least: float, most: float) -> validate.Range:
    return validate.Range(min=least, max=most, error=f"must be from {least} to {most}")


def one_of(*values: str, any_case: bool = False, or_blank: bool = False) -> Check:
    """Return a validator that accepts these values only."""

    def check(value: str) -> None:
        if (value.lower() if any_case else value) not in (*values, *([""] if or_blank else [])):
            listed = [*values, *(["blank"] if or_blank else [])]
            raise ValidationError(f"must be {', '.join(listed[:-1])} or {listed[-1]}")

    return check


def on_off_or_width(value: str) -> None:
    """Accept `on` and `off`, and a number: many shells set COLUMNS to the width of the terminal.

    >>> [on_off_or_width(value) for value in ("on", "off", "80")]
    [None, None, None]
    """
    if value.lower() not in {"on", "off"} and not value.isdecimal():
        raise ValidationError("must be on or off")


def url(value: str) -> None:
    """Accept an http or https URL. config/settings/production.py checks for https."""
    try:
        parts = urlsplit(value)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or any(character.isspace() for character in value):
        raise ValidationError("must be a URL such as https://signalbox.example.org")


def email_address_or_blank(value: str) -> None:
    if value and not _EMAIL_ADDRESS.fullmatch(value):
        raise ValidationError("must be an email address such as bounces@example.org")


def url_or_blank(value: str) -> None:
    if value:
        url(value)


def base_url(value: str) -> None:
    """Accept a URL to which paths can be appended."""
    url(value)
    if "?" in value or "#" in value:
        raise ValidationError("must be a URL without ? and #")


def redis_url(value: str) -> None:
    """Accept a URL of redis-py with a whole port and a whole number of a database, or a path of a socket."""
    if not value:
        return
    try:
        parts = urlsplit(value)
        is_whole = parts.port != 0 and (
            bool(parts.path)
            if parts.scheme == "unix"
            else parts.scheme in {"redis", "rediss"}
            and bool(parts.hostname)
            and re.fullmatch(r"/?|/\d{1,5}", parts.path) is not None
        )
        is_whole = is_whole and all(number.isdecimal() for number in parse_qs(parts.query).get("db", []))
    except ValueError:
        is_whole = False
    if not is_whole or any(character.isspace() for character in value):
        raise ValidationError("must be a URL such as redis://host/0")


def scanner(value: str) -> None:
    """Accept `none`, or the socket of clamd."""
    found = re.fullmatch(r"none|clamd:unix:/.+|clamd:tcp:(?:\[[0-9a-fA-F:]+\]|[^:\s/]+):(\d{1,5})", value)
    if found is None or (found[1] and not 0 < int(found[1]) < 65536):
        raise ValidationError("must be none, clamd:unix:/path or clamd:tcp:host:port")


def sentry_dsn_or_blank(value: str) -> None:
    """Accept the URL that Sentry shows: with a public key and the number of a project."""
    url_or_blank(value)
    parts = urlsplit(value)
    if value and not (parts.username and re.fullmatch(r".*/\d+", parts.path)):
        raise ValidationError("must be a URL such as https://key@sentry.example.org/1")


def redis_prefix(value: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9:._-]{0,50}", value):
        raise ValidationError("must be up to 50 letters, digits and characters of :._-")


def mail_server_or_blank(value: str) -> None:
    """Accept the URL of a mail server."""
    try:
        parts = urlsplit(value)
        is_whole = parts.scheme in {"smtp", "smtp+tls", "smtps"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if value and (not is_whole or parts.path not in ("", "/") or parts.query):
        raise ValidationError("must be a URL such as smtp+tls://user:password@mail.example.org:587")


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
        raise ValidationError("must be networks such as 10.0.0.0/8, separated by commas") from error


def check_field_keys(keys: list[str]) -> None:
    """Raise ValueError if one of the values is not a Fernet key."""
    try:
        for key in keys:
            Fernet(key)
    except ValueError as error:
        raise ValueError("FIELD_KEYS must be keys of 32 bytes in URL-safe base64, separated by commas") from error
