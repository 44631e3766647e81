"""Apply the alarms of a data set in a `manage.py provision` document. Source: docs/reference/alarms.md §6."""

from functools import partial

from config import audit
from config.audit import changes
from config.management.declarations import Declaration, DeclaredRow, Texts, Value, one_of
from datasets import validation
from datasets.alarms import measures, number, people
from datasets.models import Alarm, AlarmCondition, AlarmMeasure, DataSet

_PEOPLE = {"email_addresses": "email", "phone_numbers": "sms"}


class AlarmDeclaration(Declaration):
    """An alarm, found by its name. saved_query: the name of a saved query of the data set, or null"""

    name = Value(str, validation.parse_alarm_name, required=True)
    measure = Value(str, one_of(AlarmMeasure.values))
    saved_query = Value(str, allow_null=True)
    share = Value(dict, validation.check_share, allow_null=True)
    condition = Value(str, one_of(AlarmCondition.values))
    limit = Value(float)
    grace_minutes = Value(int, validation.check_grace)
    interval_minutes = Value(int, validation.check_interval)
    quiet_from = Value(str, validation.parse_time, allow_null=True)
    quiet_until = Value(str, validation.parse_time, allow_null=True)
    email_addresses = Texts(rule=partial(people.parse, "email"))
    phone_numbers = Texts(rule=partial(people.parse, "sms"))
    message = Value(str, validation.check_alarm_message)


def check(declared: list[DeclaredRow]) -> None:
    """Record the errors that concern several values: duplicate names, missing rules, and half of the quiet hours."""
    names = [entry.values["name"] for entry in declared]
    for entry in declared:
        if names.count(entry.values["name"]) > 1:
            entry.refuse("name", "is given twice")
        if (entry.values.get("quiet_from") is None) != (entry.values.get("quiet_until") is None):
            entry.refuse("quiet_until", "give both quiet_from and quiet_until, or neither")


def apply(data_set: DataSet, declared: list[DeclaredRow]) -> None:
    for entry in declared:
        _apply_one(data_set, entry)


def _apply_one(data_set: DataSet, entry: DeclaredRow) -> None:
    alarm = Alarm.objects.filter(data_set=data_set, name=entry.values["name"]).first()
    is_new = alarm is None
    if alarm is None:
        entry.require("measure", "condition", "limit")
        if not {"measure", "condition", "limit"} <= entry.values.keys():
            return
        entry.check("name", number.check, data_set)
        alarm = Alarm(data_set=data_set, name=entry.values["name"])
    stored = changes.snapshot(alarm)
    values = dict(entry.values)
    if values.get("saved_query") is not None:
        values["saved_query"] = data_set.saved_queries.filter(name=values["saved_query"]).first()
        if values["saved_query"] is None:
            entry.refuse("saved_query", "is not a saved query of this data set")
            return
    values |= {name: people.parse(channel, values[name]) for name, channel in _PEOPLE.items() if name in values}
    changed = [name for name, value in values.items() if getattr(alarm, name) != value]
    for name in changed:
        setattr(alarm, name, values[name])
    if not _is_rule(entry, alarm):
        return
    before, after = changes.difference(stored, changes.snapshot(alarm))
    if is_new:
        alarm.save()
        audit.record(audit.operator(), "created", alarm, after=changes.snapshot(alarm))
    elif changed:
        alarm.save(update_fields=changed)
        audit.record(audit.operator(), "changed", alarm, before=before, after=after)
    entry.completed |= {"id": alarm.pk}


def _is_rule(entry: DeclaredRow, alarm: Alarm) -> bool:
    """Return whether the values of a rule belong together, and record the errors."""
    known = len(entry.errors.lines)
    entry.check("measure", measures.check_expected, alarm.measure, alarm.data_set)
    entry.check("limit", measures.check_limit, alarm.condition, alarm.limit)
    entry.check("quiet_until", validation.check_quiet_hours, alarm.quiet_from, alarm.quiet_until)
    entry.check("saved_query", measures.check_query, alarm.measure, alarm.saved_query, alarm.data_set)
    if (alarm.measure == AlarmMeasure.SHARE) != (alarm.share is not None):
        entry.refuse("share", "give it for the measure share, and for no other measure")
    return len(entry.errors.lines) == known
