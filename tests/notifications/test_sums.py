"""The figures equal the messages: moving, deleted, and not yet counted. Source: docs/reference/statistics.md §3."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from config.queue.presence import Presence
from notifications.jobs import counting, durations, sums
from notifications.models import Channel, CountedDay, HourlyCount, KeyType, Notification, Status, Template
from notifications.models.failure_reason import reason_of
from notifications.models.status import sources
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_template

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, 30, tzinfo=UTC)
TODAY = NOW.date()
WEEK_AGO = TODAY - timedelta(days=7)
BY = ("day", "channel", "template_id", "key_type", "status", "provider")


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def template() -> Template:
    return make_template(make_service(retention_days=3))


def run() -> None:
    """Count like the clock. The database has its own time, so the time of the run is set."""
    counting.count_recent()
    Presence.objects.filter(name=counting.RUNS).update(seen_at=datetime.now(UTC))


def numbers(*by: str, **only: Any) -> dict[Any, int]:
    found = sums.messages(by or ("status",), first=WEEK_AGO, **only)
    return {key if len(key) > 1 else key[0]: n for key, n in found.items()}


def deliver(template: Template, **fields: Any) -> Notification:
    return make_notification(template, **{"created_at": NOW, "status": Status.DELIVERED, "provider": "smtp", **fields})


def test_a_message_that_is_newer_than_the_last_run_is_counted_from_the_messages(
    template: Template, clock: time_machine.Traveller
) -> None:
    deliver(template)
    run()
    clock.shift(timedelta(seconds=30))

    deliver(template, created_at=NOW + timedelta(seconds=20))

    assert numbers() == {"delivered": 2}
    assert HourlyCount.objects.get().n == 1


def test_a_status_that_changes_in_a_counted_hour_shows_after_the_next_run(template: Template) -> None:
    message = deliver(template, created_at=NOW - timedelta(hours=2), status=Status.SENDING)
    run()
    Notification.objects.filter(pk=message.pk).update(status=Status.DELIVERED)
    before = numbers()

    run()

    assert (before, numbers()) == ({"sending": 1}, {"delivered": 1})


def test_while_the_clock_stands_still_the_messages_of_24_hours_are_counted_now(
    template: Template, clock: time_machine.Traveller
) -> None:
    deliver(template, created_at=NOW)
    run()
    for hours in (3, 10, 20):
        clock.move_to(NOW + timedelta(hours=hours))
        deliver(template, created_at=NOW + timedelta(hours=hours))

    assert numbers("day") == {TODAY: 3, TODAY + timedelta(days=1): 1}


def test_the_first_run_after_a_long_stop_counts_every_day(template: Template, clock: time_machine.Traveller) -> None:
    run()
    for days in range(1, 21):
        deliver(template, created_at=NOW + timedelta(days=days))
    clock.move_to(NOW + timedelta(days=20))

    run()

    assert sum(HourlyCount.objects.values_list("n", flat=True)) == 20


def test_the_last_messages_of_a_day_are_counted_when_it_is_over(
    template: Template, clock: time_machine.Traveller
) -> None:
    midnight = datetime(2026, 7, 21, tzinfo=UTC)
    clock.move_to(midnight - timedelta(seconds=30))
    run()
    deliver(template, created_at=midnight - timedelta(seconds=1))

    for minutes in (1, 12, 30):
        clock.move_to(midnight + timedelta(minutes=minutes))
        run()
        assert numbers("day") == {TODAY: 1}


def test_messages_of_test_numbers_that_no_daily_limit_counts_are_in_the_figures(template: Template) -> None:
    deliver(template, status=Status.PERMANENT_FAILURE)  # no counter of the day has it

    run()

    assert numbers() == {"permanent-failure": 1}


def test_messages_of_a_deleted_hour_are_counted_once_while_the_clock_stands_still(template: Template) -> None:
    deliver(template, created_at=NOW - timedelta(days=5))
    Presence.objects.create(name=counting.RUNS, holder="worker", seen_at=NOW - timedelta(days=6))

    clean_up("old-messages")

    assert not Notification.objects.exists()
    assert numbers() == {"delivered": 1}


def test_only_the_named_services_and_statuses_are_counted(template: Template) -> None:
    other = make_template(make_service())
    deliver(template, status=Status.TECHNICAL_FAILURE)
    deliver(template)
    deliver(other)
    for _ in range(2):
        assert numbers("channel", services=[template.service]) == ({} if not counting.last_run() else {"email": 2})
        assert numbers("channel", services=[]) == {}
        run()

    assert numbers("service_id", status=Status.DELIVERED) == {template.service_id: 1, other.service_id: 1}


@pytest.mark.parametrize("seconds", [-5, 0, 0.04, 0.06, 3.27, 9.94, 9.96, 57, 94.6, 95.4, 996, 12_345, 259_200])
def test_the_database_rounds_durations_like_the_program(template: Template, seconds: float) -> None:
    message = deliver(template, due_at=NOW, completed_at=NOW + timedelta(seconds=seconds))

    (found,) = Notification.objects.annotate(time=counting.TIME).values_list("time", flat=True)

    assert found == durations.of(message) == durations.rounded(timedelta(seconds=seconds))


def test_times_of_deliveries_are_the_same_counted_now_later_and_after_clean_up(
    template: Template, clock: time_machine.Traveller
) -> None:
    for seconds in range(1, 101):
        deliver(template, due_at=NOW, completed_at=NOW + timedelta(seconds=seconds))
    deliver(template, status=Status.PERMANENT_FAILURE)
    Presence.objects.create(name=counting.RUNS, holder="worker", seen_at=NOW)

    def within() -> tuple[float | None, float | None]:
        (times,) = sums.times(first=WEEK_AGO, services=[template.service]).values()
        assert times.total() == 100
        return durations.within(times, durations.MEDIAN), durations.within(times, durations.SLOW)

    at_once = within()
    run()
    clock.shift(timedelta(hours=2))
    run()
    counted = within()
    clock.shift(timedelta(days=6))
    clean_up("old-messages")
    run()

    assert not Notification.objects.exists()
    assert at_once == counted == within() == (50, 95)


@dataclass
class Known:
    """What the test knows of a message, also after its deletion."""

    message: Notification

    def key(self) -> tuple[Any, ...]:
        one = self.message
        columns = (one.channel, one.template_id, one.key_type, one.status, one.provider)
        return (one.created_at.date(), *columns)


@pytest.mark.parametrize("seed", range(6))
def test_figures_equal_the_messages_over_days_of_sends_receipts_and_clean_ups(
    seed: int, clock: time_machine.Traveller
) -> None:
    chance = random.Random(seed)  # noqa: S311  reproducible, not secure
    service = make_service(retention_days=3)
    templates = [make_template(service, channel) for channel in (Channel.SMS, Channel.EMAIL)]
    all_messages: list[Known] = []
    clean = Counter[str]()

    def send() -> None:
        for _ in range(chance.randint(1, 8)):
            at = datetime.now(UTC) - timedelta(seconds=chance.randint(0, 50))
            message = make_notification(
                chance.choice(templates),
                created_at=at,
                due_at=at,
                key_type=chance.choice([KeyType.LIVE, KeyType.LIVE, KeyType.TEAM, KeyType.TEST]),
                status=Status.CREATED,
                parts=chance.randint(1, 3),
                rate_multiplier=chance.choice([1, 4]),
            )
            all_messages.append(Known(message))

    def advance() -> None:
        for known in chance.sample(all_messages, min(len(all_messages), 10)):
            message, now = known.message, datetime.now(UTC)
            status = chance.choice(
                [Status.SENDING, Status.DELIVERED, Status.PERMANENT_FAILURE, Status.TECHNICAL_FAILURE]
            )
            if message.status in sources(status) and Notification.objects.filter(pk=message.pk).exists():
                message.status, message.sent_at, message.completed_at = status, message.sent_at or now, now
                message.provider = message.provider or chance.choice(["smtp-1", "smtp-2"])
                message.save()
                CountedDay.objects.touch(service.pk, message.created_at.date())  # as a receipt does

    def wait() -> None:
        clock.shift(timedelta(minutes=chance.choice([1, 50, 400, 1500])))

    def clean_old() -> None:
        clean["removed"] += clean_up("old-messages").removed

    steps: list[Callable[[], None]] = [send, send, advance, advance, wait, wait, wait, run, clean_old]
    for _ in range(120):
        chance.choice(steps)()
    run()

    counted = [known for known in all_messages if known.message.key_type != KeyType.TEST]
    first = NOW.date()
    assert sums.messages(BY, first=first) == Counter(known.key() for known in counted)
    units = Counter[tuple[Any, ...]]()
    for known in counted:
        if known.message.sent_at:
            units[known.key()] += known.message.parts * known.message.rate_multiplier
    assert sums.messages(BY, first=first, value="units") == units
    times = sums.times(first=first, services=[service])
    expected = Counter(durations.of(known.message) for known in counted)
    assert sum(times.values(), Counter()) == Counter({time: n for time, n in expected.items() if time is not None})
    reasons = Counter(
        (message.channel, reason.value, message.status)
        for message in (known.message for known in counted)
        if (reason := reason_of(message))
    )
    assert sums.reasons(first=first, services=[service]) == reasons
    assert clean["removed"]


def test_counts_are_deleted_after_two_years(template: Template) -> None:
    for days in (730, 731):
        deliver(template, created_at=NOW - timedelta(days=days))
        counting.count_day(template.service_id, TODAY - timedelta(days=days))

    clean_up("message-statistics")

    assert [row.day for row in HourlyCount.objects.all()] == [TODAY - timedelta(days=730)]
