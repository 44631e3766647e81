"""The models of the app `operations`. They store ids of the areas' rows instead of foreign keys."""

import uuid

from django.db import models
from django.utils import timezone

from config.accounts.account_name import AccountName
from config.accounts.identities import SignOnIdentity
from config.accounts.invite import Invite
from config.accounts.saved_search import SavedSearch
from config.audit.models import AuditEvent
from config.audit.reads import ReadEvent
from config.jobs.models import BulkJobRun, RetentionRun


class SpentNonce(models.Model):
    """The nonce of a form that has created its secret. The same form cannot create a second one."""

    nonce = models.UUIDField(primary_key=True)
    spent_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "operations_spent_nonce"

    def __str__(self) -> str:
        return f"Nonce {str(self.nonce)[:8]}"
