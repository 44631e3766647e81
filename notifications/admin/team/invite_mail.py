"""Mail links of the console if a provider sends real email. Source: docs/reference/console.md §2.19."""

from uuid import UUID

from config.accounts.invites import Mailer
from config.queue import publishing
from notifications import tasks
from notifications.delivery import own_email


def enqueue(invite_id: UUID) -> None:
    publishing.enqueue(tasks.mail_invite, str(invite_id))


MAILER = Mailer(leaves=own_email.can_reach_people, enqueue=enqueue)
