"""No service holds up another: whoever waits gets a turn, however many hints of others stand before its own."""

from collections import Counter
from uuid import UUID

import pytest
import time_machine

from notifications.delivery import turns
from notifications.delivery.ahead import NEWS_SECONDS, Ahead
from notifications.models import Channel, Claim, Notification, Status
from tests.notifications.calling import email_template, make_caller, sms_template

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_known():
    turns.forget()
    yield
    turns.forget()


def accept(caller, template, count: int) -> list[UUID]:
    send = caller.send_email if template.type == Channel.EMAIL else caller.send_sms
    answers = [send(template) for _ in range(count)]
    return [UUID(answer.json()["id"]) for answer in answers]


def end(claim: Claim) -> None:
    Notification.objects.filter(id=claim.notification.id).update(status=Status.SENDING, claimed_until=None)
    turns.note_busy(Channel.EMAIL)


def serve(hints: list[UUID]) -> list[Claim | None]:
    """Take a message for each hint, as a worker that always has something to do."""
    taken = []
    for hint in hints:
        turns.note_busy(Channel.EMAIL)
        claim = turns.take(hint, Channel.EMAIL)
        taken.append(claim)
        if claim:
            end(claim)
    return taken


def test_one_message_of_another_service_does_not_wait_behind_a_hundred():
    bulk, other = make_caller(), make_caller()
    many = accept(bulk, email_template(bulk), 100)
    one = accept(other, email_template(other), 1)

    first = serve(many[:3])

    assert one[0] in {claim.notification.id for claim in first}


def test_services_with_backlogs_are_served_by_turns():
    callers = [make_caller() for _ in range(3)]
    hints = [hint for caller in callers for hint in accept(caller, email_template(caller), 6)]

    taken = serve(hints[:9])

    assert sorted(Counter(claim.notification.service_id for claim in taken).values()) == [3, 3, 3]


def test_as_many_hints_as_messages_serve_every_message_once():
    callers = [make_caller() for _ in range(3)]
    hints = [hint for caller in callers for hint in accept(caller, email_template(caller), 5)]

    taken = serve(hints)

    assert sorted(claim.notification.id for claim in taken) == sorted(hints)


def test_a_worker_that_had_nothing_to_do_takes_what_it_is_told_and_asks_nothing(django_assert_num_queries):
    bulk, other = make_caller(), make_caller()
    accept(bulk, email_template(bulk), 3)
    hinted = accept(other, email_template(other), 1)[0]

    with django_assert_num_queries(1):
        claim = turns.take(hinted, Channel.EMAIL)

    assert claim.notification.id == hinted


def test_a_hint_for_a_message_that_is_done_serves_another():
    caller = make_caller()
    done, waiting = accept(caller, email_template(caller), 2)
    Notification.objects.filter(id=done).update(status=Status.SENDING)

    assert turns.take(done, Channel.EMAIL).notification.id == waiting


def test_a_hint_with_nothing_waiting_serves_nobody():
    caller = make_caller()
    done = accept(caller, email_template(caller), 1)[0]
    Notification.objects.filter(id=done).update(status=Status.SENDING)

    assert turns.take(done, Channel.EMAIL) is None


def test_a_hint_is_not_spent_on_services_whose_messages_other_workers_have_taken_meanwhile():
    callers = [make_caller() for _ in range(3)]
    first = [hint for caller in callers for hint in accept(caller, email_template(caller), 2)]
    serve(first[:1])  # all three are known to wait
    Notification.objects.update(status=Status.SENDING)
    newcomer = make_caller()
    late = accept(newcomer, email_template(newcomer), 2)

    served = [claim.notification.id for claim in serve(late)]

    assert sorted(served) == sorted(late)


def test_the_other_channel_has_its_own_turns():
    caller = make_caller()
    text = accept(caller, sms_template(caller), 1)[0]
    mail = accept(caller, email_template(caller), 1)[0]

    assert serve([mail])[0].notification.id == mail
    assert serve([mail]) == [None]
    assert turns.take(text, Channel.SMS).notification.id == text


def test_what_another_worker_holds_or_is_not_yet_due_gets_no_turn():
    caller = make_caller()
    held, later = accept(caller, email_template(caller), 2)
    with time_machine.travel(0):
        Claim.take(held)
    Notification.objects.filter(id=later).update(next_attempt_at="2999-01-01T00:00:00Z")

    assert turns.take(held, Channel.EMAIL) is None


def go_on(count: int) -> list[UUID]:
    """Take what a worker goes on with, as long as it knows of more."""
    taken = []
    for _ in range(count):
        following = turns.following(Channel.EMAIL)
        claim = Claim.take(following) if following else None
        if claim:
            end(claim)
            turns.note_served(Channel.EMAIL, claim.notification.id)
            taken.append(claim)
    return taken


def test_what_a_worker_goes_on_with_are_the_services_messages_by_turns():
    callers = [make_caller() for _ in range(3)]
    for caller in callers:
        accept(caller, email_template(caller), 4)

    taken = go_on(9)

    assert sorted(Counter(claim.notification.service_id for claim in taken).values()) == [3, 3, 3]


def test_who_goes_on_serves_every_message_once_and_then_knows_of_none():
    callers = [make_caller() for _ in range(2)]
    hints = [hint for caller in callers for hint in accept(caller, email_template(caller), 60)]

    taken = go_on(200)

    assert sorted(claim.notification.id for claim in taken) == sorted(hints)


def test_the_ticket_of_a_message_served_without_it_is_not_needed_until_somebody_waits(django_assert_num_queries):
    seconds = 0.0
    ahead = Ahead(Channel.EMAIL, clock=lambda: seconds)
    caller = make_caller()
    done = accept(caller, email_template(caller), 1)[0]
    Notification.objects.update(status=Status.SENDING)
    ahead.note_served(done)
    seconds += 0.01

    assert ahead.needs_no_ticket(done)
    with django_assert_num_queries(0):
        assert ahead.needs_no_ticket(done)

    accept(caller, email_template(caller), 1)
    seconds += NEWS_SECONDS
    assert not ahead.needs_no_ticket(done)


def test_a_ticket_is_kept_until_a_look_that_began_after_its_message_was_served():
    """Or a message that came since the last look, and whose own ticket was lent to this one, would have none."""
    seconds = 0.0
    ahead = Ahead(Channel.EMAIL, clock=lambda: seconds)
    caller = make_caller()
    before, after = accept(caller, email_template(caller), 2)
    Notification.objects.update(status=Status.SENDING)
    ahead.note_served(before)
    seconds += 0.01
    assert ahead.needs_no_ticket(before)

    seconds += 0.01
    ahead.note_served(after)
    seconds += 0.01

    assert not ahead.needs_no_ticket(after)
    seconds += NEWS_SECONDS
    assert ahead.needs_no_ticket(after)


def test_a_ticket_of_what_is_not_known_to_be_served_is_never_torn_up_unread():
    caller = make_caller()
    go_on(1)
    hinted = accept(caller, email_template(caller), 1)[0]

    assert turns.take(hinted, Channel.EMAIL).notification.id == hinted
