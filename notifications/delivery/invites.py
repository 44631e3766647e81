"""Mail links that work once: to people invited to the team of a service, and to those who forgot their password.

The row is the queue, as for all that is sent; its sealed token goes once a provider has taken or refused the mail.
Source: Staff console §2.7, §2.19.
"""

from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils import timezone

from config.console import invites as console_invites
from config.console.models import Invite
from config.sealing import SealBroken
from notifications.delivery import own_email
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
    holder = _holder_of(invite)
    if invite is None or holder is None:
        Invite.objects.filter(id=invite_id).end()
        return
    handed = _hand_over(invite, holder)
    log.info("invite.mailed", invite_id=str(invite_id), outcome=handed.name.lower())
    if handed is not Handed.NOT_YET:
        undelivered_at = Now() if handed is Handed.REFUSED else None
        Invite.objects.filter(id=invite_id).update(mail_at=None, sealed_token=None, undelivered_at=undelivered_at)


def _holder_of(invite: Invite | None) -> TeamMember | User | None:
    """Return the member an invite is for, while there is one without an account, or the account, while it is active."""
    if invite is None:
        return None
    if invite.user_id is not None:
        return User.objects.filter(pk=invite.user_id, is_active=True).exclude(email="").first()
    members = TeamMember.objects.select_related("service")
    return members.filter(pk=invite.member_id, user=None).first() if invite.member_id else None


def _hand_over(invite: Invite, holder: TeamMember | User) -> Handed:
    try:
        text, to = _to_member(invite, holder) if isinstance(holder, TeamMember) else _to_account(invite, holder)
        message = own_email.write(text, to=addresses.parse(to).ascii, identifier=invite.id)
    except (InvalidEmailAddress, SealBroken) as error:
        log.error("invite.not_mailable", invite_id=str(invite.id), error=type(error).__name__)
        return Handed.REFUSED
    return own_email.hand_over(message, about="invite", must_leave=True)


def _to_member(invite: Invite, member: TeamMember) -> tuple[EmailText, str]:
    ends = timezone.localtime(invite.expires_at)
    lines = [
        f"{invite.created_by} invites you to the team of {member.service.name}.",
        "Open this link to choose a user name and a password, or to join with the account you have:",
        console_invites.link_to("admin:accept_invite", invite.token),
        f"It works once, until {ends:%-d %B %Y, %H:%M %Z}. Anybody who has it can use it: do not pass it on.",
    ]
    subject = f"Your invite to the team of {member.service.name}"
    return EmailText(subject=subject, filled="\n\n".join(lines)), member.email_address


def _to_account(invite: Invite, user: User) -> tuple[EmailText, str]:
    ends = timezone.localtime(invite.expires_at)
    lines = [
        f"Somebody asked for a new password for your Signalbox account {user.username}.",
        "Open this link to choose one:",
        console_invites.link_to("choose-password", invite.token),
        f"It works once, until {ends:%H:%M %Z}. Do not pass it on: it opens your account.",
        "If you did not ask for it, ignore this email. Your password stays as it is.",
    ]
    return EmailText(subject="Choose a new password", filled="\n\n".join(lines)), user.email
