"""A drain: batches grow with the rate and shrink with a slow provider, until nothing is due or the time is up."""

import socket
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection

from notifications import tasks
from notifications.delivery.claiming import Claim
from notifications.delivery.drain import LARGEST_BATCH, Drain
from notifications.delivery.outbox import SLOW_SEND_SECONDS, Outbox
from notifications.models import Channel, Notification, SandboxMessage, Status
from tests.factories import make_notification, make_service, make_template
from tests.notifications.delivery.gateways import GOOD, ScriptedGateway
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain

BULK, OTHER = uuid4(), uuid4()


class Rows:
    """A queue of numbers in memory. Each takes some seconds of a clock that only work moves."""

    def __init__(self, count: int, seconds: float) -> None:
        self.waiting = list(range(count))
        self.seconds, self.now = seconds, 0.0
        self.delay: timedelta | None = None
        self.batches: list[int] = []
        self.done: list[int] = []
        self.recorded = 0
        self.served: list[list[UUID]] = []

    def claim(self, size: int, served: Sequence[UUID]) -> list[int]:
        batch, self.waiting = self.waiting[:size], self.waiting[size:]
        self.batches.append(len(batch))
        self.served.append(list(served))
        return batch

    def owner_of(self, item: int) -> UUID:
        return OTHER if item % 3 == 2 else BULK

    def work(self, item: int) -> timedelta | None:
        self.now += self.seconds
        self.done.append(item)
        return self.delay

    def record(self) -> None:
        self.recorded = len(self.done)

    def put_back(self, items: Sequence[int]) -> None:
        self.waiting = [*items, *self.waiting]


def drain_of(rows: Rows, **options: Any) -> Drain[int]:
    return Drain(rows, clock=lambda: rows.now, **options)


def test_a_drain_ends_when_nothing_is_due():
    rows = Rows(5, seconds=0.01)

    drained = drain_of(rows).run()

    assert (drained.is_more_left, rows.done, rows.recorded) == (False, [0, 1, 2, 3, 4], 5)


def test_the_first_batch_has_one_item_and_the_next_ones_a_second_of_work():
    rows = Rows(100, seconds=0.25)

    drain_of(rows, seconds=10).run()

    assert rows.batches[:4] == [1, 4, 4, 4]


def test_no_batch_is_larger_than_ten():
    rows = Rows(100, seconds=0.001)

    drain_of(rows).run()

    assert rows.batches[:3] == [1, LARGEST_BATCH, LARGEST_BATCH]


def test_a_rate_is_remembered_until_the_next_drain():
    rows = Rows(5, seconds=0.01)
    it = drain_of(rows)
    it.run()
    rows.waiting = list(range(50))
    rows.batches.clear()

    it.run()

    assert rows.batches[0] == LARGEST_BATCH


def test_after_its_time_a_drain_puts_the_rest_back():
    rows = Rows(40, seconds=0.01)
    it = drain_of(rows)
    it.run()
    rows.waiting, rows.seconds = list(range(40, 80)), 5.0

    drained = it.run()

    assert drained.is_more_left
    assert rows.done[-1] == 40  # only one slow item was started
    assert rows.waiting == list(range(41, 80))
    assert rows.recorded == len(rows.done)


def test_a_slow_provider_gets_one_at_a_time():
    rows = Rows(30, seconds=0.01)
    it = drain_of(rows)
    it.run()
    rows.waiting, rows.seconds = list(range(30)), 5.0
    it.run()
    rows.batches.clear()

    it.run()

    assert rows.batches == [1]


def test_services_that_were_served_longest_ago_come_first():
    rows = Rows(4, seconds=1.0)

    drain_of(rows, seconds=10).run()

    assert rows.served == [[], [BULK], [BULK], [BULK, OTHER], [OTHER, BULK]]


def test_the_next_due_times_are_returned_in_whole_seconds_without_duplicates():
    rows = Rows(6, seconds=0.01)
    rows.delay = timedelta(seconds=4.2)

    assert drain_of(rows).run().retries == {5}


def test_items_that_are_due_at_once_need_no_wake_up():
    rows = Rows(6, seconds=0.01)
    rows.delay = timedelta(0)

    assert drain_of(rows).run().retries == set()


def test_an_error_records_finished_items_and_puts_back_the_others():
    rows = Rows(20, seconds=0.01)
    it = drain_of(rows)
    it.run()
    rows.waiting, rows.delay = list(range(20)), None

    def fail(item: int) -> None:
        if item == 3:
            raise OperationalError("the database is away")
        rows.done.append(item)

    rows.work = fail
    with pytest.raises(OperationalError):
        it.run()

    assert rows.recorded == len(rows.done)
    assert rows.waiting == list(range(4, 20))  # the third may have been sent, so its claim must expire


