"""The page *Queue and providers*: who opens it, what it shows, and its empty state.

Source: docs/reference/console.md §3.14.
"""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.accounts import sessions
from config.jobs.models import BulkJobRun, RetentionRun, Trigger
from config.queue import worker_processes
from config.queue.worker_processes import WorkerProcess
from notifications.models import (
    AttemptResult,
    BulkState,
    CallbackDelivery,
    Channel,
    DeliveryState,
    EarlyReceipt,
    HourlyCount,
    KeyType,
    Lane,
    OpenBreaker,
    ProviderCircuit,
    ProviderCount,
    ProviderResult,
    Role,
    Status,
)
from tests import factories
from tests.notifications.admin.bulk_uploads import text_of
from tests.people import colleague

PAGE = "/admin/operations/queue/"
PAGES = [
    PAGE,
    f"{PAGE}providers/sandbox/",
    f"{PAGE}providers/sandbox/probe/",
    f"{PAGE}pause/channel/email/",
    f"{PAGE}resume/channel/email/",
    f"{PAGE}pause/provider/sandbox/",
    f"{PAGE}resume/provider/sandbox/",
    f"{PAGE}retry/callbacks/",
    f"{PAGE}retry/jobs/",
    f"{PAGE}unreadable/delete/",
]


def state_of(console: Client, title: str) -> dict[str, object]:
    """Return the numbers of one queue on the page."""
    [row] = [row for row in console.get(PAGE).context["queues"] if row.title == title]
    state = row.state
    numbers = {name: getattr(state, name) for name in ("waiting", "running", "retrying", "paused")}
    return {**numbers, "failed": row.failed, "age": row.age}


@pytest.mark.parametrize("page", PAGES)
def test_only_operators_open_and_use_it(db, page):
    member = colleague(factories.make_service(), *Role)

    assert member.get(page).status_code == 403
    assert member.post(page).status_code == 403


def test_the_menu_names_it_for_operators_only(console):
    member = colleague(factories.make_service(), *Role)

    assert f'href="{PAGE}"' in console.get("/admin/").content.decode()
    assert f'href="{PAGE}"' not in member.get("/admin/").content.decode()


def test_an_empty_installation_says_what_to_do(console):
    page = console.get(PAGE).content.decode()

    assert "Only the sandbox is set up" in page
    assert "No worker process was seen in the last minute" in page
    assert "manage.py worker" in page
    assert "Nothing has failed" in page
    assert "No results yet." in console.get(f"{PAGE}providers/sandbox/").content.decode()


def test_messages_are_counted_by_what_happens_to_them(console):
    template = factories.make_template(factories.make_service())
    now = timezone.now()
    later, ago = now + timedelta(minutes=5), now - timedelta(minutes=5)
    factories.make_notification(template, next_attempt_at=ago)
    factories.make_notification(template, next_attempt_at=ago, claimed_until=ago, attempt=1)  # its worker died
    factories.make_notification(template, next_attempt_at=ago, claimed_until=later, attempt=1)
    factories.make_notification(template, next_attempt_at=later, attempt=2)
    factories.make_notification(template, next_attempt_at=later)  # scheduled
    factories.make_notification(template, next_attempt_at=ago, lane=Lane.PAUSED)
    factories.make_notification(template, next_attempt_at=ago, status=Status.DELIVERED)
    HourlyCount.objects.create(hour=9,
        service=template.service, day=now.date(), channel=Channel.EMAIL, template=template, key_type=KeyType.LIVE,
        status=Status.TECHNICAL_FAILURE, n=3,
    )  # fmt: skip

    counted = state_of(console, "Emails")

    assert counted.pop("age").startswith("5 min")
    assert counted == {"waiting": 2, "running": 1, "retrying": 1, "paused": 1, "failed": "3 in 7 days"}
    assert state_of(console, "Text messages")["waiting"] == 0


