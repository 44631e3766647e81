"""Forget idempotency keys that nobody can replay any more. Source: Data Set contract §8, §14."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from datasets.models import RememberedKey

_AT_ONCE = 2_000  # rows in one statement: short enough to hold nobody up


def old_keys() -> QuerySet[RememberedKey]:
    """Return what is older than DATASETS_IDEMPOTENCY_HOURS."""
    oldest_kept = timezone.now() - timedelta(hours=settings.DATASETS_IDEMPOTENCY_HOURS)
    return RememberedKey.objects.filter(created_at__lte=oldest_kept)


def forget_old_keys() -> Iterator[int]:
    """Delete them in small steps, and yield the number of each."""
    while some := list(old_keys().values_list("pk", flat=True)[:_AT_ONCE]):
        yield RememberedKey.objects.filter(pk__in=some).delete()[0]
