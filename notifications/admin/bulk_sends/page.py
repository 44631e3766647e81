"""The page of a bulk send that has been sent: counters, percent, and what can be done with it.

Source: docs/reference/console.md §3.4.
"""

from collections import Counter as Counted
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from notifications.admin import permissions
from notifications.admin.templates import languages
from notifications.models import BulkSend, BulkState, Channel, MessageOrigin, Role, Status
from notifications.models.bulk_send import ENDED
from notifications.models.status import COMPLETED, FAILURES

_STATES = {
    BulkState.DRAFT: ("Draft", ""),
    BulkState.SCHEDULED: ("Scheduled", "accent"),
    BulkState.PENDING: ("Sending", "accent"),
    BulkState.IN_PROGRESS: ("Sending", "accent"),
    BulkState.PAUSED: ("Paused", "warn"),
    BulkState.FINISHED: ("Finished", "good"),
    BulkState.CANCELLED: ("Cancelled", "bad"),
}


_IN_BAR = ("good", "bad", "quiet", "accent", "")  # tones, from left to right


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounter:
    """One number of the page. tone: its colour in the bar; share: percent of all rows; url: its messages in the log"""

    title: str
    number: int
    share: float
    tone: str = ""
    url: str = ""


def chip(bulk_send: BulkSend) -> SafeString:
    return cells.chip(*_STATES[BulkState(bulk_send.state)])


def context(request: HttpRequest, bulk_send: BulkSend) -> dict[str, Any]:
    statuses = Counted({one["status"]: one["count"] for one in bulk_send.status_counts()})
    failed = sum(statuses[status] for status in FAILURES)
    delivered = statuses[Status.DELIVERED] + statuses[Status.SENT]
    open_messages = sum(number for status, number in statuses.items() if status not in COMPLETED)
    cancelled = bulk_send.cancelled + statuses[Status.CANCELLED]
    done = delivered + failed + cancelled + bulk_send.simulated + bulk_send.repeat
    total = max(bulk_send.row_count, 1)
    may_open_log = permissions.may_in(request, bulk_send.service_id, [Role.SEE_ACTIVITY])
    found = (
        ("Waiting", bulk_send.waiting, "", ""),
        ("Delivering", open_messages, "accent", "delivering"),
        ("Delivered", delivered, "good", "delivered"),
        ("Failed", failed, "bad", "failed"),
        *((("Cancelled", cancelled, "quiet", ""),) if cancelled else ()),
    )
    counters = [
        RowCounter(
            title=title,
            number=number,
            share=100 * number / total,
            tone=tone,
            url=_log_url(bulk_send, status=status) if status and may_open_log else "",
        )
        for title, number, tone, status in found
    ]
    return {
        "bulk_send": bulk_send,
        "chip": chip(bulk_send),
        "sentence": _sentence(bulk_send),
        "counters": counters,
        "bar": list(_bar(counters)),
        "percent": 100 * min(done, total) // total if bulk_send.row_count else 0,
        "failed_percent": 100 * failed / (delivered + failed) if failed else 0,
        "refreshes": bulk_send.state not in ENDED or open_messages > 0,
        "facts": _facts(bulk_send),
        "log_url": _log_url(bulk_send) if may_open_log else "",
        "retries": list(bulk_send.retries.order_by("created_at")),
    }


def _log_url(bulk_send: BulkSend, **filters: str) -> str:
    query = urlencode({"bulk_send": bulk_send.pk, **filters, "key_type": "all"})
    return f"{reverse('admin:notifications_notification_changelist')}?{query}"


def _bar(counters: list[RowCounter]) -> Iterator[tuple[str, float, float]]:
    """Yield tone, start and length of the parts of the bar, in percent of its width: final messages first."""
    start = 0.0
    for counter in sorted(counters, key=lambda each: _IN_BAR.index(each.tone)):
        if counter.tone and counter.number:
            yield counter.tone, start, counter.share
            start += counter.share


def _sentence(bulk_send: BulkSend) -> str:
    number = formats.counted(bulk_send.row_count, Channel(bulk_send.channel).noun)
    match BulkState(bulk_send.state):
        case BulkState.SCHEDULED if bulk_send.scheduled_for:
            return f"{number} will be sent {formats.on(bulk_send.scheduled_for)}."
        case BulkState.PAUSED:
            return f"Paused. {formats.number(bulk_send.waiting)} of {number} wait until you resume the bulk send."
        case BulkState.FINISHED:
            return (
                f"All {number} have been processed." if bulk_send.row_count != 1 else "The message has been processed."
            )
        case BulkState.CANCELLED:
            return f"Cancelled. {formats.number(bulk_send.messages)} of {number} had been sent before."
    return f"Sending {number}. You can leave this page."


def _facts(bulk_send: BulkSend) -> list[tuple[str, str]]:
    by_key = bulk_send.origin == MessageOrigin.API
    sender = bulk_send.reply_to.email_address if bulk_send.reply_to else ""
    sender = sender or str(bulk_send.sms_sender or "")
    found = [
        ("Template", f"{bulk_send.template.name}, version {bulk_send.template_version}"),
        *([("Language", languages.named(bulk_send.language))] if bulk_send.language else []),
        ("Replies go to" if bulk_send.channel == Channel.EMAIL else "Sender", sender or "–"),
        ("API key" if by_key else "Created by", bulk_send.author or "–"),
        ("Created", cells.moment(bulk_send.created_at)),
    ]
    times = {"scheduled_for": "Scheduled for", "processing_started": "First message", "processing_finished": "Ended"}
    found += [(title, cells.moment(at)) for name, title in times.items() if (at := getattr(bulk_send, name))]
    others = {"left_out": "Rows left out", "simulated": "Simulated recipients", "repeat": "Repeats, not sent again"}
    numbers = ((title, getattr(bulk_send, name)) for name, title in others.items())
    return [*found, *((title, formats.number(number)) for title, number in numbers if number)]
