"""Mail to somebody who is invited to the team of a service: the link that works once.

The row is the queue, as for all that is sent; its sealed token goes once a provider has taken or refused the mail.
Source: Staff console §2.7.
"""

from uuid import UUID

import structlog
from django.db.models.functions import Now
from django.utils import timezone

from config.console import invites as console_invites
from config.console.models import Invite
from config.sealing import SealBroken
from notifications.delivery import own_email
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.own_email import AGAIN_AFTER, Handed
from notifications.models import TeamMember
from notifications.recipients import email as addresses
from notifications.recipients.email import InvalidEmailAddress
from notifications.rendering.email import EmailText

log = structlog.get_logger()


def waiting() -> list[UUID]:
    """Return the invites that are to be mailed now."""
    return list(Invite.objects.to_mail().values_list("id", flat=True))


def mail(invite_id: UUID) -> None:
    """Mail one invite; who dies meanwhile, or finds no provider, leaves it to be done again in 5 minutes."""
    if not Invite.objects.to_mail().filter(id=invite_id).update(mail_at=Now() + AGAIN_AFTER):
        return
    # It may have ended since: accepted by an earlier mail of this link, or replaced by a newer one.
    invite = Invite.objects.live().exclude(sealed_token=None).filter(id=invite_id).first()
    member = _member_of(invite)
    if invite is None or member is None:
        Invite.objects.filter(id=invite_id).end()
        return
    handed = _hand_over(invite, member)
    log.info("invite.mailed", invite_id=str(invite_id), outcome=handed.name.lower())
    if handed is not Handed.NOT_YET:
        undelivered_at = Now() if handed is Handed.REFUSED else None
        Invite.objects.filter(id=invite_id).update(mail_at=None, sealed_token=None, undelivered_at=undelivered_at)


def _member_of(invite: Invite | None) -> TeamMember | None:
    """Return the member an invite is for, while there is one without an account."""
    if invite is None or invite.member_id is None:
        return None
    return TeamMember.objects.select_related("service").filter(pk=invite.member_id, user=None).first()


def _hand_over(invite: Invite, member: TeamMember) -> Handed:
    try:
        message = _message(invite, member)
    except (InvalidEmailAddress, SealBroken) as error:
        log.error("invite.not_mailable", invite_id=str(invite.id), error=type(error).__name__)
        return Handed.REFUSED
    return own_email.hand_over(message, about="invite", must_leave=True)


def _message(invite: Invite, member: TeamMember) -> OutgoingEmail:
    ends = timezone.localtime(invite.expires_at)
    lines = [
        f"{invite.created_by} invites you to the team of {member.service.name}.",
        "Open this link to choose a name and a password, or to join with the account you have:",
        console_invites.link_to("admin:accept_invite", invite.token),
        f"It works once, until {ends:%-d %B %Y, %H:%M %Z}. Whoever holds it can use it: keep it to yourself.",
    ]
    text = EmailText(subject=f"Your invite to the team of {member.service.name}", filled="\n\n".join(lines))
    return own_email.write(text, to=addresses.parse(member.email_address).ascii, identifier=invite.id)
