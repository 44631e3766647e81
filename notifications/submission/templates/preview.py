"""Preview a message without sending it. Source: docs/reference/sending-api.md §17.3."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from notifications.attachments import links
from notifications.models import Channel, Service, TemplateVersion
from notifications.rendering import previews, sms
from notifications.rendering.email import EmailText
from notifications.rendering.previews import PreviewParts
from notifications.submission import templates
from notifications.submission.templates import TemplateText


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplatePreview:
    """A rendered message. subject, html: of an email only; html is a fragment"""

    version: TemplateVersion
    body: str
    subject: str | None = None
    html: str | None = None


def preview(
    service: Service,
    version: TemplateVersion,
    values: Mapping[str, object],
    *,
    unsubscribe_url: str,
    language: str | None = None,
) -> TemplatePreview:
    """Fill a version of a template. Check no permission, length or rate limit, and store nothing.

    language: of the text; None for the first one
    unsubscribe_url: the link in the footer, used only if the template has an unsubscribe link
    Raises PersonalisationMissing and EmailTooLargeToShow.
    """
    template = templates.text_of(version).in_language(language)
    fixed = dict.fromkeys(template.used_files, links.for_simulation(service.id))
    values = templates.values_for(template, {**values, **fixed})
    if version.template.type == Channel.SMS:
        prefix = service.name if service.prefix_sms else None
        text_message = sms.render(template.content, values, prefix=prefix, language=template.language)
        return TemplatePreview(version=version, body=text_message.text)
    text = email_parts(template, values, unsubscribe_url=unsubscribe_url if version.unsubscribe_link else None)
    return TemplatePreview(version=version, body=text.body, subject=text.subject, html=text.html)


def email_parts(
    template: TemplateText, values: Mapping[str, object], *, unsubscribe_url: str | None
) -> EmailText | PreviewParts:
    """Return the parts of an email. Raises EmailTooLargeToShow."""
    return previews.render(
        template.subject,
        template.content,
        values,
        language=template.language,
        unsubscribe_url=unsubscribe_url,
        unlinked_names=tuple(settings.EMAIL_UNLINKED_NAMES),
    )
