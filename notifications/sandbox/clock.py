"""The test clock: move the times of stored rows into the past, which is the same as to move the clock forward.

The clocks of the processes and of the database stay as they are, so one service can move without the others. What is
due then is done by the usual tasks. Source: docs/reference/running.md §9.
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, F, Q, When

from config.databases import races
from config.jobs import retention, rules
from config.jobs.models import Trigger
from config.jobs.tasks import work_on_run
from config.queue import publishing
from notifications import errors, tasks
from notifications.delivery.providers.sandbox import SANDBOX
from notifications.models import (
    ApiKey,
    Attachment,
    BulkRow,
    BulkSend,
    CallbackDelivery,
    CallbackEndpoint,
    DownloadEvent,
    IdempotencyRecord,
    Notification,
    ReceivedEmail,
    ReceivedText,
    RepeatGuard,
    SandboxEvent,
    SandboxMessage,
    Service,
    Suppression,
    UnsubscribeRequest,
)
from notifications.sandbox.tasks import play_events

MOST_SECONDS = 3 * 366 * 24 * 3600
# Earlier times stay: Python knows no years before 1, and a time that is long past need not move.
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)

# The columns that move, with the path to the service. Claims and leases of running processes keep their real time.
# Daily counts and limits stay on their days. Entries of a message's timeline keep their times.
MOVED: dict[type[models.Model], tuple[str, str]] = {
    Notification: (
        "service",
        "created_at scheduled_for sent_at completed_at due_at quiet_until next_attempt_at",
    ),
    CallbackDelivery: ("endpoint__service", "sent_at completed_at created_at finished_at next_attempt_at"),
    CallbackEndpoint: ("service", "old_signing_secret_until failing_since"),
    Attachment: (
        "service",
        "created_at expires_at withdrawn_at deleted_at missing_since window_started_at day_started_at locked_until "
        "last_download_at",
    ),
    DownloadEvent: ("attachment__service", "at"),
    BulkSend: (
        "service",
        "created_at accepted_at scheduled_for processing_started processing_finished paused_at checked_at next_step_at",
    ),
    BulkRow: ("bulk_send__service", "not_before"),
    ReceivedText: ("service", "created_at"),
    ReceivedEmail: ("service", "created_at"),
    Suppression: ("service", "created_at expires_at lifted_at"),
    UnsubscribeRequest: ("service", "email_created_at created_at done_at"),
    IdempotencyRecord: ("api_key__service", "created_at"),
    RepeatGuard: ("service", "created_at"),
    ApiKey: ("service", "expires_at"),
    SandboxMessage: ("", "received_at"),
    SandboxEvent: ("", "due_at"),
}


def advance(seconds: int, service: Service | None = None) -> None:
    """Move the clock of one service, or of all if it is None, and wake the workers for what is due then.

    Raises SandboxClockRefused if a message of this installation can reach a person.
    """
    if settings.PROVIDERS != [SANDBOX] or settings.ENVIRONMENT == "production":
        raise errors.SandboxClockRefused
    races.twice_at_most(lambda: _move(timedelta(seconds=seconds), service))  # workers write the same rows
    _wake()


@transaction.atomic
def _move(by: timedelta, service: Service | None) -> None:
    races.wait_for_others("sandbox clock")
    for model, (path, columns) in MOVED.items():
        rows = model._default_manager.all()
        if service is not None:
            rows = rows.filter(**{path: service} if path else _of_messages(service))
        rows.update(**{name: _moved(name, by) for name in columns.split()})


def _moved(column: str, by: timedelta) -> Case:
    return Case(When(**{f"{column}__gte": EARLIEST + by}, then=F(column) - by), default=F(column))


def _of_messages(service: Service) -> dict[str, object]:
    return {"notification_id__in": Notification.objects.filter(Q(service=service)).values("pk")}


def _wake() -> None:
    """Publish the tasks that the clock would publish in this time, and start the clean-up rules with due rows."""
    tasks.wake_for_due()
    tasks.wake_for_due_callbacks()
    publishing.enqueue(play_events)
    publishing.enqueue(tasks.close_without_receipt)
    for rule in rules.registered():
        if any(True for _ in rule.preview()):
            run, is_new = retention.start(rule, Trigger.COMMAND)
            if is_new:
                publishing.enqueue(work_on_run, str(run.pk))