def test_callbacks_receipts_and_bulk_sends_are_counted(console):
    template = factories.make_template(factories.make_service())
    endpoint, paused = factories.make_callback(template.service), factories.make_callback(paused_at=timezone.now())
    soon = timezone.now() + timedelta(minutes=5)
    states = [
        {},
        {"claimed_until": soon},
        {"next_attempt_at": soon, "attempt": 1},
        {"state": DeliveryState.GIVEN_UP, "finished_at": timezone.now()},
        {"state": DeliveryState.ACCEPTED, "finished_at": timezone.now()},
        {"endpoint": paused},
    ]
    for fields in states:
        CallbackDelivery.objects.create(**{"endpoint": endpoint, **fields})
    message = factories.make_notification(template, provider="gateway-1", provider_reference="known")
    EarlyReceipt.objects.create(provider="gateway-1", reference=message.provider_reference, outcome="delivered")
    factories.make_bulk_send(template)
    factories.make_bulk_send(template, holder="a-worker", state=BulkState.IN_PROGRESS)
    factories.make_bulk_send(template, state=BulkState.PAUSED, paused_at=timezone.now())
    factories.make_bulk_send(template, state=BulkState.FINISHED)

    numbers = ("waiting", "running", "retrying", "paused")
    assert [state_of(console, "Callbacks")[name] for name in numbers] == [1, 1, 1, 1]
    assert state_of(console, "Callbacks")["failed"] == "1"
    assert state_of(console, "Delivery receipts")["waiting"] == 1
    assert [state_of(console, "Bulk sends")[name] for name in numbers] == [1, 1, 0, 1]


def test_jobs_are_counted_and_only_the_last_run_of_a_rule_can_have_failed(console, operator):
    over = {"trigger": Trigger.CLOCK, "finished_at": timezone.now()}
    hour = timezone.now() - timedelta(hours=1)
    RetentionRun.objects.create(rule="files", error="OSError", **over)
    RetentionRun.objects.create(rule="old-messages", error="OSError", started_at=hour, **over)
    RetentionRun.objects.create(rule="old-messages", **over)
    for fields in ({}, {"holder": "a-worker"}, {"finished_at": hour, "error": "ValueError"}, {"finished_at": hour}):
        BulkJobRun.objects.create(kind="revoke-keys", by=operator, total=1, way_back="/admin/", **fields)

    counted = state_of(console, "Clean-up and background jobs")

    assert (counted["waiting"], counted["running"], counted["failed"]) == (1, 1, "2")
    assert "1 background job and 1 clean-up rule failed" in console.get(PAGE).content.decode()


def test_workers_are_listed_by_machine_and_queues(console):
    now = timezone.now()
    for holder, queues, seen_at in (
        ("north-1", "send-email", now),
        ("north-2", "send-email", now),
        ("north-3", "receipts,periodic,bulk", now),
        ("south-4", "send-email", now - timedelta(minutes=2)),
    ):
        WorkerProcess.objects.create(holder=holder, queues=queues, seen_at=seen_at)

    answer = console.get(PAGE)

    workers = {(one["machine"], one["queues"]): one["number"] for one in answer.context["workers"]}
    frequent = "Delivery receipts, Frequent tasks of the clock, Bulk sends"
    assert workers == {("north", "Emails"): 2, ("north", frequent): 1}
    assert {row.title: row.workers for row in answer.context["queues"]}["Emails"] == 2


def test_providers_show_their_share_and_their_failures(console, settings):
    settings.PROVIDERS = ["first=smtp://a.example?weight=3", "second=smtp://b.example", "text=https://:s@c.example/m"]
    now = timezone.now()
    for provider, minutes, result, number in (
        ("first", 10, AttemptResult.ACCEPTED, 30),
        ("first", 10, AttemptResult.REJECTED, 2),
        ("second", 10, AttemptResult.ACCEPTED, 10),
        ("second", 300, AttemptResult.ACCEPTED, 20),
        ("second", 300, AttemptResult.FAILED, 1),
        ("text", 10, AttemptResult.ACCEPTED, 1000),
        ("first", 60 * 24 + 5, AttemptResult.ACCEPTED, 999),
    ):
        began_at = now - timedelta(minutes=minutes)
        ProviderCount.objects.create(provider=provider, began_at=began_at, result=result, number=number)

    answer = console.get(PAGE)

    shown = {
        row.name: tuple(share.replace("\xa0", " ") for share in (row.hour, row.day))
        for row in answer.context["providers"]
    }
    assert shown["first"] == ("30 accepted (75%), 2 rejected", "30 accepted (50%), 2 rejected")
    assert shown["second"] == ("10 accepted (25%)", "30 accepted (50%), 1 failed")
    assert [row.place for row in answer.context["providers"]] == [1, 2, 3]
    assert "weight 3" in answer.content.decode()


