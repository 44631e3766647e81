"""Invites on their way by mail: the hint that one waits, and the sweep that finds what no hint came for."""

from uuid import UUID

from celery import shared_task

from config import publishing
from notifications.delivery import invites


@shared_task
def mail_invite(invite_id: str) -> None:
    """Mail the link of one invite."""
    invites.mail(UUID(invite_id))


@shared_task
def sweep_invites() -> None:
    """Enqueue the invites that are to be mailed now, every minute."""
    for invite_id in invites.waiting():
        publishing.enqueue(mail_invite, str(invite_id))
