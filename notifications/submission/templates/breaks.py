"""Breaking changes of a template: placeholders that callers must send from now on, and the calls that would fail.

A placeholder with a default value breaks no call.

The calls of yesterday show how many would have failed. Source: docs/reference/console.md §3.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.db.models import Q
from django.utils import timezone

from config.utc_days import today
from notifications.models import ApiKey, KeyType, Template, TemplateUse, TemplateVersion
from notifications.submission import kept_use, templates

DAYS = 30  # keys that used the template within these days are named


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """The calls of one key. calls, last_day: of the last DAYS days; None for calls that were made before the recording

    sent, missing: the new placeholders that all calls sent, and those that some calls did not send
    last_missing_day: the last day on which a call did not send one of these
    """

    name: str
    type: str
    sent: Sequence[str] = ()
    missing: Sequence[str] = ()
    calls: int | None = None
    last_missing_day: date | None = None
    yesterday: int = 0
    failing_yesterday: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingChange:
    """names: the new placeholders that calls do not send, spelled as in the text; keys: all that used the template"""

    names: Sequence[str]
    keys: Sequence[KeyUse]

    @property
    def error(self) -> str:
        """Return the error that callers would get."""
        return f"Missing personalisation: {', '.join(self.names)}"

    @property
    def yesterday(self) -> int:
        return sum(key.yesterday for key in self.keys)

    @property
    def failing_yesterday(self) -> int:
        return sum(key.failing_yesterday for key in self.keys)


def find(template: Template, version: TemplateVersion) -> BreakingChange | None:
    """Return how publishing a version would break calls. None: no live key misses a new placeholder."""
    new = _New(template.published(), version)
    uses = _uses(template)
    if not any(map(new.names, sorted({"", *(use.language for use in uses)}))):
        return None
    recorded = [_use_of(list(of_key), new) for _, of_key in groupby(uses, key=lambda use: use.key_id)]
    names = {key.name for key in recorded}
    earlier = [
        KeyUse(name=key.name, type=key.get_key_type_display(), missing=list(new.names("").values()))
        for key in _earlier_keys(template)
        if key.name not in names and new.names("")
    ]
    keys = sorted([*recorded, *earlier], key=lambda key: key.name)
    missing = [name for name in new.seen.values() if any(name in key.missing for key in keys)]
    return BreakingChange(names=missing, keys=keys) if missing else None


class _New:
    """The placeholders that a send must fill from now on. seen: of all languages that were asked for"""

    def __init__(self, before: TemplateVersion, after: TemplateVersion) -> None:
        self._before, self._after = templates.text_of(before), templates.text_of(after)
        self._known: dict[str, dict[str, str]] = {}
        self.seen: dict[str, str] = {}

    def names(self, language: str) -> dict[str, str]:
        """Return the names for calls that ask for a language, by the form in which names are compared."""
        if language not in self._known:
            before = self._before.in_language(language).required
            after = self._after.in_language(language).required
            self._known[language] = {key: name for key, name in after.items() if key not in before}
            self.seen = {**self.seen, **{key: name for key, name in after.items() if key in self._known[language]}}
        return self._known[language]


def _use_of(uses: Sequence[TemplateUse], new: _New) -> KeyUse:
    """Return the use by one key."""
    asked = {key: name for use in uses for key, name in new.names(use.language).items()}
    lacking = [use for use in uses if not new.names(use.language).keys() <= set(use.names_sent)]
    missing = {key for use in lacking for key in new.names(use.language).keys() - set(use.names_sent)}
    yesterday = today() - timedelta(days=1)
    return KeyUse(
        name=uses[0].key.name,
        type=uses[0].key.get_key_type_display(),
        sent=[name for key, name in asked.items() if key not in missing],
        missing=[name for key, name in asked.items() if key in missing],
        calls=sum(use.calls for use in uses),
        last_missing_day=max((use.day for use in lacking), default=None),
        yesterday=sum(use.calls for use in uses if use.day == yesterday),
        failing_yesterday=sum(use.calls for use in lacking if use.day == yesterday),
    )


def _uses(template: Template) -> list[TemplateUse]:
    """Return the recorded use by keys that can still make calls, sorted by key."""
    first = today() - timedelta(days=DAYS)
    recent = template.uses.filter(_can_call("key__"), day__gte=first, calls__gt=0)
    return list(recent.select_related("key").order_by("key"))


def _earlier_keys(template: Template) -> list[ApiKey]:
    """Return keys that used the template in these days, perhaps before the names of their values were recorded."""
    since = timezone.now() - timedelta(days=DAYS)
    found = kept_use.keys(
        template.service_id, "template", [template.pk], key_types=(KeyType.LIVE, KeyType.TEAM), since=since
    )
    names = found.names.get(template.pk, [])
    return list(ApiKey.objects.filter(_can_call(), service=template.service_id, name__in=names))


def _can_call(path: str = "") -> Q:
    ends = Q(**{f"{path}expires_at": None}) | Q(**{f"{path}expires_at__gt": timezone.now()})
    return Q(**{f"{path}revoked_at": None}) & ends
