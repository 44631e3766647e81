"""Find the template of a request, and check the values for its placeholders.

Source: docs/reference/sending-api.md §4.1 (steps 11 to 13), §7.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from uuid import UUID

from django.db.models import F, QuerySet

from notifications import errors
from notifications.models import Channel, TemplateVersion
from notifications.rendering import placeholders
from notifications.submission.requests import MAX_NAME_CHARACTERS_SHOWN
from notifications.submission.ttl_cache import cached

MAX_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateText:
    """One version of a template, exactly as stored. `subject` is empty for a text message."""

    id: UUID
    type: Channel
    version: int
    subject: str
    content: str
    unsubscribe_link: bool
    respect_quiet_hours: bool
    is_archived: bool


def for_sending(service_id: UUID, template_id: UUID, channel: Channel) -> TemplateText:
    """Return the template. Raises TemplateNotFound, TemplateOfOtherType, TemplateArchived.

    A template of another service is not found.
    """
    template = _newest(service_id, template_id)
    if template is None:
        raise errors.TemplateNotFound
    if template.type != channel:
        raise errors.TemplateOfOtherType(template_type=template.type, channel=channel)
    if template.is_archived:
        raise errors.TemplateArchived
    return template


def for_bulk_sending(service_id: UUID, template_id: UUID) -> TemplateText:
    """Return the template, of either channel. Raises TemplateNotFound, TemplateArchived."""
    template = _newest(service_id, template_id)
    if template is None:
        raise errors.TemplateNotFound
    if template.is_archived:
        raise errors.TemplateArchived
    return template


def newest_versions(service_id: UUID) -> QuerySet[TemplateVersion]:
    """Return the newest version of each template of the service, archived templates included."""
    versions = TemplateVersion.objects.select_related("template").order_by()
    return versions.filter(template__service_id=service_id, number=F("template__current_version"))


def check_personalisation(subject: str, content: str, personalisation: Mapping[str, object]) -> None:
    """Raise PersonalisationMissing if placeholders have no value. It lists them as the template spells them."""
    names = placeholders.missing(subject, content, personalisation=personalisation)
    if names:
        raise errors.PersonalisationMissing(names=", ".join(names), fix=_missing_fix(names, list(personalisation)))


@cached
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
        respect_quiet_hours=row.template.respect_quiet_hours,
        is_archived=row.template.archived_at is not None,
    )


def _missing_fix(missing: list[str], sent: list[str]) -> str:
    """Return the names that the caller sent, without values, and likely spelling mistakes."""
    shown = [name[:MAX_NAME_CHARACTERS_SHOWN] for name in sent[:MAX_NAMES_SHOWN]]
    by_lower_case = {name.lower(): name for name in shown}
    suggestions = [
        f" Did you mean `{name}` instead of `{by_lower_case[close]}`?"
        for name in missing[:MAX_NAMES_SHOWN]
        for close in get_close_matches(name.lower(), by_lower_case, n=1)
    ]
    return f"You sent: {', '.join(shown) or 'no values'}.{''.join(suggestions)}"
