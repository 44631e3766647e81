"""The preview beside the editor, rendered by the functions that send. Source: docs/reference/console.md §2.4."""

from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import QueryDict

from config.reading import read_uuid
from notifications.admin.templates import languages, samples
from notifications.admin.templates.warnings import warnings
from notifications.attachments import links
from notifications.errors import EmailTooLargeToShow
from notifications.models import Channel, Service, SmsSender, Template, TemplateVersion
from notifications.rendering import email, placeholders, preview, previews, sms
from notifications.rendering.document import html_document
from notifications.rendering.placeholders import Lists
from notifications.submission import kept_use, senders
from notifications.submission.templates.samples import FILE
from notifications.validation import templates
from notifications.validation.languages import DEFAULT_LANGUAGE

_UNSUBSCRIBE = (
    "Callers send a one-click unsubscribe URL, but the text has no unsubscribe link. "
    "Not every mail program shows the one-click button, so add a link at the end."
)


def context(typed: QueryDict, template: Template | None, services: QuerySet[Service]) -> dict[str, Any]:
    """Return the context of the preview. Errors appear in the preview, never as an error page.

    services: the services of the person; the preview uses name and sender of these only
    """
    channel = channel_of(typed, template)
    subject, content = typed.get("subject", ""), typed.get("content", "").replace("\r\n", "\n")
    language = typed.get("language", "").strip()
    has_footer = "unsubscribe_link" in typed
    texts = texts_of(channel, typed)
    tried = samples.read(typed, [*texts, *languages.texts(typed)], template, channel)
    odd = warnings(*texts, files=[sample.name for sample in tried if sample.kind == FILE])
    if channel is Channel.EMAIL and template and not has_footer and kept_use.is_unsubscribed_by_callers(template):
        odd.append(_UNSUBSCRIBE)
    found = templates.find_errors(subject or "–", content or None, is_text_message=channel is Channel.SMS)
    fixed = set(map(placeholders.key, template.fixed_files)) if template else set()
    shown: dict[str, Any] = {
        "channel": channel.value,
        "samples": [sample for sample in tried if placeholders.key(sample.name) not in fixed],
        "kinds": samples.kinds(channel),
        "text_errors": [error for _, error in found],
        "warnings": odd,
        "is_empty": not content.strip(),
    }
    if shown["is_empty"] or len(content.encode()) > email.MAX_BYTES:
        return shown
    identifier = read_uuid(typed.get("service"))
    chosen = services.filter(pk=identifier).first() if identifier else None
    service = template.service if template else chosen
    given = {sample.name: sample.stands_for(service) for sample in tried}
    if service and fixed:
        link = links.for_simulation(service.pk)
        given |= {name: link for name in given if placeholders.key(name) in fixed}
    defaults = {sample.name: sample.default for sample in tried if sample.default is not None}
    values = {name: value for name, value in placeholders.with_defaults(given, defaults).items() if value is not None}
    redact = template.redact_personalisation if template else False
    redact = redact or "redact_personalisation" in typed
    forms = [Lists.IN_SENTENCE, Lists.AS_BULLETS] if channel is Channel.EMAIL else [Lists.IN_SENTENCE]
    if len(content) <= previews.LARGE_CHARACTERS:  # a large one may have 400,000 pieces
        shown["unfilled"] = [
            list(placeholders.pieces(text, values, redact=redact, lists=form, language=language))
            for text, form in zip(texts, forms, strict=True)
        ]

    fill = partial(filled, channel, values=values, service=service, has_footer=has_footer)
    others = [section for section in languages.read(typed) if len(section.content.encode()) <= email.MAX_BYTES]
    shown["translations"] = [
        {"title": one.title, **fill(one.subject, one.content, language=one.language.strip())} for one in others
    ]
    return {**shown, **fill(subject, content, language=language)}


def filled(
    channel: Channel,
    subject: str,
    content: str,
    *,
    values: dict[str, object],
    service: Service | None,
    language: str,
    has_footer: bool,
) -> dict[str, Any]:
    """Return the context of `template_message.html`: a message in which placeholders without a value are marked."""
    if channel is Channel.SMS:
        return _sms(content, values, service, language=language)
    footer = f"{settings.BASE_URL}/unsubscribe/preview" if has_footer else None
    names = tuple(settings.EMAIL_UNLINKED_NAMES)
    language = language or DEFAULT_LANGUAGE
    try:
        text = previews.render(
            subject, content, values, language=language, unsubscribe_url=footer, unlinked_names=names
        )
    except EmailTooLargeToShow as error:
        return {"subject": list(placeholders.pieces(subject, {}, redact=False)), "too_large": error.message}
    return {
        "subject": list(placeholders.pieces(text.subject, {}, redact=False)),
        "sender": senders.from_email(service) if service else "",
        "document": preview.sandboxed(preview.marked(html_document(text))),
        "plain": text.plain,
    }


def typed_of(version: TemplateVersion) -> QueryDict:
    """Return a stored version as form data."""
    typed = QueryDict(mutable=True)
    typed.update({"subject": version.subject or "", "content": version.content})
    typed.update(samples.default_fields(version.defaults))
    typed.update(languages.fields(version))
    if version.unsubscribe_link:
        typed["unsubscribe_link"] = "on"
    return typed


def channel_of(typed: QueryDict, template: Template | None) -> Channel:
    word = template.type if template else typed.get("type", "")
    return Channel(word) if word in Channel.values else Channel.EMAIL


def texts_of(channel: Channel, typed: QueryDict) -> list[str]:
    """Return the texts with placeholders, the message last."""
    content = typed.get("content", "").replace("\r\n", "\n")
    return [typed.get("subject", ""), content] if channel is Channel.EMAIL else [content]


def _sms(content: str, values: dict[str, object], service: Service | None, *, language: str) -> dict[str, Any]:
    prefix = service.name if service and service.prefix_sms else None
    text = sms.render(content, values, prefix=prefix, language=language)
    sender = SmsSender.objects.filter(service=service, is_default=True, archived_at=None).first() if service else None
    return {
        "bubble": preview.marked(sms.preview_html(text)),
        "sender": str(sender or settings.DEFAULT_SMS_SENDER),
        "facts": preview.facts(text),
        "costly": preview.costly(text),
        "unvalued": preview.unvalued(sms.editor_count(content, prefix=prefix)) if placeholders.find(content) else "",
    }
