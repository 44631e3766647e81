"""The identities of accounts at an OpenID Connect provider."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class SignOnIdentity(models.Model):
    """One person at one provider, and their account. `subject` never changes there, unlike an email address."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "operations"  # the console's migrations create the table
        db_table = "operations_sign_on_identity"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="sign_on_identity_unique")]

    def __str__(self) -> str:
        return f"Sign-on identity {self.pk}"
