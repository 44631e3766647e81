"""Emails of alarms through a mail server, for installations without the sending area.

Source: docs/reference/alarms.md §4.
"""

from smtplib import SMTPRecipientsRefused
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email

from config.invalid import InvalidValue
from config.own_messages import Handover, OwnChannel, OwnMessage

_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
_SECONDS = 30

log = structlog.get_logger()


def channels() -> tuple[OwnChannel, ...]:
    """Return the channel for emails, unless the sending area has one or no mail server is set."""
    if apps.is_installed("notifications") or not settings.ALARM_MAIL_URL:
        return ()
    return (OwnChannel(name="email", parse=_parse, send=send),)


def _parse(text: str) -> str:
    try:
        validate_email(text)
    except ValidationError as error:
        raise InvalidValue(f"{text} is not a valid email address.") from error
    return text


def send(message: OwnMessage) -> Handover:
    """Send one email. A refused recipient is permanent; any other failure is worth a retry."""
    email = EmailMessage(
        subject=message.subject,
        body=message.text,
        from_email=settings.ALARM_MAIL_FROM,
        to=[message.to],
        headers={"Message-ID": f"<{message.identifier}@{settings.ALARM_MAIL_FROM.rpartition('@')[2]}>"},
        connection=get_connection("django.core.mail.backends.smtp.EmailBackend", **_options(settings.ALARM_MAIL_URL)),
    )
    try:
        email.send()
    except SMTPRecipientsRefused:
        log.warning("alarm.mail_refused", message=str(message.identifier))
        return Handover.REFUSED
    except OSError as error:  # SMTPException is one
        log.warning("alarm.mail_failed", message=str(message.identifier), error=type(error).__name__)
        return Handover.NOT_YET
    return Handover.TAKEN


def _options(url: str) -> dict[str, Any]:  # Any: arguments of Django's backend
    parts = urlsplit(url)
    return {
        "host": parts.hostname,
        "port": parts.port or _PORTS[parts.scheme],
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_tls": parts.scheme == "smtp+tls",
        "use_ssl": parts.scheme == "smtps",
        "timeout": _SECONDS,
    }
