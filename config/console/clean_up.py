"""The console's retention rules: sessions, searches, forms, invites, jobs, audit, and runs of clean-up."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from config.accounts.invite import Invite
from config.accounts.saved_search import SEARCHES_ARE_KEPT_FOR, SavedSearch
from config.audit.models import AuditEvent
from config.audit.reads import READS_ARE_KEPT_FOR, ReadEvent
from config.console import shown_once
from config.console.models import SpentNonce
from config.jobs import rules
from config.jobs.models import BulkJobRun, RetentionRun
from config.jobs.registry import Batch
from config.jobs.rules import RetentionRule, RuleGroup

EMPTY_RUNS_ARE_KEPT_FOR = timedelta(days=7)
JOBS_ARE_KEPT_FOR = timedelta(days=7)
_HOURLY = timedelta(hours=1)


def _runs() -> QuerySet[RetentionRun]:
    """Return week-old runs that removed nothing, except the last run of each rule, which the console shows."""
    of_rule = RetentionRun.objects.filter(rule=OuterRef("rule")).order_by("-started_at").values("pk")[:1]
    old = RetentionRun.objects.filter(**_before("started_at", EMPTY_RUNS_ARE_KEPT_FOR), removed=0, error="")
    return old.exclude(finished_at=None).exclude(pk=Subquery(of_rule))


def _remove_events() -> Iterator[Batch]:
    while number := AuditEvent.objects.purge(settings.AUDIT_RETENTION_DAYS, rules.AT_ONCE):
        yield Batch(label="audit", number=number)


def _before(column: str, age: timedelta) -> dict[str, Combinable]:
    return {f"{column}__lt": Now() - age}


RULES = (
    rules.for_rows(
        {"sessions": lambda: Session.objects.filter(expire_date__lt=Now())},
        "expire_date",
        name="sessions",
        title="Expired sessions",
        group=RuleGroup.ACCOUNTS,
        keeps=lambda: "until they expire: after 30 minutes without activity, or 12 hours",
        every=_HOURLY,
    ),
    rules.for_rows(
        {"searches": lambda: SavedSearch.objects.filter(**_before("created_at", SEARCHES_ARE_KEPT_FOR))},
        "created_at",
        name="searches",
        title="Saved searches",
        keeps=lambda: f"{SEARCHES_ARE_KEPT_FOR.days} days",
        every=_HOURLY,
    ),
    rules.for_rows(
        {"forms": lambda: SpentNonce.objects.filter(**_before("spent_at", shown_once.FORMS_ARE_VALID_FOR))},
        "spent_at",
        name="forms",
        title="Used one-time forms",
        keeps=lambda: "for as long as the form could be sent again",
        every=_HOURLY,
    ),
    rules.for_rows(
        {"invites": lambda: Invite.objects.filter(expires_at__lt=Now())},
        "expires_at",
        name="invites",
        title="Expired invites",
        group=RuleGroup.ACCOUNTS,
        keeps=lambda: "until their link expires",
    ),
    rules.for_rows(
        {"background jobs": lambda: BulkJobRun.objects.filter(**_before("finished_at", JOBS_ARE_KEPT_FOR))},
        "finished_at",
        name="background-jobs",
        title="Finished background jobs",
        keeps=lambda: f"{JOBS_ARE_KEPT_FOR.days} days",
    ),
    RetentionRule(
        name="audit",
        title="Audit",
        group=RuleGroup.ACCOUNTS,
        keeps=lambda: f"{settings.AUDIT_RETENTION_DAYS} days",
        preview=lambda: rules.preview(AuditEvent.objects.past(settings.AUDIT_RETENTION_DAYS), "audit", "at"),
        remove=_remove_events,
    ),
    rules.for_rows(
        {"read log": ReadEvent.objects.past},
        "at",
        name="read-log",
        title="Read log",
        group=RuleGroup.ACCOUNTS,
        keeps=lambda: f"{READS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"runs": _runs},
        "started_at",
        name="runs",
        title="Clean-up runs that removed nothing",
        keeps=lambda: f"{EMPTY_RUNS_ARE_KEPT_FOR.days} days",
    ),
)
