"""Alarms are raised and ended once, and people get one message of each. Source: docs/reference/alarms.md."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, connections
from django.db.models.functions import Now
from django.dispatch import receiver

from config import audit
from config.audit.models import AuditEvent
from config.data_sets import DataSetChange, data_set_changed
from datasets import store
from datasets.alarms import measures, notifying, watching
from datasets.models import Alarm, AlarmMessage, DataSet
from notifications.models import Channel, SandboxMessage
from tests.datasets.making import make_data_set, put_in, some_records
from tests.servers import free_port

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def data_set() -> DataSet:
    return make_data_set()


@pytest.fixture
def changes() -> Iterator[list[DataSetChange]]:
    found: list[DataSetChange] = []

    @receiver(data_set_changed)
    def keep(change: DataSetChange, **kwargs: Any) -> None:
        found.append(change)

    yield found
    data_set_changed.disconnect(keep)


def make_alarm(data_set: DataSet, **fields: Any) -> Alarm:
    values = {
        "name": "Late", "measure": "minutes", "condition": "above", "limit": 30, "email_addresses": ["ana@example.org"],
        "interval_minutes": 60,
    }  # fmt: skip
    return Alarm.objects.create(data_set=data_set, **{**values, **fields})


def write(data_set: DataSet) -> None:
    put_in(data_set, some_records(1))


def subjects() -> list[str]:
    return list(AlarmMessage.objects.order_by("created_at", "subject").values_list("subject", flat=True))


def test_an_alarm_is_raised_once_and_ends_once(
    data_set: DataSet, clock: time_machine.Traveller, changes: list[DataSetChange]
) -> None:
    alarm = make_alarm(data_set)
    write(data_set)
    for _ in range(90):
        clock.shift(MINUTE)
        watching.check_alarms()
    write(data_set)
    for _ in range(5):
        watching.check_alarms()
        clock.shift(MINUTE)

    assert [(change.event, change.path, change.details["alarm"]) for change in changes] == [
        ("alarm.raised", "pay/volumes", "Late"),
        ("alarm.ended", "pay/volumes", "Late"),
    ]
    assert changes[0].at == NOW + 31 * MINUTE
    assert sorted(subjects()) == ["Alarm: Late", "Ended: Late"]
    assert sorted(AuditEvent.objects.values_list("verb", flat=True)) == ["ended_alarm", "raised_alarm"]
    alarm.refresh_from_db()
    assert (alarm.raised_at, alarm.notified_at, alarm.value) == (None, None, 4)


def test_the_grace_period_waits_for_a_condition_that_lasts(
    data_set: DataSet, clock: time_machine.Traveller, changes: list[DataSetChange]
) -> None:
    make_alarm(data_set, grace_minutes=10)
    write(data_set)
    clock.shift(35 * MINUTE)
    watching.check_alarms()
    write(data_set)
    watching.check_alarms()
    assert changes == []

    for _ in range(45):
        clock.shift(MINUTE)
        watching.check_alarms()

    assert [change.at for change in changes] == [NOW + (35 + 31 + 10) * MINUTE]


def test_people_are_not_told_more_often_than_the_interval(data_set: DataSet, clock: time_machine.Traveller) -> None:
    make_alarm(data_set, limit=5, interval_minutes=120)
    write(data_set)
    for minute in range(1, 241):
        clock.shift(MINUTE)
        if minute % 10 == 0:  # raised and ended every ten minutes
            write(data_set)
        watching.check_alarms()

    raised = subjects().count("Alarm: Late")
    assert (raised, subjects().count("Ended: Late")) == (2, 2)


def test_messages_wait_in_the_quiet_hours_and_are_left_out_if_the_alarm_ends_in_them(
    data_set: DataSet, clock: time_machine.Traveller
) -> None:
    make_alarm(data_set, quiet_from=time(12, 0), quiet_until=time(15, 0))  # 11:00 to 14:00 UTC
    write(data_set)
    clock.move_to(NOW + HOUR)
    watching.check_alarms()
    write(data_set)
    watching.check_alarms()
    clock.move_to(NOW + 2 * HOUR - MINUTE)
    watching.check_alarms()
    assert subjects() == []

    clock.move_to(NOW + 2 * HOUR)
    watching.check_alarms()

    assert subjects() == ["Alarm: Late"]


def test_a_muted_alarm_is_raised_and_sends_no_message_until_then(
    data_set: DataSet, clock: time_machine.Traveller, changes: list[DataSetChange]
) -> None:
    make_alarm(data_set, muted_until=NOW + 3 * HOUR)
    write(data_set)
    clock.move_to(NOW + HOUR)
    watching.check_alarms()
    assert (len(changes), subjects()) == (1, [])

    clock.move_to(NOW + 3 * HOUR)
    watching.check_alarms()

    assert (len(changes), subjects()) == (1, ["Alarm: Late"])


def test_a_message_that_waits_for_a_provider_is_not_sent_to_a_muted_person(data_set: DataSet) -> None:
    alarm = make_alarm(data_set)
    for number in range(2):
        AlarmMessage.objects.create(alarm=alarm, channel="email", recipient="ana@example.org", subject=f"A{number}")
    Alarm.objects.update(muted_until=NOW + HOUR)
    assert notifying.send_due() == 0
    assert AlarmMessage.objects.count() == 2

    Alarm.objects.update(muted_until=None)
    AlarmMessage.objects.update(send_at=Now())

    assert notifying.send_due() == 2


def check_in_a_killed_process() -> None:
    """Let another process check the alarms, and kill it with SIGKILL in the transaction that raises or ends one."""
    connections.close_all()
    pid = os.fork()
    if pid == 0:
        data_set_changed.connect(lambda **kwargs: os.kill(os.getpid(), signal.SIGKILL), weak=False)
        with contextlib.suppress(BaseException):
            watching.check_alarms()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


@pytest.mark.fault("A1")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "starts_at", [pytest.param("2026-03-28T12:00:00+00:00", marks=pytest.mark.one_store), "2026-10-24T12:00:00+00:00"]
)
def test_48_hours_with_a_change_of_the_clocks_killed_checks_and_a_provider_that_is_down(
    clock: time_machine.Traveller, changes: list[DataSetChange], smtp_sink: Any, settings: Any, starts_at: str
) -> None:
    """Writes stop for three hours, each of these around the change of the clocks, and at noon of the second day.

    Each alarm is raised and ended first by a process that is killed before its commit.
    """
    data_set, start = make_data_set(), datetime.fromisoformat(starts_at)
    gaps = [(12 * HOUR, 15 * HOUR), (24 * HOUR, 27 * HOUR), (34 * HOUR, 37 * HOUR)]
    late = 25 * MINUTE  # the last write was ten minutes before the gap, and a check takes place every five minutes
    moves = [12 * HOUR + late, 15 * HOUR, 24 * HOUR + late, 27 * HOUR, 36 * HOUR, 37 * HOUR]
    stopped = (30 * HOUR, 36 * HOUR)  # the clock is killed before the last gap and starts in it
    nowhere, down = f"smtp://127.0.0.1:{free_port()}", (24 * HOUR, 25 * HOUR + 30 * MINUTE)
    make_alarm(data_set, quiet_from=time(22, 0), quiet_until=time(7, 0))
    received: list[tuple[timedelta, str]] = []
    for minute in range(0, 48 * 60, 5):
        passed = minute * MINUTE
        clock.move_to(start + passed)
        if minute % 10 == 0 and not any(begin <= passed < end for begin, end in gaps):
            write(data_set)
        if stopped[0] <= passed < stopped[1]:
            continue
        if passed in moves:
            check_in_a_killed_process()
        watching.check_alarms()
        AlarmMessage.objects.update(send_at=NOW - timedelta(days=900))  # tried again, by the clock of the database
        settings.PROVIDERS = [f"mail={nowhere if down[0] <= passed < down[1] else smtp_sink.url}"]
        notifying.send_due()
        received += [(passed, str(message["Subject"])) for message in smtp_sink.messages]
        smtp_sink.messages.clear()

    assert [(change.event == "alarm.raised", change.at - start) for change in changes] == [
        (place % 2 == 0, at) for place, at in enumerate(moves)
    ]
    verbs = list(AuditEvent.objects.order_by("at").values_list("verb", flat=True))
    assert verbs == ["raised_alarm", "ended_alarm"] * 3
    # The first gap is in the quiet hours, so there is no message. So is the last one.
    assert received == [(down[1], "Alarm: Late"), (27 * HOUR, "Ended: Late")]
    assert not AlarmMessage.objects.exists()


def test_a_check_that_dies_before_its_commit_is_repeated(
    data_set: DataSet, clock: time_machine.Traveller, changes: list[DataSetChange]
) -> None:
    alarm = make_alarm(data_set)
    write(data_set)
    clock.shift(HOUR)

    @receiver(data_set_changed)
    def die(**kwargs: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watching.check_alarms()
    data_set_changed.disconnect(die)
    alarm.refresh_from_db()
    assert (alarm.raised_at, subjects()) == (None, [])

    watching.check_alarms()

    assert subjects() == ["Alarm: Late"]


@pytest.mark.django_db(transaction=True)
def test_two_clocks_raise_an_alarm_once(changes: list[DataSetChange]) -> None:
    data_set = make_data_set()
    make_alarm(data_set)
    DataSet.objects.update(last_write_at=NOW - HOUR)

    def run() -> None:
        try:
            watching.check_alarms()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(changes), subjects()) == (1, ["Alarm: Late"])


def test_an_empty_data_set_raises_the_alarm_on_its_number_of_records(data_set: DataSet) -> None:
    alarm = make_alarm(data_set, measure="records", condition="below", limit=1)
    watching.check_alarms()
    assert subjects() == []  # it has never had records

    write(data_set)
    store.empty(data_set, by=audit.CLOCK)
    watching.check_alarms()
    alarm.refresh_from_db()
    assert (alarm.is_raised, alarm.value) == (True, 0)

    write(data_set)
    watching.check_alarms()
    assert sorted(subjects()) == ["Alarm: Late", "Ended: Late"]


def share(**changes: Any) -> dict[str, Any]:
    rule = {
        "value": "count",
        "part": {"status": ["failed"]},
        "whole": {"service": ["Tides"]},
        "hours": 2,
        "at_least": 20,
    }
    return {**rule, **changes}


def test_a_share_reads_the_records_of_its_hours(data_set: DataSet) -> None:
    def record(number: int, hour: int, status: str, count: object, service: str = "Tides") -> dict[str, Any]:
        at = f"2026-07-20T{hour:02}:00:00Z"
        return {"_id": f"r{number}", "_timestamp": at, "status": status, "count": count, "service": service}

    put_in(
        data_set,
        [
            record(1, 12, "failed", 5), record(2, 11, "delivered", 15), record(3, 10, "failed", 100),
            record(4, 12, "failed", 100, service="Locks"), record(5, 12, "failed", "100"),
            record(6, 12, "failed", 10**400),
        ],
    )  # fmt: skip
    alarm = make_alarm(data_set, measure="share", limit=5, share=share())

    assert measures.value_of(alarm, NOW) == 25
    alarm.share = share(at_least=21)
    assert measures.value_of(alarm, NOW) is None


def test_messages_are_sent_once_by_email_and_text_and_their_text_can_be_changed(
    data_set: DataSet, clock: time_machine.Traveller
) -> None:
    make_alarm(
        data_set, phone_numbers=["447700900123"], message="((data set)) is late: ((value)) > ((limit)). ((nothing))"
    )
    write(data_set)
    clock.shift(31 * MINUTE)
    watching.check_alarms()
    AlarmMessage.objects.update(send_at=NOW - timedelta(days=900))  # due by the clock of the database

    assert (notifying.send_due(), notifying.send_due()) == (2, 0)

    found = {one.channel: one for one in SandboxMessage.objects.all()}
    assert found[Channel.EMAIL].content.to == "ana@example.org"
    assert len(found[Channel.SMS].content.text) <= 459
    assert found[Channel.EMAIL].content.subject == "Alarm: Late"
    assert "pay/volumes is late: 31 > 30. ((nothing))" in found[Channel.SMS].content.text
