"""Pause, resume, retry and probe on the page *Queue and providers*. Source: docs/reference/console.md §3.14."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.conf import settings as django_settings
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from config.audit.models import AuditEvent
from config.console import audit_sentences
from config.health import health_checks
from config.jobs.bulk import BACKGROUND_OVER
from config.jobs.models import BulkJobRun, RetentionRun, Trigger
from config.jobs.tasks import work_on_bulk_job
from config.queue import publishing, unreadable
from notifications.management.health_checks import paused
from notifications.models import CallbackDelivery, CallbackEndpoint, DeliveryState, Role, SendingPause, Status
from tests import factories
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain_messages
from tests.people import colleague
from tests.servers import SmtpSink

PAGE = "/admin/operations/queue/"
PAUSE_EMAILS, RESUME_EMAILS = f"{PAGE}pause/channel/email/", f"{PAGE}resume/channel/email/"
NOTHING_LISTENS = "smtp://127.0.0.1:1"


def message_of(answer: HttpResponse) -> str:
    [message] = get_messages(answer.wsgi_request)
    return str(message)


def last_sentence() -> str:
    return audit_sentences.sentence(AuditEvent.objects.latest("at"))


def metrics_of(client: Client, settings) -> str:
    settings.METRICS_TOKEN = "a-token-for-monitors"
    return client.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"}).content.decode()


def give_up(endpoint: CallbackEndpoint, number: int = 1) -> None:
    ended = {"state": DeliveryState.GIVEN_UP, "finished_at": timezone.now() - timedelta(hours=1)}
    CallbackDelivery.objects.bulk_create(CallbackDelivery(endpoint=endpoint, **ended) for _ in range(number))


@pytest.fixture
def unreadable_messages() -> Iterator[int]:
    """Move two queue messages aside, as a worker does."""
    publishing.delete_all(unreadable.QUEUE)
    if django_settings.REDIS_URL:
        with redis.Redis.from_url(django_settings.REDIS_URL) as client:
            client.lpush(f"{django_settings.REDIS_PREFIX}{unreadable.QUEUE}", b"[]", b"5")
    else:
        folder = Path(django_settings.VAR, "queue", unreadable.QUEUE)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(2):
            (folder / f"{number:020d}_x.msg").write_bytes(b"[]")
    yield 2
    publishing.delete_all(unreadable.QUEUE)


# Pause and resume


def test_a_pause_stops_a_drain_and_a_resume_continues_it(console: Client, settings, smtp_sink: SmtpSink):
    settings.PROVIDERS = [f"mail={smtp_sink.url}"]
    message = factories.make_notification()

    asked = console.get(PAUSE_EMAILS)
    done = console.post(PAUSE_EMAILS, {"reason": "Wrong template"})
    drain_messages()

    assert "of all services, single and bulk" in asked.content.decode()
    assert (done["Location"], message_of(done)) == (PAGE, "Paused: emails. Workers stop within seconds.")
    message.refresh_from_db()
    assert (message.status, message.attempt, smtp_sink.messages) == (Status.CREATED, 0, [])
    assert last_sentence() == "mina paused the channel “email”: Wrong template"

    waiting = publishing.waiting("send-email")["send-email"]
    asked = console.get(RESUME_EMAILS)
    done = console.post(RESUME_EMAILS)
    drain_messages()

    assert "by mina. Reason: Wrong template" in asked.content.decode()
    assert message_of(done) == "Resumed: emails. Waiting messages are sent now."
    message.refresh_from_db()
    assert (message.status, len(smtp_sink.messages)) == (Status.DELIVERED, 1)
    assert last_sentence() == "mina resumed the channel “email”"
    assert publishing.waiting("send-email")["send-email"] >= waiting


@pytest.mark.django_db(transaction=True)
def test_a_resume_wakes_a_worker(console: Client):
    console.post(PAUSE_EMAILS)
    waiting = publishing.waiting("send-email")["send-email"]

    console.post(RESUME_EMAILS)

    assert publishing.waiting("send-email")["send-email"] == waiting + 1


def test_pausing_twice_and_resuming_what_runs_are_refused(console: Client):
    assert "This is not paused." in console.get(RESUME_EMAILS).content.decode()
    console.post(PAUSE_EMAILS)

    assert "This is already paused." in console.post(PAUSE_EMAILS).content.decode()
    assert SendingPause.objects.count() == 1


def test_the_page_of_a_pause_says_which_provider_takes_over(console: Client, settings):
    settings.PROVIDERS = ["first=smtp://a.example", "second=smtp://b.example", "text=https://:s@c.example/m"]

    assert "Messages go through second instead." in console.get(f"{PAGE}pause/provider/first/").content.decode()
    assert "No other provider takes text messages." in console.get(f"{PAGE}pause/provider/text/").content.decode()

    console.post(f"{PAGE}pause/provider/second/")
    assert "No other provider takes emails." in console.get(f"{PAGE}pause/provider/first/").content.decode()
    assert last_sentence() == "mina paused the provider “second”"


def test_a_pause_of_a_provider_that_left_the_settings_can_be_ended(console: Client, settings):
    settings.PROVIDERS = ["first=smtp://a.example", "second=smtp://b.example"]
    console.post(f"{PAGE}pause/provider/first/")
    settings.PROVIDERS = ["second=smtp://b.example"]

    assert f'href="{PAGE}resume/provider/first/"' in console.get(PAGE).content.decode()
    console.post(f"{PAGE}resume/provider/first/")

    assert not SendingPause.objects.current().exists()


@pytest.mark.parametrize("path", ["pause/channel/fax/", "pause/provider/nobody/", "providers/nobody/probe/"])
def test_what_does_not_exist_is_404(console: Client, path: str):
    assert console.get(f"{PAGE}{path}").status_code == 404
    assert console.post(f"{PAGE}{path}").status_code == 404


def test_a_pause_is_shown_on_the_overview_in_health_and_in_the_metrics(console: Client, client: Client, settings):
    member = colleague(factories.make_service(), *Role)
    assert paused().fix == ""
    console.post(PAUSE_EMAILS, {"reason": "Wrong template"})

    for_operator, for_member = (one.get("/admin/").content.decode() for one in (console, member))
    assert "Emails are paused" in for_operator
    assert "by mina: Wrong template" in for_operator
    assert RESUME_EMAILS in for_operator
    assert "Emails are paused" in for_member
    assert "Wrong template" not in for_member
    assert RESUME_EMAILS not in for_member

    [finding] = [one for one in health_checks.examine() if one.name == "pauses"]
    assert finding.seen.startswith("channel email since ")
    assert finding.fix == "Resume it at operations/queue/: its messages wait."

    metrics = metrics_of(client, settings)
    assert 'signalbox_sending_paused{kind="channel",name="email"} 1.0' in metrics
    assert 'signalbox_sending_paused{kind="channel",name="sms"} 0.0' in metrics
    assert 'signalbox_sending_paused{kind="provider",name="sandbox"} 0.0' in metrics


def test_messages_of_a_paused_channel_are_no_backlog(console: Client, client: Client, settings):
    factories.make_notification(next_attempt_at=timezone.now() - timedelta(hours=1))
    console.post(PAUSE_EMAILS)

    metrics = metrics_of(client, settings)

    assert 'signalbox_waiting{queue="send-email"} 0.0' in metrics
    assert 'signalbox_oldest_waiting_seconds{queue="send-email"} 0.0' in metrics
    [row] = [row for row in console.get(PAGE).context["queues"] if row.title == "Emails"]
    assert (row.state.paused, row.state.waiting, row.is_stopped) == (1, 0, True)


# Failed work


def test_failed_callbacks_are_sent_again(console: Client):
    give_up(factories.make_callback(), 2)

    asked = console.get(f"{PAGE}retry/callbacks/").content.decode()
    done = console.post(f"{PAGE}retry/callbacks/")

    assert "Retry 2 callbacks" in asked
    assert message_of(done).startswith("2 callbacks being sent again.")
    assert CallbackDelivery.objects.due().count() == 2
    assert last_sentence() == "mina retried the failed work of the queue “Callbacks”"
    assert AuditEvent.objects.latest("at").after == {"callbacks": 2}
    assert "there is nothing to retry" in console.get(f"{PAGE}retry/callbacks/").content.decode()


def test_many_failed_callbacks_are_a_background_job(console: Client):
    give_up(factories.make_callback(), BACKGROUND_OVER + 1)

    page = console.get(f"{PAGE}retry/callbacks/").content.decode()
    [job_id] = re.findall(r'name="job_id" value="([^"]+)"', page)
    for _ in range(2):  # a form that is sent twice starts one job
        answer = console.post(f"{PAGE}retry/callbacks/", {"job_id": job_id})

    job = BulkJobRun.objects.get()
    assert answer["Location"].endswith(f"/operations/jobs/{job.pk}/change/")
    while job.finished_at is None:
        work_on_bulk_job(str(job.pk))
        job.refresh_from_db()
    assert (job.error, job.changed) == ("", BACKGROUND_OVER + 1)
    assert not CallbackDelivery.objects.filter(state=DeliveryState.GIVEN_UP).exists()


def test_failed_jobs_start_again(console: Client, operator):
    over = {"finished_at": timezone.now(), "error": "ValueError"}
    job = BulkJobRun.objects.create(kind="revoke-keys", by=operator, total=9, position=4, way_back="/admin/", **over)
    RetentionRun.objects.create(rule="old-messages", trigger=Trigger.CLOCK, **over)

    asked = console.get(f"{PAGE}retry/jobs/").content.decode()
    done = console.post(f"{PAGE}retry/jobs/")

    assert "Retry 2 jobs" in asked
    assert message_of(done) == "2 jobs started again."
    job.refresh_from_db()
    assert (job.finished_at, job.error, job.position) == (None, "", 4)
    assert RetentionRun.objects.get(finished_at=None).rule == "old-messages"
    assert last_sentence() == "mina retried the failed work of the queue “Clean-up and background jobs”"


def test_unreadable_queue_messages_are_deleted(console: Client, unreadable_messages: int):
    assert f"{unreadable_messages} could not be read" in console.get(PAGE).content.decode()

    asked = console.get(f"{PAGE}unreadable/delete/").content.decode()
    done = console.post(f"{PAGE}unreadable/delete/")

    assert "Delete 2 queue messages" in asked
    assert message_of(done) == "2 queue messages deleted."
    assert publishing.waiting(unreadable.QUEUE) == {unreadable.QUEUE: 0}
    assert last_sentence() == "mina deleted all messages of the queue “unreadable”"


# Probes


def test_a_probe_signs_in_and_sends_nothing(console: Client, settings):
    with ScriptedServer(EHLO="250-here\r\n250 AUTH PLAIN", AUTH="235 welcome") as server:
        settings.PROVIDERS = [f"mail=smtp://user:secret@127.0.0.1:{server.port}"]

        asked = console.get(f"{PAGE}providers/mail/probe/")
        assert server.lines == []
        done = console.post(f"{PAGE}providers/mail/probe/")

        assert "It sends no message." in asked.content.decode()
        assert done["Location"] == f"{PAGE}providers/mail/"
        assert message_of(done) == f"mail: Signed in to 127.0.0.1:{server.port}. No message was sent."
        commands = [line[:4].decode().upper() for line in server.lines]
        assert "AUTH" in commands
        assert "MAIL" not in commands
    assert last_sentence() == "mina tested the connection to the provider “mail”"
    assert AuditEvent.objects.latest("at").after == {"result": "passed"}


def test_a_probe_of_a_real_mail_server_succeeds(console: Client, settings, smtp_sink: SmtpSink):
    settings.PROVIDERS = [f"mail={smtp_sink.url}"]

    done = console.post(f"{PAGE}providers/mail/probe/")

    assert message_of(done) == f"mail: Connected to 127.0.0.1:{smtp_sink.port}. No message was sent."
    assert smtp_sink.messages == []


def test_a_probe_names_a_rejected_login_and_shows_no_password(console: Client, settings):
    with ScriptedServer(EHLO="250-here\r\n250 AUTH PLAIN", AUTH="535 wrong user or password") as server:
        settings.PROVIDERS = [f"mail=smtp://user:secret-word@127.0.0.1:{server.port}"]

        said = message_of(console.post(f"{PAGE}providers/mail/probe/"))

    assert said.startswith("mail: The provider rejected the login. Correct the user name or password in PROVIDERS.")
    assert "wrong user or password" in said
    assert "secret-word" not in said
    assert AuditEvent.objects.latest("at").after == {"result": "failed"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (f"mail={NOTHING_LISTENS}", "mail: The connection failed. Its host refused the connection."),
        (
            "text=http://:s@127.0.0.1:1/m",
            "text: No connection to 127.0.0.1:1. Its host refused the connection.",
        ),
        ("text=smpp://id:secret@127.0.0.1:1", "text: The connection failed. Its host refused the connection."),
        ("sandbox", "sandbox: The sandbox is part of Signalbox, so there is nothing to connect to."),
    ],
)
def test_a_probe_says_what_is_wrong_in_plain_words(console: Client, settings, entry: str, said: str):
    settings.PROVIDERS = [entry]

    assert message_of(console.post(f"{PAGE}providers/{entry.partition('=')[0]}/probe/")) == said


def test_a_probe_of_a_gateway_connects_only(console: Client, settings, smtp_sink: SmtpSink):
    settings.PROVIDERS = [f"text=http://:s@127.0.0.1:{smtp_sink.port}/m"]

    said = message_of(console.post(f"{PAGE}providers/text/probe/"))

    assert said.startswith(
        f"text: Connected to 127.0.0.1:{smtp_sink.port}. The login cannot be tested without a message"
    )
