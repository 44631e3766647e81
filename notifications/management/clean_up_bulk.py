"""The clean-up rule of bulk sends. Source: docs/reference/bulk-sending.md §3."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from config.jobs import rules
from config.jobs.registry import Batch
from config.jobs.rules import Due, RetentionRule, RuleGroup
from notifications.jobs.retention import with_equal
from notifications.models import BulkRow, BulkSend, Service

DRAFTS_ARE_KEPT_FOR = timedelta(hours=24)
_ENDED, _DRAFTS = "bulk_send__processing_finished", "tables that nobody sent"


def _old_rows(*services: Service) -> QuerySet[BulkRow]:
    """Return the rows of bulk sends that ended before the equal retention of these services."""
    oldest = Now() - timedelta(days=services[0].retention_days)
    return BulkRow.objects.filter(bulk_send__service__in=services, bulk_send__processing_finished__lt=oldest)


def _drafts() -> QuerySet[BulkSend]:
    return BulkSend.objects.abandoned_drafts(DRAFTS_ARE_KEPT_FOR).order_by("updated_at")


def _old() -> QuerySet[BulkSend]:
    oldest = Now() - timedelta(days=settings.AUDIT_RETENTION_DAYS)
    return BulkSend.objects.filter(processing_finished__lt=oldest).order_by("processing_finished")


def _services() -> QuerySet[Service]:
    return Service.objects.filter(Exists(BulkSend.objects.filter(service=OuterRef("pk")))).order_by("name")


def _due() -> Iterator[Due]:
    for services in with_equal("retention_days", _services()):
        yield from rules.preview_each(_old_rows(*services), "bulk_send__service__name", _ENDED)
    yield from rules.preview(_drafts(), _DRAFTS, "updated_at")
    yield from rules.preview(_old(), "bulk sends", "processing_finished")


def _remove() -> Iterator[Batch]:
    for service in _services():
        yield from rules.delete(_old_rows(service), service.name)
    for due in (_drafts(), _old()):
        yield from rules.delete(BulkRow.objects.filter(bulk_send__in=due.order_by()), _DRAFTS)  # few at once
        yield from rules.delete(due, _DRAFTS)


BULK_SENDS = RetentionRule(
    name="bulk-sends",
    title="Bulk sends",
    group=RuleGroup.MESSAGES,
    keeps=lambda: (
        "3 to 90 days after they end, as set for each service; drafts for 24 hours; totals for "
        f"{settings.AUDIT_RETENTION_DAYS} days"
    ),
    preview=_due,
    remove=_remove,
    every=timedelta(hours=1),
)
