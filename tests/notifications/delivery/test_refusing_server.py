"""A mail server that rejects temporarily or disconnects, and the attempts in the message's row."""

from datetime import timedelta

import pytest
from django.utils import timezone

from notifications.models import Notification, Status
from tests.factories import make_notification
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db


def test_a_server_that_rejects_for_10_minutes_is_retried_by_the_table(settings):
    waited, delays = timedelta(0), []
    with ScriptedServer(RCPT="450 not now") as server:
        settings.PROVIDERS = [f"smtp-1={server.url}"]
        message = make_notification()
        while waited < timedelta(minutes=10):
            [delay] = drain_messages()
            delays.append(delay)
            waited += timedelta(seconds=delay)
            Notification.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
            message.refresh_from_db()
            assert message.status == Status.CREATED
        server.answers["RCPT"] = "250 fine"
        settings.PROVIDERS = [f"smtp-1={server.url}/"]  # a separate circuit breaker, as after a minute
        drain_messages()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert len(delays) <= 5
    for delay, table in zip(delays, [5, 30, 120, 300, 900], strict=False):
        assert 0.8 * table <= delay <= 1.2 * table + 1  # rounded up


@pytest.mark.parametrize(("stage", "outcomes"), [("DATA", ["temporary"]), ("CONTENT", ["uncertain"])])
def test_a_disconnect_is_retried_and_uncertain_after_the_final_dot(settings, stage, outcomes):
    with ScriptedServer(**{stage: ""}) as server:
        settings.PROVIDERS = [f"smtp-1={server.url}"]
        message = make_notification()
        drain_messages()
        server.answers[stage] = ScriptedServer.USUAL[stage]
        Notification.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
        drain_messages()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert [attempt["outcome"] for attempt in message.attempts] == [*outcomes, "accepted"]
    assert all(f"Message-ID: <{message.id}@signalbox.invalid>".encode() in content for content in server.contents)
