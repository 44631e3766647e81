"""Find the template of a request, and check the values for its placeholders.

Source: docs/reference/sending-api.md §4.1 (steps 11 to 13), §7.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Self
from uuid import UUID

from django.db.models import F, Q, QuerySet

from notifications import errors
from notifications.models import ApiKey, Channel, KeyType, TemplateVersion, VersionState
from notifications.rendering import placeholders
from notifications.rendering.placeholders import Keyed
from notifications.submission.callers import Caller
from notifications.submission.requests import DRAFT, MAX_NAME_CHARACTERS_SHOWN
from notifications.submission.ttl_cache import cached
from notifications.validation.languages import primary

MAX_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateText:
    """One version of a template in one language, exactly as stored. `subject` is empty for a text message.

    names: of its placeholders, in the form in which they are compared
    defaults: the values of placeholders that a send leaves out, by name
    language: of `subject` and `content`; first the one of the version
    translations: `[{"language", "subject", "content"}]` in the other languages
    files: the fixed files of the template by placeholder, as `Template.fixed_files`
    breaks_without: as `TemplateVersion.breaks_without`
    """

    id: UUID
    type: Channel
    version: int
    subject: str
    content: str
    names: frozenset[str]
    defaults: Mapping[str, str]
    language: str
    translations: Sequence[Mapping[str, str | None]]
    files: Mapping[str, Mapping[str, Any]]  # Any: JSON
    unsubscribe_link: bool
    respect_quiet_hours: bool
    is_archived: bool
    breaks_without: frozenset[str]

    @property
    def used_files(self) -> Mapping[str, Mapping[str, Any]]:  # Any: JSON
        """Return the fixed files that this text has a placeholder for."""
        return {name: options for name, options in self.files.items() if placeholders.key(name) in self.names}

    @property
    def required(self) -> Mapping[str, str]:
        """Return the names that a send must fill, as the text spells them, by the form in which they are compared."""
        return placeholders.required(self.subject, self.content, optional=[*self.defaults, *self.files])

    def in_language(self, wanted: str | None) -> Self:
        """Return the text in a language, else in the same language of another country, else as it is.

        wanted: a code of `parse_language`; None or empty for the first language
        """
        if not wanted or wanted == self.language:
            return self
        by_code = {str(one["language"]): one for one in self.translations}
        near = {primary(code): code for code in [*reversed(by_code), self.language]}
        code = wanted if wanted in by_code else near.get(primary(wanted), self.language)
        if code == self.language:
            return self
        subject, content = by_code[code]["subject"] or "", by_code[code]["content"] or ""
        names = placeholders.keys(subject, content)
        return replace(self, subject=subject, content=content, names=names, language=code)


def for_sending(
    caller: Caller,
    template_id: UUID,
    channel: Channel,
    version: int | str | None = None,
    *,
    language: str | None = None,
) -> TemplateText:
    """Return the version of a template that the caller uses, in the language or else in its first one.

    version: the number that a test key chose, or DRAFT; None for the version in use
    Raises VersionForTestKeysOnly, TemplateNotFound, TemplateOfOtherType, TemplateArchived, TemplateHasNoDraft,
    TemplateVersionNotFound. A template of another service is not found.
    """
    by_test_key = uses_test_version(caller)
    if version is not None and not by_test_key:
        raise errors.VersionForTestKeysOnly
    template = _newest(caller.service_id, template_id, by_test_key=by_test_key)
    if template is None:
        raise errors.TemplateNotFound
    if template.type != channel:
        raise errors.TemplateOfOtherType(template_type=template.type, channel=channel)
    if template.is_archived:
        raise errors.TemplateArchived
    used = template if version is None else _chosen(template, version)
    return used.in_language(language) if language else used


def for_bulk_sending(service_id: UUID, template_id: UUID, *, language: str | None = None) -> TemplateText:
    """Return the published template, of either channel, in the language or else in its first one.

    Raises TemplateNotFound, TemplateArchived.
    """
    template = _newest(service_id, template_id, by_test_key=False)
    if template is None:
        raise errors.TemplateNotFound
    if template.is_archived:
        raise errors.TemplateArchived
    return template.in_language(language)


def uses_test_version(caller: Caller) -> bool:
    """Return whether the caller uses the version for test keys, if a template has one. The console does not."""
    return isinstance(caller, ApiKey) and caller.key_type == KeyType.TEST


def versions_in_use(service_id: UUID, *, by_test_key: bool) -> QuerySet[TemplateVersion]:
    """Return the version in use of each template of the service, archived templates included.

    by_test_key: also return the version for test keys; of two versions, they use the one with the higher number
    """
    is_used = Q(number=F("template__current_version"))
    if by_test_key:
        is_used |= Q(state=VersionState.TEST)
    versions = TemplateVersion.objects.filter(is_used, template__service_id=service_id)
    return versions.select_related("template").order_by("-number")


def values_for(
    template: TemplateText, personalisation: Mapping[str, object], *, sent: Iterable[str] | None = None
) -> Keyed:
    """Return the values for the placeholders: those of the send, and defaults for values that are left out or null.

    sent: the names as the caller spells them, if those in `personalisation` are keyed
    Raises PersonalisationMissing if placeholders have neither. It lists them as the template spells them.
    """
    values = placeholders.keyed(personalisation)
    if template.defaults:
        values = placeholders.with_defaults(values, template.defaults)
    if None not in map(values.get, template.names):
        return values
    names = placeholders.missing(template.subject, template.content, personalisation=values)
    if names:
        raise errors.PersonalisationMissing(
            names=", ".join(names), fix=_missing_fix(names, list(sent or personalisation))
        )
    return values


def _chosen(template: TemplateText, version: int | str) -> TemplateText:
    chosen = _version(template.id, version)
    if chosen is None:
        raise errors.TemplateHasNoDraft if version == DRAFT else errors.TemplateVersionNotFound(version=version)
    return chosen


@cached
def _newest(service_id: UUID, template_id: UUID, *, by_test_key: bool) -> TemplateText | None:
    row = versions_in_use(service_id, by_test_key=by_test_key).filter(template_id=template_id).first()
    return None if row is None else text_of(row)


@cached
def _version(template_id: UUID, version: int | str) -> TemplateText | None:
    named = {"state": VersionState.DRAFT} if version == DRAFT else {"number": version}
    row = TemplateVersion.objects.select_related("template").filter(template_id=template_id, **named).first()
    return None if row is None else text_of(row)


def text_of(row: TemplateVersion) -> TemplateText:
    return TemplateText(
        id=row.template.id,
        type=Channel(row.template.type),
        version=row.number,
        subject=row.subject or "",
        content=row.content,
        names=placeholders.keys(row.subject or "", row.content),
        defaults=row.defaults,
        language=row.language,
        translations=row.translations,
        files=row.template.fixed_files,
        unsubscribe_link=row.unsubscribe_link,
        respect_quiet_hours=row.template.respect_quiet_hours,
        is_archived=row.template.archived_at is not None,
        breaks_without=frozenset(row.breaks_without),
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
