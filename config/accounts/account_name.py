"""The names of accounts: each user name and each mailbox belongs to one account."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

from config import mailboxes


class AccountName(models.Model):
    """A user name in lower case, or the key of a mailbox, and the account that it finds.

    Django's table has user names that differ in case, and email addresses that stand twice. Such accounts of earlier
    releases, and those of commands, have no row here for the second of two equal names.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=320)

    class Meta:
        app_label = "operations"  # the console's migrations create the table
        db_table = "operations_account_name"
        constraints = [models.UniqueConstraint(fields=["name"], name="account_name_unique")]

    def __str__(self) -> str:
        return f"Account name {self.pk}"


def claim(user: User) -> None:
    """Store the names of an account, in the transaction that saves the account.

    Raises IntegrityError if another account has one of them: the check of the form has lost a race.
    """
    wanted = _names_of(user)
    AccountName.objects.filter(user=user).exclude(name__in=wanted).delete()
    for row in AccountName.objects.filter(name__in=wanted).select_related("user"):
        if row.user_id == user.pk:
            wanted.discard(row.name)
        elif row.name not in _names_of(row.user):  # a command has changed that account
            row.delete()
    for name in sorted(wanted):
        AccountName.objects.create(user=user, name=name)


def _names_of(user: User) -> set[str]:
    return {user.username.casefold(), mailboxes.key_of(user.email)} - {""}
