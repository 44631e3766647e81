"""Parse the document of `manage.py receive_text`. Source: docs/reference/sending-api.md §19.3."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.areas import DocumentErrors
from config.invalid import InvalidValue
from config.management.declarations import Declaration, Value, parse_uuid, read
from notifications.delivery.messages import IncomingText
from notifications.models import Service, SmsSender
from notifications.submission import receiving

LONGEST_NUMBER = 40


def _parse_service(text: str) -> Service:
    service = Service.objects.filter(id=parse_uuid(text)).first()
    if service is None:
        raise InvalidValue("is not the id of a service")
    if not receiving.takes_texts(service):
        raise InvalidValue("cannot receive texts: it is archived or lacks the permission for text messages")
    return service


def _check_number(text: str) -> None:
    if not 1 <= len(text) <= LONGEST_NUMBER:
        raise InvalidValue(f"must be 1 to {LONGEST_NUMBER} characters long")


class TextDeclaration(Declaration):
    service = Value(str, _parse_service, required=True)
    content = Value(str, required=True)
    to = Value(str, _check_number)

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "from": Value(str, _check_number, required=True)}  # a keyword of Python


def read_texts(document: Mapping[str, object], errors: DocumentErrors) -> list[tuple[Service, IncomingText]]:
    """Return each text with its service. Add the errors of the document to `errors`."""
    for unknown in document.keys() - {"texts"}:
        errors.add(unknown, "is not a known key")
    if "texts" not in document:
        errors.add("texts", "is required")
    return [_text(entry.values) for entry in read(document.get("texts", []), "texts", TextDeclaration(), errors)]


def _text(values: Mapping[str, Any]) -> tuple[Service, IncomingText]:
    service = values["service"]
    recipient = values.get("to") or _number_of(service)
    return service, IncomingText(sender=values["from"], recipient=recipient, content=values["content"])


def _number_of(service: Service) -> str:
    default = SmsSender.objects.filter(service=service, is_default=True, archived_at=None).first()
    fallback: str = settings.DEFAULT_SMS_SENDER
    return default.sender if default else fallback
