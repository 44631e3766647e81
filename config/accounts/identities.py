"""The identities of accounts at an OpenID Connect provider."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone


class SignOnIdentity(models.Model):
    """One person at one provider, and their account. `subject` never changes there, unlike an email address.

    An account has one identity of an issuer, so that no second person at the provider can use it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "operations"  # the console's migrations create the table
        db_table = "operations_sign_on_identity"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="sign_on_identity_unique"),
            models.UniqueConstraint(fields=["user", "issuer"], name="sign_on_identity_one_an_account"),
        ]

    def __str__(self) -> str:
        return f"Sign-on identity {self.pk}"


def find(issuer: str, subject: str) -> SignOnIdentity | None:
    """Return the identity with exactly this subject, with its account."""
    return SignOnIdentity.objects.select_related("user").filter(issuer=issuer, subject=subject).first()


def of_account(user: User) -> models.QuerySet[SignOnIdentity]:
    return SignOnIdentity.objects.filter(user=user)


def is_of_another(user: User, issuer: str, subject: str) -> bool:
    """Return whether the account belongs to another subject of this issuer."""
    return of_account(user).filter(issuer=issuer).exclude(subject=subject).exists()


def bind(user: User, issuer: str, subject: str) -> None:
    """Store an account's identity. Raises IntegrityError if the subject or the account already has one."""
    SignOnIdentity.objects.create(user=user, issuer=issuer, subject=subject)


def remove_all(user: User) -> int:
    """Remove an account's identities and return their number. The next sign-in binds the account again."""
    return of_account(user).delete()[0]