def test_circuit_breakers_are_described_in_words(console, settings):
    names = ("well", "refused", "tested", "failing", "recovering", "of-a-dead-worker")
    settings.PROVIDERS = [f"{name}=smtp://{name}.example" for name in names]
    now = timezone.now()
    soon, ago = now + timedelta(seconds=50), now - timedelta(seconds=5)
    ProviderCircuit.objects.create(provider="refused", reason="535 at log-in", probe_at=soon)
    ProviderCircuit.objects.create(provider="tested", reason="535 at log-in", probe_at=ago)
    worker_processes.this_process._noted_at = float("-inf")
    worker_processes.this_process.note()
    holder = worker_processes.this_process.holder
    OpenBreaker.objects.create(provider="failing", holder=holder, half_open_at=soon)
    OpenBreaker.objects.create(provider="recovering", holder=holder, half_open_at=ago)
    OpenBreaker.objects.create(provider="of-a-dead-worker", holder="elsewhere-1", half_open_at=soon)

    breakers = {row.name: row.breaker for row in console.get(PAGE).context["providers"]}

    labels = {name: breaker.label for name, breaker in breakers.items()}
    assert labels == {
        "well": "Closed",
        "refused": "Open",
        "tested": "Half open",
        "failing": "Open",
        "recovering": "Half open",
        "of-a-dead-worker": "Closed",
    }
    assert "(535 at log-in). One message a minute tests it, the next at " in breakers["refused"].sentence
    assert "1 worker process sends nothing to it until " in breakers["failing"].sentence


def test_the_page_of_a_provider_lists_its_newest_results(console, settings):
    settings.PROVIDERS = ["mail=smtp://mail.example"]
    now = timezone.now()
    for number, (result, error) in enumerate((("accepted", ""), ("permanent", "550 at RCPT"), ("uncertain", "lost"))):
        at = now - timedelta(minutes=number)
        ProviderResult.objects.create(provider="mail", at=at, result=result, error=error, ms=1200 + number)

    answer = console.get(f"{PAGE}providers/mail/")

    shown = text_of(answer).partition("Took")[2]
    for words in ("Accepted – 1,200 ms", "Rejected 550 at RCPT 1,201 ms", "Unknown lost 1,202 ms"):
        assert words in shown
    assert console.get(f"{PAGE}providers/other/").status_code == 404


def test_more_rows_need_no_more_queries(console):
    template = factories.make_template(factories.make_service())
    console.get(PAGE)
    with CaptureQueriesContext(connection) as of_none:
        console.get(PAGE)

    for number in range(5):
        factories.make_notification(template)
        endpoint = factories.make_callback()
        CallbackDelivery.objects.create(endpoint=endpoint, state=DeliveryState.GIVEN_UP, finished_at=timezone.now())
        RetentionRun.objects.create(rule=f"rule-{number}", trigger=Trigger.CLOCK, finished_at=timezone.now(), error="x")
        WorkerProcess.objects.create(holder=f"north-{number}", queues="send-email", seen_at=timezone.now())
        ProviderResult.objects.create(provider="sandbox", at=timezone.now(), result="accepted", ms=1)

    with CaptureQueriesContext(connection) as of_many:
        console.get(PAGE)

    assert len(of_many) == len(of_none) <= 35


def test_a_reload_by_the_page_itself_is_no_activity(rf):
    assert sessions.refreshes_itself(rf.get(PAGE))
    assert sessions.refreshes_itself(rf.get(reverse("admin:queue_provider", args=["sandbox"])))
    assert not sessions.refreshes_itself(rf.get(f"{PAGE}pause/channel/email/"))
