"""No endpoint starves another: whoever waits gets a turn, however many hints of others stand before its own."""

from collections import Counter
from uuid import UUID

import pytest
from django.utils import timezone

from notifications.delivery.callbacks import turns
from notifications.models import CallbackAttempt, CallbackDelivery, CallbackEndpoint
from tests.factories import make_callback

pytestmark = pytest.mark.django_db

DONE = CallbackAttempt(at=None, outcome="accepted", status=200, reply="", ms=0)


@pytest.fixture(autouse=True)
def nothing_known():
    turns.forget()
    yield
    turns.forget()


def owe(endpoint: CallbackEndpoint, count: int) -> list[UUID]:
    return [CallbackDelivery.objects.owe_test(endpoint).id for _ in range(count)]


def serve(hints: list[UUID]) -> list[CallbackDelivery | None]:
    """Take a callback for each hint, as a worker that always has something to do."""
    taken = []
    for hint in hints:
        turns.note_busy()
        delivery = turns.take(hint)
        taken.append(delivery)
        if delivery:
            delivery.accept(DONE)
    return taken


def test_one_callback_does_not_wait_behind_a_hundred_of_another_endpoint():
    many = owe(make_callback(), 100)
    one = owe(make_callback(), 1)

    first = serve(many[:3])

    assert one[0] in {delivery.id for delivery in first}


def test_endpoints_with_backlogs_are_served_by_turns_and_as_many_hints_serve_all():
    hints = [hint for endpoint in (make_callback() for _ in range(3)) for hint in owe(endpoint, 4)]

    taken = serve(hints)

    assert sorted(Counter(delivery.endpoint_id for delivery in taken[:6]).values()) == [2, 2, 2]
    assert sorted(delivery.id for delivery in taken) == sorted(hints)


def test_while_one_that_fails_is_called_the_hints_of_others_that_fail_lead_to_those_that_do_not():
    failing = [make_callback(failing_since=timezone.now()) for _ in range(3)]
    hints = [hint for endpoint in failing for hint in owe(endpoint, 5)]
    [well] = owe(make_callback(), 1)
    held = CallbackDelivery.objects.take(hints[0])

    first, second = serve(hints[5:7])

    assert held is not None
    assert first.id == well
    assert second is None
