"""Apply the alarms of a data set in a `manage.py provision` document. Source: docs/reference/alarms.md §6."""

from functools import partial

from config import audit
from config.audit import changes
from config.management.declarations import Declaration, DeclaredRow, Texts, Value
from datasets import validation
from datasets.alarms import number, people
from datasets.models import Alarm, AlarmCondition, AlarmMeasure, DataSet

_PEOPLE = {"email_addresses": "email", "phone_numbers": "sms"}


class AlarmDeclaration(Declaration):
    """An alarm, found by its name. An alarm on a share is made in the console only."""

    name = Value(str, validation.parse_alarm_name, required=True)
    measure = Value(str, partial(validation.parse_one_of, (AlarmMeasure.MINUTES.value, AlarmMeasure.RECORDS.value)))
    condition = Value(str, partial(validation.parse_one_of, tuple(AlarmCondition.values)))
    limit = Value(int)
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
    elif alarm.measure == AlarmMeasure.SHARE and "measure" in entry.values:
        entry.refuse("measure", "this alarm is on a share, which the console changes")
        return
    stored = changes.snapshot(alarm)
    values = {
        name: people.parse(_PEOPLE[name], value) if name in _PEOPLE else value for name, value in entry.values.items()
    }
    changed = [name for name, value in values.items() if getattr(alarm, name) != value]
    for name in changed:
        setattr(alarm, name, values[name])
    before, after = changes.difference(stored, changes.snapshot(alarm))
    if is_new:
        alarm.save()
        audit.record(audit.operator(), "created", alarm, after=changes.snapshot(alarm))
    elif changed:
        alarm.save(update_fields=changed)
        audit.record(audit.operator(), "changed", alarm, before=before, after=after)
    entry.completed |= {"id": alarm.pk}
