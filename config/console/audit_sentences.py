"""Turn audit events into sentences such as "mina revoked the API key “pay-live”".

`audit_verbs` has the words of each verb.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.utils.text import capfirst

from config import formats
from config.audit import name_and_author_of, titles
from config.audit.models import ActorKind, AuditEvent
from config.console import lookups
from config.console.audit_verbs import FIELDS, FORMER_VERBS, OF_ACCOUNTS, OF_CLEAN_UP, VERBS
from config.console.sign_in_audit import SOMEBODY
from config.jobs import rules

_OF_RUNS = {"ran": "ran a clean-up", "failed": "failed to run a clean-up", "cleaned_up": "removed records by retention"}
_OPEN_END = re.compile(r" (for|from|in|of|to)( …)?$")
_UNKNOWN = "an account that does not exist"
_NAMES = ("name", "username", "sender", "email_address", "value", "url")  # the first one with a value names the row
_MAX_FIELDS_NAMED = 3  # in one sentence
_ACCOUNT = "user"  # the object kind of an account
_EMPTY = "–"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")  # as events store it
_SYSTEM = "The system"  # the actor of what the clock does


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a row: as shown to the reader of the page, and as stored in the audit."""

    shown: str
    stored: str


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An event with its sentence."""

    event: AuditEvent
    sentence: str


Names = dict[tuple[str, str], Title]


def lines(events: Iterable[AuditEvent], shown: Callable[[Model], str] = titles.masked) -> list[AuditLine]:
    """Return the events with their sentences. shown: see `names_of`."""
    found = list(events)
    names = names_of(found, shown)
    return [AuditLine(event, sentence(event, names)) for event in found]


def sentence(event: AuditEvent, names: Names | None = None) -> str:
    """Return the sentence for an event, with its reason. names: the current titles of the rows, see `names_of`."""
    text = _without_reason(event, actor_of(event, names), name_of(event, names))
    return f"{text}: {event.reason}" if event.reason else text


def names_of(events: Iterable[AuditEvent], shown: Callable[[Model], str] = titles.masked) -> Names:
    """Return the current titles of the rows whose events store no title or a masked one, with one query per kind.

    Accounts, including those that acted, are shown by their name and email address.
    shown: return the title that the reader of the page may see
    """
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for event in events:
        if _stored_name(event) is None or _is_masked(event.object_kind) or event.object_kind == _ACCOUNT:
            wanted[event.object_kind].add(event.object_id)
        if event.actor_kind == ActorKind.USER:
            wanted[_ACCOUNT].add(event.actor_id)
    found: Names = {}
    for kind, ids in wanted.items():
        model = model_of(kind)
        if model is not None:
            rows = model._base_manager.filter(pk__in=[one for one in ids if lookups.is_key(model, one)])
            title: Callable[[Any], str] = name_and_author_of if kind == _ACCOUNT else shown  # Any: a row of any model
            found |= {(kind, str(row.pk)): Title(title(row), titles.masked(row)) for row in rows}
    return found


def actor_of(event: AuditEvent, names: Names | None = None) -> str:
    """Return the actor as stored in the event, or with its name if the account still has that user name."""
    if event.actor_kind == ActorKind.CLOCK:
        return _SYSTEM
    account = (names or {}).get((_ACCOUNT, event.actor_id)) if event.actor_kind == ActorKind.USER else None
    if account and account.stored == event.actor_label:
        return account.shown
    label = event.actor_label or str(event.actor_kind)
    return capfirst(label) if event.actor_kind == ActorKind.COMMAND or label == SOMEBODY else label


def name_of(event: AuditEvent, names: Names | None = None) -> str:
    """Return the title of the row at the time of the event, else its current title, else the start of its id.

    Readers who may see the row get a masked title unmasked, unless the row's title has changed since.
    """
    stored, now = _stored_name(event), (names or {}).get((event.object_kind, event.object_id))
    name = now.shown if now and stored in (None, now.stored) else stored
    return f"“{name}”" if name else event.object_id[:8]


@lru_cache(maxsize=64)
def kind_of(object_kind: str) -> str:
    """Return the name of an object kind in words: `apikey` gives "API key"."""
    model = model_of(object_kind)
    return str(model._meta.verbose_name if model else object_kind.replace("_", " "))


def in_words(verb: str) -> str:
    """Return the label of a verb in the filter."""
    words = VERBS.get(verb) or OF_ACCOUNTS.get(verb) or _OF_RUNS.get(verb) or verb.replace("_", " ")
    words = words.removeprefix("{0} ").replace("{1}", "…").replace("{row}", "…")
    return _OPEN_END.sub("", words)


def differences(event: AuditEvent) -> list[tuple[str, str, str]]:
    """Return name, old value and new value of each changed field, without fields that stayed empty."""
    before, after = event.before or {}, event.after or {}
    rows = [
        (_field(name), _in_a_cell(before.get(name)), _in_a_cell(after.get(name)))
        for name in {**before, **after}
        if not _is_label(name, before, after)
    ]
    return [row for row in rows if row[1:] != (_EMPTY, _EMPTY)]


def _without_reason(event: AuditEvent, who: str, name: str) -> str:
    if event.object_kind == _ACCOUNT and event.verb in OF_ACCOUNTS:
        return OF_ACCOUNTS[event.verb].format(who, name or _UNKNOWN)
    if event.verb in OF_CLEAN_UP:
        values = {"rule": "?", "removed": 0, "error": "", **(event.after or {})}
        number = values["removed"]
        removed = formats.counted(number, "record" if event.verb == "cleaned_up" else "row")
        rule = rules.named(str(values["rule"]))
        values |= {"who": who, "name": name, "removed": removed, "rule": rule.title if rule else values["rule"]}
        return OF_CLEAN_UP[event.verb].format(**values)
    row = f"the {kind_of(event.object_kind)} {name}"
    if event.verb == "changed":
        return f"{who} {_change(event, row)}"
    if event.verb == "emptied":
        return f"{who} emptied {row}: {formats.counted((event.before or {}).get('records', 0), 'record')}"
    words = VERBS.get(event.verb) or FORMER_VERBS.get(event.verb) or event.verb.replace("_", " ")
    return f"{who} {words.format(row=row)}" if "{row}" in words else f"{who} {words} {row}"


def _change(event: AuditEvent, row: str) -> str:
    """Return the words for a change: for one number the old and new value, else the names of the fields."""
    before, after = event.before or {}, event.after or {}
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    changed = [name for name in changed if not _is_label(name, before, after)]
    if len(changed) == 1:
        was, now = before.get(changed[0]), after.get(changed[0])
        field = _field(changed[0])
        if _is_number(was) and _is_number(now):
            verb = "raised" if now > was else "lowered"  # type: ignore[operator]  # both are numbers
            return f"{verb} the {field} of {row} from {_value(was)} to {_value(now)}"
        return f"changed the {field} of {row}"
    if 1 < len(changed) <= _MAX_FIELDS_NAMED:
        fields = [_field(name) for name in changed]
        return f"changed {', '.join(fields[:-1])} and {fields[-1]} of {row}"
    return f"changed {len(changed)} fields of {row}" if changed else f"changed {row}"


def _field(name: str) -> str:
    return FIELDS.get(name) or name.replace("_", " ")


def _stored_name(event: AuditEvent) -> str | None:
    if event.object_label:
        return event.object_label
    values = {**(event.before or {}), **(event.after or {})}
    return next((str(values[field]) for field in _NAMES if values.get(field)), None)


def _is_label(name: str, before: dict[str, object], after: dict[str, object]) -> bool:
    """Return whether a field only names the row: it is on one side of a change whose other fields are on both."""
    return name in _NAMES and (name in before) != (name in after) and bool(before and after)


@lru_cache(maxsize=64)
def _is_masked(object_kind: str) -> bool:
    model = model_of(object_kind)
    return hasattr(model, "title_is_recipient") or hasattr(model, "masked_title")


def _in_a_cell(value: object) -> str:
    """Return a value as the page of an event shows it. Slugs in lists become words."""
    match value:
        case None | "" | []:
            return _EMPTY
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(str(one).replace("_", " ") for one in value)
        case dict():
            return ", ".join(f"{name.replace('_', ' ')}: {_in_a_cell(one)}" for name, one in value.items())
        case str() if _TIME.fullmatch(value):
            return formats.spoken(datetime.fromisoformat(value))
        case _:
            return _value(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _value(value: object) -> str:
    return formats.number(value) if _is_number(value) else str(value)  # type: ignore[arg-type]  # a number


@lru_cache(maxsize=64)
def model_of(object_kind: str) -> type[Model] | None:
    """Return the model of an object kind, or None."""
    return next((model for model in apps.get_models() if model._meta.model_name == object_kind), None)
