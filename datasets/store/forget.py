"""Forget idempotency keys that nobody can replay any more. Source: Data Set contract §8, §14."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from datasets.models import RememberedKey

_AT_ONCE = 5_000  # rows in one statement: short enough to hold nobody up


def forget_old_keys() -> int:
    """Delete what is older than DATASETS_IDEMPOTENCY_HOURS, in small steps; return how many rows went."""
    oldest_kept = timezone.now() - timedelta(hours=settings.DATASETS_IDEMPOTENCY_HOURS)
    removed = 0
    while True:
        old = RememberedKey.objects.filter(created_at__lte=oldest_kept).values_list("pk", flat=True)[:_AT_ONCE]
        gone = RememberedKey.objects.filter(pk__in=list(old)).delete()[0]
        removed += gone
        if gone < _AT_ONCE:
            return removed
