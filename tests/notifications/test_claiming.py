"""Claims of a batch: one statement, a fair share for each service, and no message for two workers."""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from notifications.delivery.claiming import Claim, RecordedMessage, Sent, claim_due, put_back, record_sent
from notifications.models import CallbackDelivery, Channel, Lane, Notification, Status
from tests.factories import (
    make_callback,
    make_notification,
    make_reply_to,
    make_service,
    make_sms_sender,
    make_template,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
ATTEMPT = {"at": None, "provider": "mail", "outcome": "accepted", "reply": "250 fine", "ms": 1}


def backlog(count: int, service=None, **fields) -> list[Notification]:
    """Return due messages of one service, the oldest first."""
    template = make_template(service or make_service())
    began = timezone.now() - timedelta(hours=1)
    times = [began + timedelta(seconds=number) for number in range(count)]
    return [make_notification(template, **{"next_attempt_at": at, "created_at": at, **fields}) for at in times]


def services_of(claims: list[Claim]) -> list[object]:
    return [claim.notification.service_id for claim in claims]


def ids_of(claims: list[Claim]) -> list[object]:
    return [claim.notification.id for claim in claims]


def test_a_claim_has_the_data_for_sending():
    service = make_service(name="Parks")
    template = make_template(service, Channel.SMS)
    message = make_notification(template, body="Hi Ana", sms_sender=make_sms_sender(service, "PARKS"))
    email = make_notification(make_template(service), reply_to=make_reply_to(service, "office@parks.example.org"))

    [claim] = claim_due(Channel.SMS, 20)
    [other] = claim_due(Channel.EMAIL, 20)

    assert (claim.notification.id, claim.notification.body, claim.sender) == (message.id, "Hi Ana", "PARKS")
    assert (claim.service_name, claim.service_is_active, claim.reply_to_address) == ("Parks", True, None)
    assert (other.notification.id, other.reply_to_address) == (email.id, "office@parks.example.org")


def test_a_claim_is_committed_and_exclusive(settings):
    message = make_notification()

    assert ids_of(claim_due(Channel.EMAIL, 20)) == [message.id]
    assert claim_due(Channel.EMAIL, 20) == []

    message.refresh_from_db()
    lease = message.claimed_until - timezone.now()
    assert timedelta(0) < lease <= timedelta(seconds=settings.DELIVERY_CLAIM_SECONDS + 1)
    assert message.attempt == 1


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"next_attempt_at": timezone.now() + DAY}, id="its time has not come"),
        pytest.param({"claimed_until": timezone.now() + DAY}, id="a worker has claimed it"),
        pytest.param({"status": Status.SENDING}, id="a provider has it"),
        pytest.param({"status": Status.DELIVERED}, id="it has arrived"),
    ],
)
def test_a_message_is_not_claimed_when(fields):
    make_notification(**fields)

    assert claim_due(Channel.EMAIL, 20) == []
    assert not Notification.objects.due().exists()


def test_an_expired_claim_makes_the_message_due_again():
    message = make_notification(claimed_until=timezone.now() - timedelta(seconds=1), attempt=1)

    [claim] = claim_due(Channel.EMAIL, 20)

    assert (claim.notification.id, claim.notification.attempt) == (message.id, 2)


@pytest.mark.fault("B10")
def test_a_message_of_another_service_is_in_the_first_batch():
    backlog(100)
    one = make_notification()

    claims = claim_due(Channel.EMAIL, 10)

    assert len(claims) > 5  # at least the equal share of the other service
    assert one.id in ids_of(claims[:2])


def test_services_share_a_batch_with_their_oldest_messages_first():
    queues = [backlog(9) for _ in range(3)]

    claims = claim_due(Channel.EMAIL, 6)

    assert sorted(Counter(services_of(claims)).values()) == [2, 2, 2]
    assert len(set(services_of(claims[:3]))) == 3  # one of each service before a second one of any
    assert set(ids_of(claims)) == {message.id for queue in queues for message in queue[:2]}


def test_the_service_that_was_served_longest_ago_comes_first():
    services = [queue[0].service_id for queue in (backlog(5) for _ in range(4))]
    recent, before, first, newcomer = services

    one = services_of(claim_due(Channel.EMAIL, 1, [first, before, recent]))
    all_of_them = services_of(claim_due(Channel.EMAIL, 4, [first, before, recent]))

    assert one == [newcomer]
    assert all_of_them == [newcomer, first, before, recent]


def test_batches_of_one_serve_the_services_in_turn():
    for _ in range(3):
        backlog(4)
    served: list[object] = []

    for _ in range(6):
        [claim] = claim_due(Channel.EMAIL, 1, served)
        owner = claim.notification.service_id
        served = [one for one in served if one != owner] + [owner]

    assert sorted(Counter(Notification.objects.filter(attempt=1).values_list("service", flat=True)).values()) == [2] * 3


