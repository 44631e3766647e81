"""The clean-up rules of messages, files, unsubscribe requests and the rows that belong to them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any  # rows of two models

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config.jobs import rules
from config.jobs.pace import REST_AFTER_OLD_ROWS, Pace
from config.jobs.registry import Batch
from config.jobs.rules import Due, RetentionRule, RuleGroup
from config.utc_days import today
from notifications.attachments import expiry, log_exports, store
from notifications.jobs import retention
from notifications.management.clean_up_bulk import BULK_SENDS
from notifications.models import (
    ApiCallError,
    ApiKeyDay,
    Attachment,
    CallbackDelivery,
    DataSetEvent,
    EndpointCalls,
    FailingCalls,
    HourlyCalls,
    HourlyCount,
    IdempotencyRecord,
    LimitNotice,
    LogExport,
    Notification,
    RefusedCalls,
    RepeatGuard,
    SandboxHookCall,
    SandboxMessage,
    Service,
    Suppression,
    TemplateUse,
    UnsubscribeProbe,
    UnsubscribeRequest,
)
from notifications.models.data_set_event import KEPT_FOR as DATA_SET_EVENTS_ARE_KEPT_FOR
from notifications.models.hourly_count import KEPT_FOR as STATISTICS_ARE_KEPT_FOR
from notifications.models.key_usage import CALLS_ARE_KEPT_FOR, ERRORS_KEPT_PER_KEY
from notifications.models.log_export import KEPT_FOR as LOG_EXPORTS_ARE_KEPT_FOR
from notifications.models.suppression import ENDED_ARE_KEPT_FOR
from notifications.models.template_use import DAYS_KEPT
from notifications.models.unsubscribe_probe import KEPT_FOR

_QUARTER_OF_AN_HOUR = timedelta(minutes=15)
_HOURLY = timedelta(hours=1)


def _old_call_errors() -> QuerySet[ApiCallError]:
    """Return the expired call errors of API keys."""
    return ApiCallError.objects.filter(at__lt=Now() - rules.ERRORS_ARE_KEPT_FOR).order_by("at")


def _due_messages() -> Iterator[Due]:
    found: defaultdict[str, list[Due]] = defaultdict(list)
    for services in retention.with_equal("retention_days", Service.objects.all()):
        for rows in (*retention.due_messages(*services), *retention.due_received(*services)):
            for due in rules.preview_each(rows, "service__name", "created_at"):
                found[due.label].append(due)
    for name, parts in sorted(found.items()):
        oldest = min(one.oldest for one in parts if one.oldest)
        yield Due(label=name, number=sum(one.number for one in parts), oldest=oldest)


def _remove_messages() -> Iterator[Batch]:
    """Delete old messages and received texts, and the encrypted copies of finished messages."""
    while some := list(Notification.objects.still_encrypted().values_list("pk", flat=True)[: rules.AT_ONCE]):
        Notification.objects.still_encrypted().filter(pk__in=some).update(encrypted_outgoing=None)
        yield Batch(label="encrypted copies", number=0)
    for service, number in retention.purge():
        yield Batch(label=service.name, number=number)


def _with_done_requests() -> Iterable[Service]:
    done = UnsubscribeRequest.objects.exclude(done_at=None).filter(service=OuterRef("pk"))
    return Service.objects.filter(Exists(done)).order_by("name")


def _due_requests() -> Iterator[Due]:
    for services in retention.with_equal("unsubscribe_request_days", _with_done_requests()):
        yield from rules.preview_each(UnsubscribeRequest.objects.to_forget(*services), "service__name", "done_at")


def _remove_requests() -> Iterator[Batch]:
    for service in _with_done_requests():
        yield from rules.delete(UnsubscribeRequest.objects.to_forget(service), service.name)


def _due_files() -> Iterator[Due]:
    yield from rules.preview_each(Attachment.objects.to_remove(timezone.now()), "service__name", "expires_at")


def _remove_files_of_age(age: timedelta) -> Iterator[Batch]:
    """Delete expired files and, for `manage.py sweep files --older-than`, orphans of that age."""
    yield from expiry.remove_due()
    yield from expiry.remove_orphans(age)


def _due_remains() -> list[Due]:
    """Return the counts of rows only, because listing the whole store takes minutes."""
    old = Attachment.objects.to_forget(timezone.now())
    return rules.preview(old, "rows of files removed a year ago", "deleted_at")


def _remove_remains() -> Iterator[Batch]:
    yield from rules.delete(Attachment.objects.to_forget(timezone.now()), "rows of files removed a year ago")
    try:
        yield from expiry.remove_orphans()
    except store.StoreAway:
        yield Batch(label="files", number=0, error=expiry.AWAY)


def _old_limit_uses(model: type[RefusedCalls | LimitNotice]) -> QuerySet[Any]:
    return model._default_manager.filter(day__lt=today() - rules.ERRORS_ARE_KEPT_FOR)


RULES = (
    RetentionRule(
        name="old-messages",
        title="Messages",
        group=RuleGroup.MESSAGES,
        keeps=lambda: "3 to 90 days by the UTC date, as set for each service; statistics remain",
        preview=_due_messages,
        remove=_remove_messages,
        new_pace=partial(Pace, rest_by_work=REST_AFTER_OLD_ROWS),
    ),
    BULK_SENDS,
    RetentionRule(
        name="unsubscribe-requests",
        title="Unsubscribe requests that are done",
        group=RuleGroup.MESSAGES,
        keeps=lambda: "30 to 730 days after staff mark them as done, as set for each service; other requests stay",
        preview=_due_requests,
        remove=_remove_requests,
    ),
    RetentionRule(
        name="files",
        title="Expired files",
        group=RuleGroup.MESSAGES,
        keeps=lambda: "1 to 78 weeks, as the sender chose; withdrawn files are deleted at once",
        preview=_due_files,
        remove=expiry.remove_due,
        aged=_remove_files_of_age,
        every=_QUARTER_OF_AN_HOUR,
    ),
    RetentionRule(
        name="log-exports",
        title="CSV files of the message log",
        group=RuleGroup.MESSAGES,
        keeps=lambda: f"{LOG_EXPORTS_ARE_KEPT_FOR.days} days; expired files cannot be downloaded even before",
        preview=lambda: rules.preview(LogExport.objects.to_forget(), "CSV files", "expires_at"),
        remove=log_exports.remove_expired,
        every=_HOURLY,
    ),
    RetentionRule(
        name="file-remains",
        title="Leftovers of deleted files",
        keeps=lambda: "the entry of a deleted file for a year; a file without an entry for a day",
        preview=_due_remains,
        remove=_remove_remains,
    ),
    rules.for_rows(
        {"all services": IdempotencyRecord.to_forget},
        "created_at",
        name="message-keys",
        title="Idempotency keys of messages",
        keeps=lambda: "24 hours",
        every=_HOURLY,
    ),
    rules.for_rows(
        {"all services": Suppression.objects.to_forget},
        "created_at",
        name="suppressions",
        title="Suppressions that ended",
        group=RuleGroup.MESSAGES,
        keeps=lambda: f"{ENDED_ARE_KEPT_FOR.days} days after they are lifted or expire; active ones stay",
    ),
    rules.for_rows(
        {"all services": RepeatGuard.objects.to_forget},
        "created_at",
        name="repeat-guards",
        title="References of the repeat guard",
        keeps=lambda: "24 hours, as hashes",
        every=_HOURLY,
    ),
    rules.for_rows(
        {"all services": _old_call_errors},
        "at",
        name="key-errors",
        title="Errors of API keys",
        keeps=lambda: f"the latest {ERRORS_KEPT_PER_KEY} of each key, for {rules.ERRORS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"calls by day": ApiKeyDay.objects.to_forget, "calls by endpoint": EndpointCalls.objects.to_forget},
        "day",
        name="calls-of-keys",
        title="Calls of API keys",
        keeps=lambda: f"{CALLS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"names of values": TemplateUse.objects.to_forget, "failing calls": FailingCalls.objects.to_forget},
        "day",
        name="template-uses",
        title="Names that calls send for templates, and calls that a change breaks",
        keeps=lambda: f"{DAYS_KEPT} days, without values",
    ),
    rules.for_rows(
        {
            "counts of refused calls": lambda: _old_limit_uses(RefusedCalls),
            "notices of limits": lambda: _old_limit_uses(LimitNotice),
        },
        "day",
        name="limit-uses",
        title="Counts and notices of limits",
        keeps=lambda: f"{rules.ERRORS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"all services": HourlyCalls.objects.to_forget},
        "at",
        name="call-statistics",
        title="Statistics of requests and callbacks",
        keeps=lambda: f"{STATISTICS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"all services": HourlyCount.objects.to_forget},
        "day",
        name="message-statistics",
        title="Statistics of messages",
        group=RuleGroup.MESSAGES,
        keeps=lambda: f"{STATISTICS_ARE_KEPT_FOR.days} days, without recipients",
    ),
    rules.for_rows(
        {"all services": CallbackDelivery.objects.to_forget},
        "created_at",
        name="callback-tests",
        title="Test events of callbacks",
        keeps=lambda: "7 days; other events are deleted with what they report",
    ),
    rules.for_rows(
        {"all services": DataSetEvent.objects.to_forget},
        "created_at",
        name="data-set-events",
        title="Callbacks about data sets",
        keeps=lambda: f"{DATA_SET_EVENTS_ARE_KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"all services": UnsubscribeProbe.objects.to_forget},
        "created_at",
        name="unsubscribe-url-tests",
        title="Tests of unsubscribe URLs",
        keeps=lambda: f"{KEPT_FOR.days} days",
    ),
    rules.for_rows(
        {"sandbox inbox": SandboxMessage.objects.to_forget},
        "received_at",
        name="sandbox",
        title="Sandbox messages",
        keeps=lambda: "the latest 2,000 of the last 7 days",
        every=_QUARTER_OF_AN_HOUR,
    ),
    rules.for_rows(
        {"webhooks of the sandbox": SandboxHookCall.objects.to_forget},
        "received_at",
        name="sandbox-hook-calls",
        title="Calls of sandbox webhooks",
        keeps=lambda: "the latest 200 of each webhook, for 7 days",
    ),
)
