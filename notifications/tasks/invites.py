"""Tasks for the emails of invites: one sends an email, the sweep finds invites without a wake-up."""

from uuid import UUID

from celery import shared_task

from config.queue import publishing
from notifications.delivery import invites


@shared_task
def mail_invite(invite_id: str) -> None:
    """Email the link of one invite."""
    invites.mail(UUID(invite_id))


@shared_task
def sweep_invites() -> None:
    """Publish a task for each invite whose email is due, every minute."""
    for invite_id in invites.waiting():
        publishing.enqueue(mail_invite, str(invite_id))
