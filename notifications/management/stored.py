"""What a service of a document holds already. A stored value stays valid, whatever the rules have become since."""

from functools import cached_property
from uuid import UUID

from django.db.models import F

from notifications.models import Channel, Service, Template, TemplateVersion


class Stored:
    """The values of the service that a document names by id or by name; asked only for what a rule refuses."""

    def __init__(self, service_id: UUID | None, name: str | None) -> None:
        self._named = {"pk": service_id} if service_id else {"name": name or ""}

    @cached_property
    def service(self) -> Service | None:
        return Service.objects.filter(**self._named).first()

    def name(self, text: str) -> bool:
        return self.service is not None and self.service.name == text

    def file_contact(self, text: str) -> bool:
        return self.service is not None and self.service.file_contact == text

    def sender(self, text: str) -> bool:
        return self.service is not None and self.service.sms_senders.filter(sender=text, archived_at=None).exists()

    def email_address(self, text: str) -> bool:
        rows = self.service.reply_to_addresses.filter(archived_at=None) if self.service else None
        return rows is not None and rows.filter(email_address=text).exists()

    def template(self, **words: str) -> bool:
        """Return whether a template's current version has these words: its name, subject or content."""
        if self.service is None:
            return False
        current = TemplateVersion.objects.filter(number=F("template__current_version"), **words)
        return current.filter(template__service=self.service).exists()

    def channel_of(self, template_id: UUID | None) -> Channel | None:
        """Return whether a template is for emails or text messages."""
        types = Template.objects.filter(pk=template_id).values_list("type", flat=True) if template_id else ()
        return next((Channel(type) for type in types), None)

    def secret(self, secret: UUID) -> bool:
        return self.service is not None and any(key.secret == str(secret) for key in self.service.api_keys.all())
