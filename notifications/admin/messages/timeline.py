"""The timeline of one message, and its summary in one sentence. Source: docs/reference/console.md §2.10."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from config import formats
from config.console import cells
from notifications.admin.messages import status_titles
from notifications.delivery.providers.sandbox import SANDBOX
from notifications.models import Channel, KeyType, MessageOrigin, Notification, Status
from notifications.models.failure_reason import has_bad_email_address
from notifications.models.notification import EXPIRED, SUPPRESSED
from notifications.models.status import COMPLETED

_OUTCOMES = {
    "accepted": "{provider} accepted it",
    "temporary": "{provider} did not accept it for now",
    "permanent": "{provider} refused it",
    "uncertain": "It is unknown whether {provider} accepted it",
    "test": "Test message: not handed to a provider",
}
_REPORTS = {
    "delivered": "{provider} reports: delivered",
    "pending": "{provider} reports: still trying",
    "temporary-failure": "{provider} reports: not accepted for now",
    "permanent-failure": "{provider} reports: not delivered",
    "technical-failure": "{provider} reports: it failed",
    "complaint": "{provider} reports: the recipient complained about it",
}


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One entry. at: None if the time is unknown; details: facts shown in small type."""

    title: str
    at: datetime | None = None
    details: tuple[str, ...] = ()


def of(message: Notification) -> list[TimelineEntry]:
    """Return the timeline of a message, oldest entry first."""
    return [*_beginning(message), *_attempts(message), *_reports(message), *_end(message)]


def sentence(message: Notification) -> str:
    """Return one sentence on what happened to a message, without status names."""
    if reason := message.suppressed_by:
        return f"Nothing was sent, because the recipient is suppressed. Reason: {reason.label.lower()}."
    provider = message.provider or "The provider"
    is_email = message.channel == Channel.EMAIL
    match Status(message.status):
        case Status.CREATED:
            return _waiting(message)
        case Status.SENDING:
            return f"{provider} accepted it and has not reported a delivery yet."
        case Status.PENDING:
            return f"{provider} accepted it and is still trying to reach the recipient."
        case Status.SENT if message.is_acceptance_final:
            return f"{provider} accepted it. This provider does not report whether a message arrived."
        case Status.SENT:
            return f"{provider} accepted it. Networks in this number's country send no delivery receipts."
        case Status.DELIVERED if message.is_acceptance_final:
            return f"The mail server accepted it. {provider} does not report whether an email reached its recipient."
        case Status.DELIVERED if message.key_type == KeyType.TEST:
            return "This was a test: nothing was sent, and it was marked as delivered."
        case Status.DELIVERED if message.provider == SANDBOX:
            return "Marked as delivered by the sandbox; nobody received it."
        case Status.DELIVERED:
            return f"It reached the recipient{_after(message)}."
        case Status.PERMANENT_FAILURE if is_email and not has_bad_email_address(message):
            return "It was not delivered: the mail server refused the email. Its answer is below."
        case Status.PERMANENT_FAILURE if is_email:
            return "It was not delivered: the email address does not exist or refuses our emails."
        case Status.PERMANENT_FAILURE:
            return "It was not delivered: the number is wrong or out of use, or the network refused the text."
        case Status.CANCELLED:
            return "It was cancelled before its time. Nothing was sent."
        case Status.TEMPORARY_FAILURE:
            cause = (
                "The mailbox may be full or its server down" if is_email else "The phone may be off or without signal"
            )
            return f"It did not reach the recipient in time. {cause}. Sending it again may succeed."
    if message.has_expired:
        return _expired(message)
    return "A technical failure prevented delivery. Send it again after the cause is fixed."


def _expired(message: Notification) -> str:
    kind = "An email" if message.channel == Channel.EMAIL else "A text message"
    limit = f"{kind} expires {formats.counted(settings.GIVE_UP_HOURS[message.channel], 'hour')} after its due time."
    if any(entry.get("outcome") == "uncertain" for entry in message.attempts):
        return f"It expired before a provider confirmed it. It may have been sent all the same. {limit}"
    return f"It expired before a provider accepted it, so it was not sent. {limit}"


def _waiting(message: Notification) -> str:
    if message.quiet_until and message.quiet_until > timezone.now():
        return f"It waits for the end of the quiet hours, {formats.on(message.quiet_until)}."
    if message.scheduled_for and message.scheduled_for > timezone.now():
        return f"It is scheduled for {formats.spoken(message.scheduled_for)}."
    if not message.attempts:
        return "It is waiting to be sent. There has been no attempt yet."
    times = "once" if len(message.attempts) == 1 else f"{len(message.attempts)} times"
    return f"It was tried {times} without success. The next attempt is {formats.on(message.next_attempt_at)}."


def _after(message: Notification) -> str:
    if message.completed_at is None:
        return ""
    seconds = max(
        0.0,
        (message.completed_at - (message.quiet_until or message.scheduled_for or message.created_at)).total_seconds(),
    )
    return f" {formats.duration(seconds)} after it was accepted"


def _beginning(message: Notification) -> Iterator[TimelineEntry]:
    key = message.api_key
    if message.origin == MessageOrigin.CONSOLE:
        by = f"by {cells.author(message.created_by)} in the console" if message.created_by else "in the console"
    else:
        by = f"by the key {key.name}" if key else "by a deleted key"
    client = f"last client of the key: {key.last_client}" if key and key.last_client else ""
    request = f"request {message.request_id}" if message.request_id else ""
    details = tuple(detail for detail in (by, client, request) if detail)
    yield TimelineEntry("Accepted", message.created_at, details)
    if message.scheduled_for:
        yield TimelineEntry("Scheduled", message.scheduled_for)
    elif not message.quiet_until:
        yield TimelineEntry("Queued", message.created_at)
    if message.quiet_until:
        yield TimelineEntry("End of the quiet hours", message.quiet_until)


def _attempts(message: Notification) -> Iterator[TimelineEntry]:
    entries: list[dict[str, Any]] = [
        entry for entry in message.attempts if entry.get("outcome") not in (EXPIRED, SUPPRESSED)
    ]
    for number, entry in enumerate(entries, start=1):
        provider = entry.get("provider") or "a provider"
        title = _OUTCOMES.get(entry.get("outcome", ""), entry.get("outcome", "")).format(provider=provider)
        if entry.get("outcome") == "accepted" and provider == SANDBOX:
            title = "Handed to the sandbox"
        reply = f"“{entry['reply']}”" if entry.get("reply") else ""
        took = f"{formats.number(entry['ms'])} ms" if entry.get("ms") else ""
        details = [detail for detail in (reply, took) if detail]
        if number == len(entries) and message.status == Status.CREATED:
            details.append(f"next attempt {formats.spoken(message.next_attempt_at)}")
        title = f"Attempt {number}: {title}" if len(entries) > 1 else title
        yield TimelineEntry(title, _moment(entry.get("at")), tuple(details))


def _reports(message: Notification) -> Iterator[TimelineEntry]:
    for entry in message.receipts:
        outcome = entry.get("outcome", "")
        title = _REPORTS.get(outcome, outcome).format(provider=message.provider or "the provider")
        details = (f"provider code: {entry['code']}",) if entry.get("code") else ()
        yield TimelineEntry(title, _moment(entry.get("at")), details)


def _end(message: Notification) -> Iterator[TimelineEntry]:
    status = Status(message.status)
    if status in COMPLETED:
        title = status_titles.of(message)
        yield TimelineEntry(title, message.completed_at, (status.value,))


def _moment(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None
