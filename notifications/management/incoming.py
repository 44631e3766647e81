"""Read the texts of a `receive_text` document. Source: the sending contract §19.3."""

from collections.abc import Mapping

from django.conf import settings

from config.management.document import Entry
from config.management.parts import Faults
from notifications.delivery.messages import IncomingText
from notifications.models import Service, SmsSender
from notifications.submission import receiving

LONGEST_NUMBER = 40


def read_texts(document: Mapping[str, object], faults: Faults) -> list[tuple[Service, IncomingText]]:
    """Return each text with its service; what is wrong with the document goes into `faults`."""
    for unknown in document.keys() - {"texts"}:
        faults.add(unknown, "is not a known key")
    if "texts" not in document:
        faults.add("texts", "is required")
    read = [_text(entry) for entry in Entry.all(document.get("texts", []), "texts", faults)]
    return [text for text in read if text]


def _text(entry: Entry) -> tuple[Service, IncomingText] | None:
    service = _service(entry)
    sender = entry.text("from", least=1, most=LONGEST_NUMBER)
    content = entry.text("content")
    recipient = entry.text("to", least=1, most=LONGEST_NUMBER)
    entry.require("service", "from", "content")
    entry.close()
    if service is None or sender is None or content is None:
        return None
    return service, IncomingText(sender=sender, recipient=recipient or _number_of(service), content=content)


def _service(entry: Entry) -> Service | None:
    identifier = entry.identifier("service")
    if identifier is None:
        return None
    service = Service.objects.filter(id=identifier).first()
    if service is None:
        entry.refuse("service", "is no service")
    elif not receiving.takes_texts(service):
        entry.refuse("service", "takes no texts: it is archived, or may not use text messages")
    return service


def _number_of(service: Service) -> str:
    default = SmsSender.objects.filter(service=service, is_default=True, archived_at=None).first()
    fallback: str = settings.DEFAULT_SMS_SENDER
    return default.sender if default else fallback
