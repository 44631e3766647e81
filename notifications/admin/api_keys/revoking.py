"""Revoking API keys, one or many."""

from collections.abc import Sequence

from django.utils import timezone

from config import audit
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications.models import ApiKey

KIND = "revoke-keys"


def revoke(run: BulkJobRun, ids: Sequence[str]) -> int:
    """Revoke the active keys among these, audit each one, and return how many there were."""
    keys = list(ApiKey.objects.select_for_update().filter(pk__in=ids, revoked_at=None))
    ApiKey.objects.filter(pk__in=[key.pk for key in keys]).update(revoked_at=timezone.now(), revoked_by=run.author)
    for key in keys:
        audit.record(run.actor, "revoked", key, before={"name": key.name, "last4": key.last4})
    return len(keys)


REVOKE_KEYS = BulkJob(
    name=KIND,
    verb="Revoke",
    noun="key",
    done="revoked",
    work=over_rows(revoke),
    after="Calls with them fail within 2 seconds.",
)
