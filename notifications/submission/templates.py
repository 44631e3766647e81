"""The template a request names, in its newest version. Source: the sending contract §4.1, steps 11 to 13."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, QuerySet

from notifications import errors
from notifications.models import Channel, TemplateVersion
from notifications.submission.recall import recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateText:
    """One version of a template: its stored words, untouched. `subject` is empty for a text message."""

    id: UUID
    type: Channel
    version: int
    subject: str
    content: str
    unsubscribe_link: bool
    is_archived: bool


def for_sending(service_id: UUID, template_id: UUID, channel: Channel) -> TemplateText:
    """Raises TemplateNotFound, also for those of other services, TemplateOfOtherType, TemplateArchived."""
    template = _newest(service_id, template_id)
    if template is None:
        raise errors.TemplateNotFound
    if template.type != channel:
        raise errors.TemplateOfOtherType(template_type=template.type, channel=channel)
    if template.is_archived:
        raise errors.TemplateArchived
    return template


def newest_versions(service_id: UUID) -> QuerySet[TemplateVersion]:
    """Return each template of the service in its newest version, archived ones too."""
    versions = TemplateVersion.objects.select_related("template").order_by()
    return versions.filter(template__service_id=service_id, number=F("template__current_version"))


@recalled
def _newest(service_id: UUID, template_id: UUID) -> TemplateText | None:
    row = newest_versions(service_id).filter(template_id=template_id).first()
    if row is None:
        return None
    return TemplateText(
        id=row.template.id,
        type=Channel(row.template.type),
        version=row.number,
        subject=row.subject or "",
        content=row.content,
        unsubscribe_link=row.unsubscribe_link,
        is_archived=row.template.archived_at is not None,
    )
