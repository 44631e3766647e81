"""An audit event as a sentence: "mina revoked the API key “pay-live”". Source: Staff console §2.18.

Every verb that is written anywhere has its words here; a test reads the source for them.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Model

from config.console import cells
from config.console.models import AuditEvent

# What somebody did to a row: "{who} {words} the {kind} {name}".
VERBS = {
    "accepted_the_invite_of": "accepted the invite of",
    "archived": "archived",
    "changed": "changed",
    "changed_roles_of": "changed the roles of",
    "created": "made",
    "deleted": "deleted",
    "emptied": "emptied",
    "exported": "exported",
    "extended": "extended the time of",
    "found_late": "found late",
    "found_recovered": "found recovered",
    "gave_up": "gave up",
    "invited": "invited",
    "issued": "issued",
    "made_default": "made the default",
    "made_live": "made live",
    "paused": "paused",
    "provision": "provisioned",
    "put_back_to_trial": "put back into trial",
    "redacted": "hid what callers fill in of",
    "removed": "removed",
    "resent": "sent again what failed of",
    "restored": "restored",
    "resumed": "resumed",
    "revoked": "revoked",
    "rotated": "replaced",
    "sent": "sent",
    "shortened": "shortened the time of",
    "tried": "sent a test event to",
    "withdrew": "withdrew",
}
# Whole sentences, about an account and whoever used it: {0} is who, {1} the account.
OF_ACCOUNTS = {
    "signed_in": "{0} signed in",
    "signed_out": "{0} signed out",
    "refused_sign_in": "{0} gave a wrong password or code for {1}",
    "locked_out": "{0} has to wait after ten wrong passwords or codes for {1}",
    "changed_password": "{0} changed their password",
    "enrolled_second_factor": "{0} set up a second factor",
    "replaced_second_factor": "{0} moved their second factor to another app",
    "made_recovery_codes": "{0} made new recovery codes",
    "ended_sessions": "{0} ended the sessions of {1}",
    "reset_second_factor": "{0} reset the second factor of {1}",
    "invited": "{0} made a link for {1} to choose a password",
    "chose_password": "{0} chose a password by a link",
}
# Whole sentences with numbers in them: {who}, {name}, and what the event holds.
OF_CLEAN_UP = {
    "ran": "{who} ran the clean-up “{rule}”: {removed} removed",
    "failed": "{who} ran the clean-up “{rule}”, which failed: {error}",
    "cleaned_up": "{who} removed {removed} records from the data set {name}, past what it keeps",
}
_UNKNOWN = "an account that does not exist"
_NAMES = ("name", "username", "sender", "email_address", "value", "url")  # what a row is called, first found
_FIELDS_NAMED = 3  # in one sentence

Names = dict[tuple[str, str], str]


def sentence(event: AuditEvent, names: Names | None = None) -> str:
    """Say who did what to which row, and why. names: what the rows are called today, see `names_of`."""
    told = _told(event, name_of(event, names or {}))
    return f"{told}: {event.reason}" if event.reason else told


def names_of(events: Iterable[AuditEvent]) -> Names:
    """Return what the rows of events that hold no name are called today, with one query a kind."""
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for event in events:
        if _kept_name(event) is None:
            wanted[event.object_kind].add(event.object_id)
    found: Names = {}
    for kind, ids in wanted.items():
        model = _model_of(kind)
        if model is not None:
            rows = model._base_manager.filter(pk__in=[one for one in ids if _fits(model, one)])
            found |= {(kind, str(row.pk)): str(row) for row in rows}
    return found


def name_of(event: AuditEvent, names: Names | None = None) -> str:
    """Return what the row was called then, else what it is called now, else the beginning of its id."""
    name = _kept_name(event) or (names or {}).get((event.object_kind, event.object_id))
    return f"“{name}”" if name else event.object_id[:8]


@lru_cache(maxsize=64)
def kind_of(object_kind: str) -> str:
    """Return the words for a model's name: `apikey` is an "API key"."""
    model = _model_of(object_kind)
    return str(model._meta.verbose_name if model else object_kind.replace("_", " "))


def in_words(verb: str) -> str:
    """Return a verb as a filter offers it."""
    if verb in OF_ACCOUNTS or verb in OF_CLEAN_UP:
        return verb.replace("_", " ")
    return VERBS.get(verb, verb.replace("_", " "))


def differences(event: AuditEvent) -> list[tuple[str, object, object]]:
    """Return the fields the event tells of: name in words, before, after."""
    before, after = event.before or {}, event.after or {}
    return [(name.replace("_", " "), before.get(name), after.get(name)) for name in {**before, **after}]


def _told(event: AuditEvent, name: str) -> str:
    who = event.actor_label or event.actor_kind
    if event.object_kind == "user" and event.verb in OF_ACCOUNTS:
        return OF_ACCOUNTS[event.verb].format(who, name or _UNKNOWN)
    if event.verb in OF_CLEAN_UP:
        held = {"rule": "?", "removed": 0, "error": "", **(event.after or {})}
        held |= {"who": who, "name": name, "removed": _value(held["removed"])}
        return OF_CLEAN_UP[event.verb].format(**held)
    row = f"the {kind_of(event.object_kind)} {name}"
    if event.verb == "changed":
        return f"{who} {_change(event, row)}"
    if event.verb == "emptied":
        return f"{who} emptied {row}: {_value((event.before or {}).get('records', 0))} records"
    return f"{who} {in_words(event.verb)} {row}"


def _change(event: AuditEvent, row: str) -> str:
    """Name what changed: a number with both values, else the fields."""
    before, after = event.before or {}, event.after or {}
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    changed = [name for name in changed if name not in _NAMES or (name in before and name in after)]
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
    values = {**(event.before or {}), **(event.after or {})}
    return next((str(values[field]) for field in _NAMES if values.get(field)), None)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _value(value: object) -> str:
    return cells.number(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


@lru_cache(maxsize=64)
def _model_of(object_kind: str) -> type[Model] | None:
    return next((model for model in apps.get_models() if model._meta.model_name == object_kind), None)