def test_a_slow_item_puts_the_rest_back_and_wakes_another_worker():
    rows, woken = Rows(5, seconds=0.01), threading.Event()
    it = drain_of(rows, slow_seconds=0.05, wake=woken.set)
    it.run()
    rows.waiting = [10, 11, 12]
    meanwhile: list[tuple[list[int], int]] = []

    def be_slow(item: int) -> None:
        rows.done.append(item)
        if item == 11:
            assert woken.wait(60)
            meanwhile.append((list(rows.waiting), rows.recorded))
            rows.now += 60

    rows.work = be_slow
    it.run()

    assert meanwhile == [([12], 7)]  # 12 waits for any worker, and 10 is recorded
    assert rows.done[-2:] == [10, 11]


@pytest.mark.django_db(transaction=True)
def test_another_worker_sends_messages_behind_a_slow_one():
    begun: list[UUID] = []
    woken = threading.Event()
    sent_meanwhile: list[str] = []

    class Slow(Outbox):
        """Send its third message only when another worker has sent the messages behind it."""

        def work(self, item: Claim) -> timedelta | None:
            begun.append(item.notification.id)
            if len(begun) == 3:
                assert woken.wait(60)
                drain(Channel.EMAIL)
                sent_meanwhile.extend(Notification.objects.values_list("status", flat=True))
            return super().work(item)

    it = Drain(Slow(Channel.EMAIL), slow_seconds=0.2, wake=woken.set, clock=lambda: 0.0)  # a clock that stands still
    make_notification()
    it.run()  # so fast that the next batch is large
    for _ in range(4):
        make_notification()
    it.run()

    assert len(begun) == 3
    assert sorted(sent_meanwhile) == [Status.CREATED] + [Status.DELIVERED] * 4
    assert SandboxMessage.objects.count() == 5
    assert SandboxMessage.objects.values("notification_id").distinct().count() == 5


@pytest.mark.django_db
def test_a_drain_sends_all_messages_of_its_channel_only():
    email, text = make_template(), make_template(channel=Channel.SMS)
    for _ in range(45):
        make_notification(email)
    make_notification(text)

    drained = drain(Channel.EMAIL, seconds=600)

    assert not drained.is_more_left
    assert Notification.objects.filter(status=Status.DELIVERED, attempt=1, claimed_until=None).count() == 45
    assert Notification.objects.get(channel=Channel.SMS).status == Status.CREATED


@pytest.mark.django_db
def test_a_batch_shares_its_statements(django_assert_max_num_queries, settings):
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]
        template = make_template(make_service())
        for _ in range(41):
            make_notification(template)

        with django_assert_max_num_queries(25):  # two for each of three batches, and reads of the circuit breakers
            Drain(Outbox(Channel.EMAIL, slow_send_seconds=60), seconds=600, slow_seconds=600).run()

    assert Notification.objects.filter(status=Status.DELIVERED).count() == 41


@pytest.mark.django_db
def test_an_acceptance_of_a_slow_provider_is_recorded_before_the_next_send(settings):
    with ScriptedGateway([late_answer]) as gateway:
        settings.PROVIDERS = [f"gateway={gateway.url}"]
        template = make_template(channel=Channel.SMS)
        messages = [make_notification(template) for _ in range(3)]
        outbox = Outbox(Channel.SMS)

        for claim in outbox.claim(3, []):
            outbox.work(claim)
            claim.notification.refresh_from_db()
            assert claim.notification.status != Status.CREATED

    assert len(gateway.requests) == len(messages)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("failures", [1, 2])
def test_an_acceptance_that_could_not_be_recorded_is_recorded_again_and_nothing_is_sent_twice(settings, failures):
    """Run outside a transaction like a worker, so that the connection can be opened again."""
    messages = [make_notification() for _ in range(3)]
    failing = FailingRecords(failures)
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail={server.url}"]

        with connection.execute_wrapper(failing):
            drain(Channel.EMAIL, seconds=600)

        assert (failing.left, len(server.contents)) == (0, len(messages))
    for message in messages:
        message.refresh_from_db()
        assert (message.status, [one["outcome"] for one in message.attempts]) == (Status.DELIVERED, ["accepted"])


def late_answer(peer: socket.socket) -> None:
    time.sleep(SLOW_SEND_SECONDS * 2)
    peer.sendall(GOOD.replace("\r\n", "\r\nConnection: close\r\n", 1).encode())  # and closes the connection


class FailingRecords:
    """Make the next UPDATEs that record acceptances fail."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, execute, sql, params, many, context):
        if self.left and "sent_at = given" in sql:
            self.left -= 1
            raise OperationalError("no more connections")
        return execute(sql, params, many, context)


@pytest.mark.django_db
def test_a_wake_up_of_the_previous_version_that_names_a_message_drains_the_channel_of_its_queue():
    messages = [make_notification(), make_notification()]

    tasks.deliver.apply(("not even an id",), routing_key="send-email")

    assert Notification.objects.filter(status=Status.DELIVERED).count() == len(messages)
