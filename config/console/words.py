"""An audit event as a sentence: "mina revoked the API key “pay-live”".

Every verb that is written anywhere has its words here; a test reads the source for them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Model

from config.console import cells, titles
from config.console.clean_up import rules
from config.console.models import ActorKind, AuditEvent

# What somebody did to a row: "{who} {words} the {kind} {name}", or with the row where {row} stands.
VERBS = {
    "accepted_the_invite_of": "accepted the invite of",
    "archived": "archived",
    "changed": "changed",
    "changed_roles_of": "changed the roles of",
    "created": "made",
    "deleted": "deleted",
    "downloaded_unsubscribe_requests": "downloaded the unsubscribe requests of",
    "emptied": "emptied",
    "exported": "exported",
    "extended": "extended the time of",
    "found_late": "found {row} late",
    "found_recovered": "found {row} recovered",
    "gave_up": "gave up",
    "invited": "invited",
    "issued": "issued",
    "made_default": "made {row} the default",
    "made_live": "made {row} live",
    "marked_done": "marked {row} as done",
    "paused": "paused",
    "put_back_to_trial": "put {row} back into trial",
    "redacted": "hid personal details in messages of",
    "removed": "removed",
    "resent": "sent again what failed for",
    "restored": "restored",
    "resumed": "resumed",
    "revoked": "revoked",
    "rotated": "replaced",
    "sent": "sent",
    "shortened": "shortened the time of",
    "tried": "sent a test event to",
    "withdrew": "withdrew",
}
_FORMER_VERBS = {"provision": "provisioned"}  # of events stored by earlier releases
# Whole sentences, about an account and whoever used it: {0} is who, {1} the account.
OF_ACCOUNTS = {
    "signed_in": "{0} signed in",
    "signed_out": "{0} signed out",
    "refused_sign_in": "{0} gave a wrong password or code for {1}",
    "locked_out": "{0} has to wait after ten wrong passwords or codes for {1}",
    "changed_name": "{0} changed their name",
    "changed_password": "{0} changed their password",
    "enrolled_second_factor": "{0} set up a second factor",
    "replaced_second_factor": "{0} moved their second factor to another app",
    "made_recovery_codes": "{0} made new recovery codes",
    "ended_sessions": "{0} ended the sessions of {1}",
    "reset_second_factor": "{0} reset the second factor of {1}",
    "invited": "{0} made a link for {1} to choose a password",
    "asked_for_password": "{0} asked for a link to choose a password for {1}",
    "chose_password": "{0} chose a password by a link",
}
# Whole sentences with numbers in them: {who}, {name}, and what the event holds.
OF_CLEAN_UP = {
    "ran": "{who} ran the clean-up “{rule}”: {removed} removed",
    "failed": "{who} ran the clean-up “{rule}”, which failed: {error}",
    "cleaned_up": "{who} removed {removed} from the data set {name}, past what it keeps",
}
_UNKNOWN = "an account that does not exist"
_NAMES = ("name", "username", "sender", "email_address", "value", "url")  # what a row is called, first found
_FIELDS_NAMED = 3  # in one sentence
_SYSTEM = "The system"  # who acts where the clock does


@dataclass(frozen=True, slots=True)
class Title:
    """What a row is called: to the reader of this page, and by the audit."""

    shown: str
    kept: str


Names = dict[tuple[str, str], Title]


def sentence(event: AuditEvent, names: Names | None = None) -> str:
    """Say who did what to which row, and why. names: what the rows are called today, see `names_of`."""
    told = _told(event, name_of(event, names or {}))
    return f"{told}: {event.reason}" if event.reason else told


def names_of(events: Iterable[AuditEvent], shown: Callable[[Model], str] = titles.masked) -> Names:
    """Return what rows are called today, with one query a kind, where an event has no name for them or a masked one.

    shown: returns what the reader of the page may call a row
    """
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for event in events:
        if _kept_name(event) is None or _is_masked(event.object_kind):
            wanted[event.object_kind].add(event.object_id)
    found: Names = {}
    for kind, ids in wanted.items():
        model = model_of(kind)
        if model is not None:
            rows = model._base_manager.filter(pk__in=[one for one in ids if _fits(model, one)])
            found |= {(kind, str(row.pk)): Title(shown(row), titles.masked(row)) for row in rows}
    return found


def name_of(event: AuditEvent, names: Names | None = None) -> str:
    """Return what the row was called then, else what it is called now, else the beginning of its id.

    A masked name is shown whole to readers who may see the row, as long as it is still the same.
    """
    kept, now = _kept_name(event), (names or {}).get((event.object_kind, event.object_id))
    name = now.shown if now and kept in (None, now.kept) else kept
    return f"“{name}”" if name else event.object_id[:8]


@lru_cache(maxsize=64)
def kind_of(object_kind: str) -> str:
    """Return the words for a model's name: `apikey` is an "API key"."""
    model = model_of(object_kind)
    return str(model._meta.verbose_name if model else object_kind.replace("_", " "))


