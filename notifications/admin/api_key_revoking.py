"""Revoking API keys, one or many."""

from collections.abc import Sequence

from django.utils import timezone

from config.console import audit
from config.console.background import kinds, steps
from config.console.background.kinds import Kind, over_rows
from config.console.models import BackgroundStep
from notifications.models import ApiKey

KIND = "revoke-keys"


def revoke(step: BackgroundStep, ids: Sequence[str]) -> int:
    """Revoke those of these keys that are not yet, and return how many; the audit has a row for each."""
    keys = list(ApiKey.objects.select_for_update().filter(pk__in=ids, revoked_at=None))
    ApiKey.objects.filter(pk__in=[key.pk for key in keys]).update(
        revoked_at=timezone.now(), revoked_by=steps.author_of(step)
    )
    for key in keys:
        audit.record(
            steps.actor_of(step),
            "revoked",
            object_kind="apikey",
            object_id=key.pk,
            label=key.name,
            service_id=key.service_id,
            before={"name": key.name, "last4": key.last4},
        )
    return len(keys)


kinds.register(
    Kind(
        name=KIND,
        verb="Revoke",
        noun="key",
        done="revoked",
        batch=over_rows(revoke),
        after="Calls with them fail within 2 seconds.",
    )
)
