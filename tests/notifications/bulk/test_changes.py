"""Pause, resume, move and cancel: the states, the waiting messages and the daily counters."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from notifications.delivery.claiming import claim_due
from notifications.models import (
    BulkSend,
    BulkState,
    Channel,
    DailyCounter,
    Lane,
    LimitKind,
    Notification,
    RowState,
    Service,
    Status,
)
from notifications.submission.bulk import change, steps
from tests.notifications.calling import Caller, email_template, make_caller, messages

pytestmark = pytest.mark.django_db

PATH = "/v2/notifications/bulk"
IN_TWO_HOURS = timedelta(hours=2)


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def sent(caller: Caller, count: int = 4, **fields: Any) -> BulkSend:
    rows = [["email address"], *([f"p{number}@example.org"] for number in range(count))]
    body = {"template_id": str(email_template(caller).id), "name": "x", "rows": rows, **fields}
    response = caller.post(PATH, body)
    assert response.status_code == 201, response.json()
    return BulkSend.objects.get(pk=response.json()["data"]["id"])


def begun(caller: Caller) -> BulkSend:
    """Return a bulk send in progress: two of its four rows are messages."""
    bulk_send = sent(caller)
    steps.take_next(most_rows=2)
    return bulk_send


def act(caller: Caller, bulk_send: BulkSend, action: str) -> Any:
    return caller.post(f"{PATH}/{bulk_send.id}/{action}")


def spent(caller: Caller) -> int:
    return DailyCounter.objects.get(service=caller.service, kind=LimitKind.EMAIL).count


def test_a_pause_reaches_rows_and_messages_and_ends(caller):
    bulk_send = begun(caller)

    paused = act(caller, bulk_send, "pause").json()["data"]
    assert paused["job_status"] == "paused"
    assert claim_due(Channel.EMAIL, 20) == []
    assert not Notification.objects.due().exists()
    assert steps.take_next() is None
    due_at = Notification.objects.first().due_at
    BulkSend.objects.update(paused_at=timezone.now() - timedelta(hours=1))

    resumed = act(caller, bulk_send, "resume").json()["data"]
    assert resumed["job_status"] == "in progress"
    assert Notification.objects.first().due_at - due_at >= timedelta(minutes=59)
    while steps.take_next():
        pass
    assert len(claim_due(Channel.EMAIL, 20)) == 4
    assert [event.verb for event in AuditEvent.objects.order_by("at")] == ["sent", "paused", "resumed"]


def test_a_cancellation_reaches_all_that_no_worker_has_claimed(caller):
    bulk_send = begun(caller)
    [claim] = claim_due(Channel.EMAIL, 1)

    answers = [act(caller, bulk_send, "cancel") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    for body in (answer.json() for answer in answers):
        assert (body["cancelled"], body["already_sent"]) == (3, 1)
        assert body["data"]["job_status"] == "cancelled"
    assert Notification.objects.get(status=Status.CREATED).id == claim.notification.id
    assert sorted(bulk_send.rows.values_list("state", flat=True)) == [*["cancelled"] * 3, "message"]
    assert spent(caller) == 1
    assert steps.take_next() is None
    assert AuditEvent.objects.filter(verb="cancelled").get().after == {"cancelled": 3, "already_sent": 1}


def test_a_claimed_message_that_is_put_back_is_cancelled_by_the_sweep(caller):
    bulk_send = begun(caller)
    [claim] = claim_due(Channel.EMAIL, 1)
    act(caller, bulk_send, "cancel")
    claim.put_back()

    change.cancel_overdue()

    bulk_send.refresh_from_db()
    assert (bulk_send.cancelled, bulk_send.messages) == (4, 0)
    assert spent(caller) == 0


def test_a_message_that_may_have_been_sent_is_not_cancelled(caller):
    bulk_send = begun(caller)
    uncertain = {"at": None, "provider": "mail", "outcome": "uncertain", "reply": "", "ms": 1}
    Notification.objects.filter(bulk_row__number=2).update(attempt=1, attempts=[uncertain])

    act(caller, bulk_send, "cancel")

    assert Notification.objects.get(status=Status.CREATED).bulk_row.number == 2


def test_yesterdays_counter_stays(caller):
    bulk_send = sent(caller)
    BulkSend.objects.update(accepted_at=timezone.now() - timedelta(days=1))

    act(caller, bulk_send, "cancel")

    assert spent(caller) == 4


def test_a_step_that_runs_during_a_pause_stores_nothing(caller):
    bulk_send = sent(caller)
    lease = bulk_send.lease()
    assert lease.take()

    change.pause(bulk_send, audit.CLOCK)

    assert lease.release() is False


@pytest.mark.parametrize("minutes", [None, 120])
def test_a_bulk_send_without_messages_is_moved(minutes, caller):
    bulk_send = sent(caller, scheduled_for=(timezone.now() + timedelta(hours=1)).isoformat())
    later = (timezone.now() + timedelta(minutes=minutes)).isoformat() if minutes else None

    data = caller.patch(f"{PATH}/{bulk_send.id}", {"scheduled_for": later}).json()["data"]

    assert data["job_status"] == ("scheduled" if minutes else "pending")
    assert (steps.take_next() is None) is bool(minutes)


def test_a_scheduled_bulk_send_is_scheduled_again_after_a_pause(caller):
    bulk_send = sent(caller, scheduled_for=(timezone.now() + IN_TWO_HOURS).isoformat())

    act(caller, bulk_send, "pause")

    assert act(caller, bulk_send, "resume").json()["data"]["job_status"] == "scheduled"
    assert steps.take_next() is None


FINISHED = "This bulk send is finished"
ALLOWED = {
    "pause": {"scheduled", "pending", "in progress", "paused"},
    "resume": {"scheduled", "pending", "in progress", "paused"},
    "cancel": {"scheduled", "pending", "in progress", "paused", "cancelled"},
}


@pytest.mark.parametrize("state", [state for state in BulkState if state is not BulkState.DRAFT])
@pytest.mark.parametrize("action", ALLOWED)
def test_each_action_in_each_state(action, state, caller):
    bulk_send = sent(caller)
    BulkSend.objects.update(state=state, scheduled_for=timezone.now() + IN_TWO_HOURS)

    response = act(caller, bulk_send, action)

    if state in ALLOWED[action]:
        assert response.status_code == 200
    else:
        assert (response.status_code, messages(response)) == (409, [FINISHED])


@pytest.mark.parametrize(
    ("state", "made", "message"),
    [
        (BulkState.FINISHED, 4, FINISHED),
        (BulkState.CANCELLED, 0, FINISHED),
        (BulkState.IN_PROGRESS, 2, "This bulk send is not scheduled"),
    ],
)
def test_a_bulk_send_that_has_begun_is_not_moved(state, made, message, caller):
    bulk_send = sent(caller)
    BulkSend.objects.update(state=state, messages=made)

    response = caller.patch(f"{PATH}/{bulk_send.id}", {"scheduled_for": None})

    assert (response.status_code, messages(response)) == (409, [message])


def test_what_is_paused_for_72_hours_or_archived_is_cancelled(caller):
    paused, of_archived, going_on = sent(caller), sent(make_caller()), sent(caller)
    BulkSend.objects.filter(pk=paused.pk).update(state=BulkState.PAUSED, paused_at=timezone.now() - timedelta(hours=73))
    Service.objects.filter(pk=of_archived.service_id).update(active=False)

    assert change.cancel_overdue() == 2

    states = dict(BulkSend.objects.values_list("pk", "state"))
    assert states == {paused.pk: "cancelled", of_archived.pk: "cancelled", going_on.pk: "pending"}
    assert set(paused.rows.values_list("state", flat=True)) == {RowState.CANCELLED}
    assert not Notification.objects.filter(lane=Lane.PAUSED).exists()
