"""Wake workers for bulk sends, by the name of the task, which cannot be imported where it is published."""

from config.queue import publishing
from config.queue.app import app
from notifications import tasks
from notifications.models import BulkSend

STEPS = app.signature("notifications.submission.bulk.tasks.take_steps")


def wake() -> None:
    """Wake a worker for due steps once the transaction commits."""
    publishing.enqueue(STEPS)


def wake_all(bulk_send: BulkSend) -> None:
    """Wake workers for the steps and the messages of a bulk send."""
    wake()
    tasks.wake(bulk_send.channel)
