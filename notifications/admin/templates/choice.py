"""The template of a page that sends: the list to choose from, and the chosen one with its language."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import F, OuterRef, Q, Subquery
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from config.reading import read_uuid
from notifications.admin import permissions
from notifications.admin.templates.languages import named
from notifications.models import Channel, ReceivedText, Template, TemplateVersion
from notifications.submission.templates import TemplateText, text_of


def templates(request: HttpRequest, *, reply_to: ReceivedText | None = None) -> dict[str, Any]:
    """Return the context of `choose_template.html`: the templates in use of the listed services.

    reply_to: list only what can answer this text: the text messages of its service
    """
    service = reply_to.service if reply_to else permissions.chosen_service(request)
    services = Q(service=service) if service else Q(service__in=permissions.services_of(request))
    rows = Template.objects.filter(services, archived_at=None).select_related("service")
    if reply_to:
        rows = rows.filter(type=Channel.SMS)
    newest = TemplateVersion.objects.filter(template=OuterRef("pk"), number=OuterRef("current_version"))
    found = rows.annotate(subject=Subquery(newest.values("subject"))).order_by("service__name", "service", "name")
    return {"templates": found, "chosen_service": service}


def newest_version(request: HttpRequest, asked_for: str) -> TemplateVersion:
    """Return the newest version of the template with this id. A template of another service counts as missing."""
    newest = TemplateVersion.objects.select_related("template__service")
    mine = newest.filter(number=F("template__current_version"), template__service__in=permissions.services_of(request))
    return get_object_or_404(mine, template=read_uuid(asked_for))


def text_in(version: TemplateVersion, language: str) -> TemplateText:
    """Return the text in the language that a page asks for, else in the first one."""
    return text_of(version).in_language(language)


def language_of(text: TemplateText, version: TemplateVersion) -> str:
    """Return the language as a send names it, or "" for the first one, which a send does not name."""
    return "" if text.language == version.language else text.language


def languages(version: TemplateVersion, text: TemplateText, parameters: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the languages of `language_choice.html`. It is empty if the template has one language.

    parameters: of the page's URL besides the language
    """
    if not version.translations:
        return []
    return [
        {
            "title": named(code),
            "is_chosen": code == text.language,
            "url": f"?{urlencode(parameters if code == version.language else {**parameters, 'language': code})}",
        }
        for code in version.languages
    ]
