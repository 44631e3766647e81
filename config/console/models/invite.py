"""Invites, by the digest of their link's token."""

import uuid
from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from config import sealing


class InviteQuerySet(models.QuerySet["Invite"]):
    def live(self) -> Self:
        """Return those that can still be accepted."""
        return self.filter(used_at=None, expires_at__gt=timezone.now())

    def to_mail(self) -> Self:
        """Return those whose link is to be mailed now."""
        return self.live().filter(mail_at__lte=Now())

    def asked_for(self) -> Self:
        """Return those that a person asked for at the sign-in, and nobody gave."""
        return self.exclude(requested_from="")

    def end(self) -> int:
        """Let those that can still be accepted be over, mailed or not. Returns how many."""
        return self.live().update(expires_at=timezone.now(), mail_at=None, sealed_token=None)


class Invite(models.Model):
    """A link that works once: for a member of a team, or for an account; one of the two ids is set.

    digest: SHA-256 of the link's token, which has 256 random bits and so needs no salt.
    sealed_token: the token, from when a link is to be mailed until a provider has taken or refused the mail.
    mail_at: from when on it is to be mailed, by the database's clock; null where none is, or no more.
    undelivered_at: when the mail was refused for good.
    requested_from: a tag of the network that a person asked for a new password from; empty where a colleague made it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member_id = models.UUIDField(null=True, blank=True, db_index=True)
    user_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)
    sealed_token = models.BinaryField(null=True, editable=False)
    mail_at = models.DateTimeField(null=True, editable=False)
    undelivered_at = models.DateTimeField(null=True, editable=False)
    requested_from = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)

    objects = InviteQuerySet.as_manager()

    class Meta:
        db_table = "operations_invite"
        indexes = [
            models.Index(fields=["mail_at"], condition=~models.Q(mail_at=None), name="invite_to_mail"),
            models.Index(
                fields=["requested_from", "created_at"],
                condition=~models.Q(requested_from=""),
                name="invite_requested_from",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(member_id__isnull=True) ^ models.Q(user_id__isnull=True), name="invite_is_for_one"
            )
        ]

    def __str__(self) -> str:
        return f"Invite {str(self.id)[:8]}"

    @property
    def token(self) -> str:
        """Return what is still to be mailed. Raises config.sealing.SealBroken."""
        return sealing.unseal(bytes(self.sealed_token or b""), table="invite", column="token", row=str(self.id))

    def set_token(self, token: str) -> None:
        """Seal what is to be mailed into this row (not saved)."""
        self.sealed_token = sealing.seal(token, table="invite", column="token", row=str(self.id))
