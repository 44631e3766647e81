"""Record which names of values calls send for a template, so that the console can predict which calls a change breaks.

The calls are counted in memory and stored later, so that requests do not wait. Source: docs/reference/console.md §3.2.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TypeVar
from uuid import UUID

from config.metrics import registry
from config.metrics.registry import PendingCounts, storing
from config.utc_days import today
from notifications.models import ApiKey, FailingCalls, Template, TemplateUse
from notifications.models.template_use import hash_of
from notifications.rendering import placeholders
from notifications.rendering.placeholders import Keyed
from notifications.submission.callers import Caller
from notifications.submission.templates import TemplateText, text_of

MAX_CHARACTERS = 4_000  # of all names of a call; of longer ones only the names of placeholders are recorded
MAX_SETS = 100  # different sets of names of one template, key and day; further ones are recorded in the same way
MAX_PENDING = 2_000  # sets in memory; further ones are not counted until these are stored, within seconds

_Use = tuple[UUID, UUID, date, tuple[str, ...], str]  # template, key, day, names, language
_Day = tuple[UUID, UUID, date]
_Counted = TypeVar("_Counted", _Use, _Day)

_uses: PendingCounts[_Use] = PendingCounts(max_keys=MAX_PENDING)
_failing: PendingCounts[_Day] = PendingCounts(max_keys=MAX_PENDING)


def count(caller: Caller, template: TemplateText, given: Keyed, *, language: str | None = None) -> None:
    """Count one accepted call of an API key that did not choose the version of the template.

    given: the values of the call
    language: the one that the call asked for
    """
    if not isinstance(caller, ApiKey):
        return
    names = {name for name, value in given.items() if value is not None}
    if sum(map(len, names)) > MAX_CHARACTERS:
        names &= template.names
    _uses.add((template.id, caller.id, today(), tuple(sorted(names)), language or ""))


def count_failing(caller: Caller, template: TemplateText, personalisation: Mapping[str, object]) -> None:
    """Count one refused call of an API key, if it lacks a placeholder with which the template was published anyway."""
    if not isinstance(caller, ApiKey) or not template.breaks_without:
        return
    sent = {name for name, value in placeholders.keyed(personalisation).items() if value is not None}
    if template.breaks_without & template.required.keys() - sent:
        _failing.add((template.id, caller.id, today()))


def store_pending() -> None:
    """Store the pending counts."""
    _store_uses()
    _store_failing()


def _store_failing() -> None:
    failing = _failing.take()
    if not failing:
        return
    with storing(lambda: _failing.give_back(failing)):
        FailingCalls.objects.add(_known(failing))


def _store_uses() -> None:
    uses = _uses.take()
    if not uses:
        return
    with storing(lambda: _uses.give_back(uses)):
        TemplateUse.objects.add([_row(use, calls) for use, calls in _within_limit(_known(uses))])


def _known(counts: Mapping[_Counted, float]) -> dict[_Counted, int]:
    """Return the counts whose template and key are still stored: a service may be deleted meanwhile."""
    templates, keys = {what[0] for what in counts}, {what[1] for what in counts}
    known_keys = set(ApiKey.objects.filter(pk__in=keys).values_list("pk", flat=True))
    known_templates = set(Template.objects.filter(pk__in=templates).values_list("pk", flat=True))
    return {what: int(counts[what]) for what in counts if what[0] in known_templates and what[1] in known_keys}


def _within_limit(uses: Mapping[_Use, int]) -> Iterable[tuple[_Use, int]]:
    """Return the counts with at most MAX_SETS sets a day. Sorted, so that two processes never deadlock."""
    stored: defaultdict[_Day, set[str]] = defaultdict(set)
    days = {use[:3] for use in uses}
    same = TemplateUse.objects.filter(
        **{f"{name}__in": {day[place] for day in days} for place, name in enumerate(("template", "key", "day"))}
    )
    for template, key, day, names_hash in same.values_list("template", "key", "day", "names_hash"):
        stored[template, key, day].add(names_hash)
    kept: defaultdict[_Use, int] = defaultdict(int)
    for use, calls in sorted(uses.items()):
        hashes, names_hash = stored[use[:3]], hash_of(use[3], use[4])
        if names_hash not in hashes and len(hashes) >= MAX_SETS:
            version = Template.objects.get(pk=use[0]).published()
            names = text_of(version).in_language(use[4]).names
            kept[*use[:3], tuple(sorted(names.intersection(use[3]))), use[4]] += calls
            continue
        hashes.add(names_hash)
        kept[use] += calls
    return sorted(kept.items())


def _row(use: _Use, calls: int) -> TemplateUse:
    template_id, key_id, day, names, language = use
    return TemplateUse(
        template_id=template_id,
        key_id=key_id,
        day=day,
        names_sent=list(names),
        language=language,
        names_hash=hash_of(names, language),
        calls=calls,
    )


registry.also_flush(store_pending)
