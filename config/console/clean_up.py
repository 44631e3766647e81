"""The console's retention rules: sessions, searches, forms, invites, jobs, audit, and runs of clean-up."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from config.accounts.invite import Invite
from config.audit.models import AuditEvent
from config.audit.reads import READS_ARE_KEPT_FOR, ReadEvent
from config.console import shown_once
from config.console.models import SEARCHES_ARE_KEPT_FOR, SavedSearch, SpentNonce
from config.jobs import rules
from config.jobs.models import BulkJobRun, RetentionRun
from config.jobs.registry import Batch
from config.jobs.rules import Due, Group, RetentionRule

EMPTY_RUNS_ARE_KEPT_FOR = timedelta(days=7)
JOBS_ARE_KEPT_FOR = timedelta(days=7)
_HOURLY = timedelta(hours=1)


def _sessions() -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")


def _searches() -> QuerySet[SavedSearch]:
    return SavedSearch.objects.filter(created_at__lt=timezone.now() - SEARCHES_ARE_KEPT_FOR).order_by("created_at")


def _nonces() -> QuerySet[SpentNonce]:
    return SpentNonce.objects.filter(spent_at__lt=timezone.now() - shown_once.FORMS_ARE_VALID_FOR).order_by("spent_at")


def _runs() -> QuerySet[RetentionRun]:
    """Return week-old runs that removed nothing, except the last run of each rule, which the console shows."""
    of_rule = RetentionRun.objects.filter(rule=OuterRef("rule")).order_by("-started_at").values("pk")[:1]
    old = RetentionRun.objects.filter(started_at__lt=timezone.now() - EMPTY_RUNS_ARE_KEPT_FOR, removed=0, error="")
    return old.exclude(finished_at=None).exclude(pk=Subquery(of_rule)).order_by("started_at")


def _jobs() -> QuerySet[BulkJobRun]:
    return BulkJobRun.objects.filter(finished_at__lt=timezone.now() - JOBS_ARE_KEPT_FOR).order_by("finished_at")


def _invites() -> QuerySet[Invite]:
    return Invite.objects.filter(expires_at__lt=timezone.now()).order_by("expires_at")


def _due_events() -> list[Due]:
    return rules.preview(AuditEvent.objects.past(settings.AUDIT_RETENTION_DAYS), "audit", "at")


def _remove_events() -> Iterator[Batch]:
    while number := AuditEvent.objects.purge(settings.AUDIT_RETENTION_DAYS, rules.AT_ONCE):
        yield Batch(label="audit", number=number)


RULES = (
    RetentionRule(
        name="sessions",
        title="Expired sessions",
        group=Group.ACCOUNTS,
        keeps=lambda: "until they expire: after 30 minutes without activity, or 12 hours",
        preview=lambda: rules.preview(_sessions(), "sessions", "expire_date"),
        remove=lambda: rules.delete(_sessions(), "sessions"),
        every=_HOURLY,
        position=1,
    ),
    RetentionRule(
        name="searches",
        title="Saved searches",
        keeps=lambda: f"{SEARCHES_ARE_KEPT_FOR.days} days",
        preview=lambda: rules.preview(_searches(), "searches", "created_at"),
        remove=lambda: rules.delete(_searches(), "searches"),
        every=_HOURLY,
        position=1,
    ),
    RetentionRule(
        name="forms",
        title="Used one-time forms",
        keeps=lambda: "for as long as the form could be sent again",
        preview=lambda: rules.preview(_nonces(), "forms", "spent_at"),
        remove=lambda: rules.delete(_nonces(), "forms"),
        every=_HOURLY,
        position=1,
    ),
    RetentionRule(
        name="invites",
        title="Expired invites",
        group=Group.ACCOUNTS,
        keeps=lambda: "until their link expires",
        preview=lambda: rules.preview(_invites(), "invites", "expires_at"),
        remove=lambda: rules.delete(_invites(), "invites"),
        position=1,
    ),
    RetentionRule(
        name="background-jobs",
        title="Finished background jobs",
        keeps=lambda: f"{JOBS_ARE_KEPT_FOR.days} days",
        preview=lambda: rules.preview(_jobs(), "background jobs", "finished_at"),
        remove=lambda: rules.delete(_jobs(), "background jobs"),
        position=1,
    ),
    RetentionRule(
        name="audit",
        title="Audit",
        group=Group.ACCOUNTS,
        keeps=lambda: f"{settings.AUDIT_RETENTION_DAYS} days",
        preview=_due_events,
        remove=_remove_events,
        position=1,
    ),
    RetentionRule(
        name="read-log",
        title="Read log",
        group=Group.ACCOUNTS,
        keeps=lambda: f"{READS_ARE_KEPT_FOR.days} days",
        preview=lambda: rules.preview(ReadEvent.objects.past(), "read log", "at"),
        remove=lambda: rules.delete(ReadEvent.objects.past(), "read log"),
        position=1,
    ),
    RetentionRule(
        name="runs",
        title="Clean-up runs that removed nothing",
        keeps=lambda: f"{EMPTY_RUNS_ARE_KEPT_FOR.days} days",
        preview=lambda: rules.preview(_runs(), "runs", "started_at"),
        remove=lambda: rules.delete(_runs(), "runs"),
        position=1,
    ),
)
