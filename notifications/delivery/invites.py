"""Emails with one-time links: for invited team members, and for users who forgot their password.

The rows are the queue. The encrypted token is deleted once a provider has accepted or rejected the email.
Source: docs/reference/console.md §2.7, §2.19.
"""

from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils import timezone

from config import formats
from config.accounts import invites as console_invites
from config.accounts.invite import Invite
from config.encryption import DecryptionFailed
from notifications.delivery import own_email
from notifications.delivery.own_email import AGAIN_AFTER, Handed, LinkParagraph
from notifications.models import TeamMember
from notifications.recipients import email as email_addresses
from notifications.recipients.email import InvalidEmailAddress
from notifications.rendering.email import EmailText

log = structlog.get_logger()


def waiting() -> list[UUID]:
    """Return the invites whose email is due."""
    return list(Invite.objects.to_mail().values_list("id", flat=True))


def mail(invite_id: UUID) -> None:
    """Send the email of one invite. If the worker dies or no provider accepts, a retry follows in 5 minutes."""
    if not Invite.objects.to_mail().filter(id=invite_id).update(mail_at=Now() + AGAIN_AFTER):
        return
    # The invite may have ended since: accepted through an earlier email, or replaced by a newer invite.
    invite = Invite.objects.live().exclude(encrypted_token=None).filter(id=invite_id).first()
    holder = _holder_of(invite)
    if invite is None or holder is None:
        Invite.objects.filter(id=invite_id).end()
        return
    handed = _hand_over(invite, holder)
    log.info("invite.mailed", invite_id=str(invite_id), outcome=handed.name.lower())
    if handed is not Handed.NOT_YET:
        undelivered_at = Now() if handed is Handed.REFUSED else None
        Invite.objects.filter(id=invite_id).update(mail_at=None, encrypted_token=None, undelivered_at=undelivered_at)


def _holder_of(invite: Invite | None) -> TeamMember | User | None:
    """Return the invited member, if still without an account, or the active account of a password reset."""
    if invite is None:
        return None
    if invite.user_id is not None:
        return User.objects.filter(pk=invite.user_id, is_active=True).exclude(email="").first()
    members = TeamMember.objects.select_related("service")
    return members.filter(pk=invite.member_id, user=None).first() if invite.member_id else None


def _hand_over(invite: Invite, holder: TeamMember | User) -> Handed:
    try:
        text, to = _to_member(invite, holder) if isinstance(holder, TeamMember) else _to_account(invite, holder)
        message = own_email.write(text, to=email_addresses.parse(to).ascii, identifier=invite.id)
    except (InvalidEmailAddress, DecryptionFailed) as error:
        log.error("invite.not_mailable", invite_id=str(invite.id), error=type(error).__name__)
        return Handed.REFUSED
    return own_email.hand_over(message, about="invite", must_leave=True)


def _to_member(invite: Invite, member: TeamMember) -> tuple[EmailText, str]:
    ends = timezone.localtime(invite.expires_at)
    paragraphs: list[str | LinkParagraph] = [
        f"{invite.created_by} invites you to the team of {member.service.name}.",
        "Open this link to choose a user name and a password, or to join with the account you have:",
        LinkParagraph(console_invites.link_to("admin:accept_invite", invite.token)),
        f"It works once, until {formats.full(ends)} ({ends.tzname()}). Anyone with the link can use it, "
        "so do not share it.",
    ]
    subject = f"Your invite to the team of {member.service.name}"
    return own_email.compose(subject, paragraphs), member.email_address


def _to_account(invite: Invite, user: User) -> tuple[EmailText, str]:
    ends = timezone.localtime(invite.expires_at)
    paragraphs: list[str | LinkParagraph] = [
        f"Signalbox received a request for a new password for your Signalbox account {user.username}.",
        "Open this link to choose one:",
        LinkParagraph(console_invites.link_to("choose-password", invite.token)),
        f"It works once, until {formats.clock(ends)} ({ends.tzname()}). Do not share it, because it opens your "
        "account.",
        "If you did not make this request, ignore this email. Your password does not change.",
    ]
    return own_email.compose("Choose a new password", paragraphs), user.email
