"""Tasks for the emails of Signalbox to the people of a service. The sweep finds rows without a wake-up."""

from uuid import UUID

from celery import shared_task

from config.queue import publishing
from notifications.delivery import notices


@shared_task
def mail_notice(kind: str, pk: str) -> None:
    """Send the emails of one row. kind: a key of `notices.KINDS`"""
    notices.KINDS[kind].mail(UUID(pk))


@shared_task
def sweep_notices() -> None:
    """Publish a task for each row whose emails are due, every minute."""
    for kind, rows in notices.KINDS.items():
        for pk in rows.waiting():
            publishing.enqueue(mail_notice, kind, str(pk))
