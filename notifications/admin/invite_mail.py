"""Mail the links of the console, where a provider takes email to people. Source: Staff console §2.19."""

from uuid import UUID

from config import publishing
from config.console import invites
from config.console.invites import Mailer
from notifications import tasks
from notifications.delivery import own_email


def enqueue(invite_id: UUID) -> None:
    publishing.enqueue(tasks.mail_invite, str(invite_id))


invites.register_mailer(Mailer(leaves=own_email.leaves, enqueue=enqueue))
