"""The alarm on the failed messages of a service, which its page offers. Source: docs/reference/alarms.md §5."""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from config import audit
from config.audit import changes
from config.data_sets import FailureAlarm, FailureAlarms
from config.invalid import InvalidValue
from datasets import store
from datasets.admin import access
from datasets.alarms import people
from datasets.models import Alarm, AlarmCondition, AlarmMeasure

PERCENT = 5
_FAILED = ("temporary-failure", "permanent-failure", "technical-failure")
_OTHERS = ("created", "sending", "sent", "pending", "delivered")  # cancelled messages do not count
_FEWEST = 20  # messages in the hour; of fewer, one failure is no sign
_NAME_CHARACTERS = 80


def _find(request: HttpRequest, service_id: UUID) -> FailureAlarm | None:
    alarm = _of(service_id)
    if alarm is None:
        return None
    may_open = access.alarms_of(request).filter(pk=alarm.pk).exists()
    return FailureAlarm(
        percent=alarm.limit,
        people=len(people.of(alarm)),
        is_raised=alarm.is_raised,
        url=reverse("admin:datasets_alarm_change", args=[alarm.pk]) if may_open else "",
    )


@transaction.atomic
def _notify(request: HttpRequest, service_id: UUID, name: str, email_address: str) -> None:
    data_set = store.statistics.data_set_of("messages")
    if data_set is None:
        raise InvalidValue("People use the data set signalbox/messages, so Signalbox has no statistics to watch.")
    list(type(data_set).objects.select_for_update().filter(pk=data_set.pk).values_list("pk"))  # one alarm a service
    alarm = _of(service_id)
    if alarm is not None:
        before = alarm.email_addresses
        alarm.email_addresses = people.parse("email", [*before, email_address])
        alarm.save(update_fields=["email_addresses"])
        after = {"email_addresses": len(alarm.email_addresses)}
        audit.record(audit.person(request), "changed", alarm, before={"email_addresses": len(before)}, after=after)
        return
    title = f"Failures of {name[:_NAME_CHARACTERS]}"
    if Alarm.objects.filter(data_set=data_set, name=title).exists():
        title = f"{title} ({str(service_id)[:8]})"
    alarm = Alarm.objects.create(
        data_set=data_set,
        name=title,
        measure=AlarmMeasure.SHARE,
        condition=AlarmCondition.ABOVE,
        limit=PERCENT,
        share={
            "value": "count",
            "part": {"status": list(_FAILED)},
            "whole": {"service_id": [str(service_id)], "status": [*_FAILED, *_OTHERS]},
            "hours": 1,
            "at_least": _FEWEST,
        },
        email_addresses=people.parse("email", [email_address]),
        created_by=access.author(request),
    )
    audit.record(audit.person(request), "created", alarm, after=changes.snapshot(alarm))


def _of(service_id: UUID) -> Alarm | None:
    return Alarm.objects.on_services([str(service_id)]).first()


FAILURE_ALARMS = FailureAlarms(percent=PERCENT, find=_find, notify=_notify)