def in_words(verb: str) -> str:
    """Return a verb as a filter offers it."""
    if verb in OF_ACCOUNTS or verb in OF_CLEAN_UP:
        return verb.replace("_", " ")
    return _words_of(verb).replace("{row} ", "")


def differences(event: AuditEvent) -> list[tuple[str, str, str]]:
    """Return the fields that the event changed, in words: name, before, after."""
    before, after = event.before or {}, event.after or {}
    return [
        (name.replace("_", " "), _in_a_cell(before.get(name)), _in_a_cell(after.get(name)))
        for name in {**before, **after}
        if not _is_label(name, before, after)
    ]


def _told(event: AuditEvent, name: str) -> str:
    who = _SYSTEM if event.actor_kind == ActorKind.CLOCK else event.actor_label or event.actor_kind
    if event.object_kind == "user" and event.verb in OF_ACCOUNTS:
        return OF_ACCOUNTS[event.verb].format(who, name or _UNKNOWN)
    if event.verb in OF_CLEAN_UP:
        held = {"rule": "?", "removed": 0, "error": "", **(event.after or {})}
        removed = held["removed"]
        records = cells.counted(removed, "record") if event.verb == "cleaned_up" else _value(removed)
        rule = rules.named(str(held["rule"]))
        held |= {"who": who, "name": name, "removed": records, "rule": rule.title if rule else held["rule"]}
        return OF_CLEAN_UP[event.verb].format(**held)
    row = f"the {kind_of(event.object_kind)} {name}"
    if event.verb == "changed":
        return f"{who} {_change(event, row)}"
    if event.verb == "emptied":
        return f"{who} emptied {row}: {cells.counted((event.before or {}).get('records', 0), 'record')}"
    words = _words_of(event.verb)
    return f"{who} {words.format(row=row)}" if "{row}" in words else f"{who} {words} {row}"


def _words_of(verb: str) -> str:
    return VERBS.get(verb) or _FORMER_VERBS.get(verb) or verb.replace("_", " ")


def _change(event: AuditEvent, row: str) -> str:
    """Name what changed: a number with both values, else the fields."""
    before, after = event.before or {}, event.after or {}
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    changed = [name for name in changed if not _is_label(name, before, after)]
    if len(changed) == 1:
        was, now = before.get(changed[0]), after.get(changed[0])
        field = changed[0].replace("_", " ")
        if _is_number(was) and _is_number(now):
            verb = "raised" if now > was else "lowered"  # type: ignore[operator]  # numbers, as just asked
            return f"{verb} the {field} of {row} from {_value(was)} to {_value(now)}"
        return f"changed the {field} of {row}"
    if 1 < len(changed) <= _FIELDS_NAMED:
        fields = [name.replace("_", " ") for name in changed]
        return f"changed {', '.join(fields[:-1])} and {fields[-1]} of {row}"
    return f"changed {len(changed)} fields of {row}" if changed else f"changed {row}"


def _fits(model: type[Model], pk: str) -> bool:
    try:
        model._meta.pk.to_python(pk)
    except ValidationError:
        return False
    return True


def _kept_name(event: AuditEvent) -> str | None:
    if event.object_label:
        return event.object_label
    values = {**(event.before or {}), **(event.after or {})}
    return next((str(values[field]) for field in _NAMES if values.get(field)), None)


def _is_label(name: str, before: dict[str, object], after: dict[str, object]) -> bool:
    """Return whether a value only says which row it was: a name on one side, beside changes that have both."""
    return name in _NAMES and (name in before) != (name in after) and bool(before and after)


@lru_cache(maxsize=64)
def _is_masked(object_kind: str) -> bool:
    model = model_of(object_kind)
    return hasattr(model, "title_is_recipient") or hasattr(model, "masked_title")


def _in_a_cell(value: object) -> str:
    """Return a value as the page of one event shows it: slugs of lists as words."""
    match value:
        case None | "" | []:
            return "–"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(str(one).replace("_", " ") for one in value)
        case dict():
            return ", ".join(f"{name.replace('_', ' ')}: {_in_a_cell(one)}" for name, one in value.items())
        case _:
            return _value(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _value(value: object) -> str:
    return cells.number(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


@lru_cache(maxsize=64)
def model_of(object_kind: str) -> type[Model] | None:
    """Return the model whose rows an event of this kind is about; None where it has none."""
    return next((model for model in apps.get_models() if model._meta.model_name == object_kind), None)
