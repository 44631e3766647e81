"""What the console itself keeps for a while: sessions, searches, forms, invites, steps, the audit, and its runs."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from config.console import shown_once
from config.console.clean_up import batches
from config.console.clean_up.rules import Due, Group, Removed, Rule, register
from config.console.models import (
    SEARCHES_ARE_KEPT_FOR,
    AuditEvent,
    BackgroundStep,
    Invite,
    RetentionRun,
    SavedSearch,
    SpentNonce,
)

EMPTY_RUNS_ARE_KEPT_FOR = timedelta(days=7)
STEPS_ARE_KEPT_FOR = timedelta(days=7)
_HOURLY = timedelta(hours=1)


def _sessions() -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")


def _searches() -> QuerySet[SavedSearch]:
    return SavedSearch.objects.filter(created_at__lt=timezone.now() - SEARCHES_ARE_KEPT_FOR).order_by("created_at")


def _nonces() -> QuerySet[SpentNonce]:
    return SpentNonce.objects.filter(spent_at__lt=timezone.now() - shown_once.FORMS_ARE_GOOD_FOR).order_by("spent_at")


def _runs() -> QuerySet[RetentionRun]:
    """Those that found nothing, after a week; but the last one of each rule says when that was."""
    of_rule = RetentionRun.objects.filter(rule=OuterRef("rule")).order_by("-started_at").values("pk")[:1]
    old = RetentionRun.objects.filter(started_at__lt=timezone.now() - EMPTY_RUNS_ARE_KEPT_FOR, removed=0, error="")
    return old.exclude(finished_at=None).exclude(pk=Subquery(of_rule)).order_by("started_at")


def _steps() -> QuerySet[BackgroundStep]:
    return BackgroundStep.objects.filter(finished_at__lt=timezone.now() - STEPS_ARE_KEPT_FOR).order_by("finished_at")


def _invites() -> QuerySet[Invite]:
    return Invite.objects.filter(expires_at__lt=timezone.now()).order_by("expires_at")


def _due_events() -> list[Due]:
    return batches.preview(AuditEvent.objects.past(settings.AUDIT_RETENTION_DAYS), "audit", "at")


def _remove_events() -> Iterator[Removed]:
    while number := AuditEvent.objects.purge(settings.AUDIT_RETENTION_DAYS, batches.AT_ONCE):
        yield Removed(label="audit", number=number)


register(
    Rule(
        name="sessions",
        title="Expired sessions",
        group=Group.ACCOUNTS,
        keeps=lambda: "until they expire: after 30 minutes without activity, or 12 hours",
        preview=lambda: batches.preview(_sessions(), "sessions", "expire_date"),
        remove=lambda: batches.delete(_sessions(), "sessions"),
        every=_HOURLY,
        position=1,
    ),
    Rule(
        name="searches",
        title="Saved searches",
        keeps=lambda: f"{SEARCHES_ARE_KEPT_FOR.days} days",
        preview=lambda: batches.preview(_searches(), "searches", "created_at"),
        remove=lambda: batches.delete(_searches(), "searches"),
        every=_HOURLY,
        position=1,
    ),
    Rule(
        name="forms",
        title="Used one-time forms",
        keeps=lambda: "for as long as the form could be sent again",
        preview=lambda: batches.preview(_nonces(), "forms", "spent_at"),
        remove=lambda: batches.delete(_nonces(), "forms"),
        every=_HOURLY,
        position=1,
    ),
    Rule(
        name="invites",
        title="Expired invites",
        group=Group.ACCOUNTS,
        keeps=lambda: "until their link expires",
        preview=lambda: batches.preview(_invites(), "invites", "expires_at"),
        remove=lambda: batches.delete(_invites(), "invites"),
        position=1,
    ),
    Rule(
        name="steps",
        title="Finished background jobs",
        keeps=lambda: f"{STEPS_ARE_KEPT_FOR.days} days",
        preview=lambda: batches.preview(_steps(), "steps", "finished_at"),
        remove=lambda: batches.delete(_steps(), "steps"),
        position=1,
    ),
    Rule(
        name="audit",
        title="Audit",
        group=Group.ACCOUNTS,
        keeps=lambda: f"{settings.AUDIT_RETENTION_DAYS} days",
        preview=_due_events,
        remove=_remove_events,
        position=1,
    ),
    Rule(
        name="runs",
        title="Clean-up runs that removed nothing",
        keeps=lambda: f"{EMPTY_RUNS_ARE_KEPT_FOR.days} days",
        preview=lambda: batches.preview(_runs(), "runs", "started_at"),
        remove=lambda: batches.delete(_runs(), "runs"),
        position=1,
    ),
)