def test_an_empty_claim_needs_one_query(django_assert_num_queries):
    make_notification(next_attempt_at=timezone.now() + DAY)
    claim_due(Channel.EMAIL, 1)

    with django_assert_num_queries(1):
        assert claim_due(Channel.EMAIL, 20) == []


def test_a_batch_is_recorded_by_one_statement(django_assert_num_queries):
    backlog(5)
    claims = claim_due(Channel.EMAIL, 5)
    batch = [sent(claim, Status.SENDING if number else Status.DELIVERED) for number, claim in enumerate(claims)]

    with django_assert_num_queries(1):
        assert record_sent(batch) == [True] * 5

    first, second = (Notification.objects.get(id=claim.notification.id) for claim in claims[:2])
    assert (first.status, first.provider, first.provider_reference) == (Status.DELIVERED, "mail", "<1@mail>")
    assert (first.completed_at, second.completed_at) == (batch[0].sent.at, None)
    assert (second.status, second.sent_at, second.is_acceptance_final) == (Status.SENDING, batch[1].sent.at, False)
    assert (second.claimed_until, second.attempts) == (None, [ATTEMPT])


def test_only_messages_that_are_still_claimed_are_recorded():
    endpoint = make_callback()
    backlog(1, endpoint.service)
    for _ in range(2):
        backlog(1)
    claims = claim_due(Channel.EMAIL, 3)
    late = claims[0].notification
    Notification.objects.filter(id=late.id).update(attempt=2)

    assert record_sent([sent(claim, Status.DELIVERED) for claim in claims]) == [False, True, True]

    owed = CallbackDelivery.objects.values_list("notification", "status")
    with_callback = [c.notification.id for c in claims[1:] if c.notification.service_id == endpoint.service_id]
    assert list(owed) == [(identifier, Status.DELIVERED) for identifier in with_callback]
    late.refresh_from_db()
    assert late.status == Status.CREATED


def test_a_message_that_is_put_back_waits_as_before():
    backlog(3)
    before = list(Notification.objects.order_by("id").values())
    claims = claim_due(Channel.EMAIL, 3)
    Notification.objects.filter(id=claims[0].notification.id).update(attempt=2)

    put_back(claims[1:])

    after = {row["id"]: row for row in Notification.objects.values()}
    untouched = [row for row in before if row["id"] != claims[0].notification.id]
    assert [after[row["id"]] for row in untouched] == untouched


@pytest.mark.django_db(transaction=True)
def test_eight_concurrent_workers_get_each_message_once():
    for _ in range(3):
        backlog(20)
    connection.close()  # return it to the pool, which has eight
    claimed: list[object] = []
    ready = threading.Barrier(8)

    def claim_all() -> None:
        try:
            ready.wait(30)
            for size in (1, 2, 5, 20, 20, 20):
                claimed.extend(ids_of(claim_due(Channel.EMAIL, size)))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim_all) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(map(str, claimed)) == sorted(map(str, Notification.objects.values_list("id", flat=True)))


@pytest.mark.django_db(transaction=True)
def test_locked_rows_are_skipped_for_other_services():
    if connection.vendor != "postgresql":
        assert connection.vendor == "sqlite", "which has one writer"
        return
    [locked] = backlog(1)
    free = make_notification()
    found: list[object] = []

    def claim_meanwhile() -> None:
        try:
            found.extend(ids_of(claim_due(Channel.EMAIL, 1, [free.service_id])))
        finally:
            connection.close()

    with transaction.atomic():
        assert ids_of(claim_due(Channel.EMAIL, 1, [free.service_id])) == [locked.id]
        thread = threading.Thread(target=claim_meanwhile)
        thread.start()
        thread.join(30)

    assert found == [free.id]


def sent(claim: Claim, status: Status) -> RecordedMessage:
    accepted = Sent(status=status, at=timezone.now(), provider="mail", reference="<1@mail>")
    return RecordedMessage(claim=claim, attempt=ATTEMPT, sent=accepted)


def test_single_messages_go_before_older_bulk_messages_of_their_service_and_paused_ones_wait():
    service, other = make_service(), make_service()
    bulk = backlog(3, service, lane=Lane.BULK)
    backlog(2, service, lane=Lane.PAUSED)
    single = backlog(2, service, next_attempt_at=timezone.now(), created_at=timezone.now())
    [of_other] = backlog(1, other, lane=Lane.BULK)

    claims = claim_due(Channel.EMAIL, 20)

    ids = ids_of(claims)
    assert set(ids[:2]) == {single[0].id, of_other.id}
    assert [one for one in ids if one != of_other.id] == [message.id for message in [*single, *bulk]]
    assert Notification.objects.due().count() == 0
