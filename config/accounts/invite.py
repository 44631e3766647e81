"""The model of invites. A row stores the hash of the token in its link."""

import uuid
from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from config import encryption


class InviteQuerySet(models.QuerySet["Invite"]):
    def live(self) -> Self:
        """Return the invites that can still be accepted."""
        return self.filter(used_at=None, expires_at__gt=timezone.now())

    def to_mail(self) -> Self:
        """Return the live invites whose link is due to be mailed."""
        return self.live().filter(mail_at__lte=Now())

    def asked_for(self) -> Self:
        """Return the invites that people requested on the sign-in page."""
        return self.exclude(requested_from="")

    def end(self) -> int:
        """Expire the live invites now and return their number. Links that are not yet mailed are never mailed."""
        return self.live().update(expires_at=timezone.now(), mail_at=None, encrypted_token=None)


class Invite(models.Model):
    """A link that works once, for a team member or for an account. Exactly one of the two ids is set.

    token_hash: SHA-256 hash of the link's token. The token has 256 random bits, so the hash needs no salt.
    encrypted_token: the token, stored until a provider accepts or rejects the mail with the link.
    mail_at: when the mail becomes due, by the database's clock. Null means that no mail is due.
    undelivered_at: when the provider rejected the mail for good.
    requested_from: keyed hash of the network that requested a new password. Empty if a colleague created the link.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member_id = models.UUIDField(null=True, blank=True, db_index=True)
    user_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)
    encrypted_token = models.BinaryField(null=True, editable=False)
    mail_at = models.DateTimeField(null=True, editable=False)
    undelivered_at = models.DateTimeField(null=True, editable=False)
    requested_from = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)

    objects = InviteQuerySet.as_manager()

    class Meta:
        app_label = "operations"  # of the console, whose migrations made the table
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
        """Return the decrypted token. Raises config.encryption.DecryptionFailed."""
        return encryption.decrypt(bytes(self.encrypted_token or b""), table="invite", column="token", row=str(self.id))

    def set_token(self, token: str) -> None:
        """Encrypt the token into this row without saving the row."""
        self.encrypted_token = encryption.encrypt(token, table="invite", column="token", row=str(self.id))
