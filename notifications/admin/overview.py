"""The sending area's part of the console's overview, for the chosen service. Source: docs/reference/console.md §2.1."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from config import formats, utc_days
from config.console import overview
from config.console.overview import ChecklistStep
from notifications.admin import permissions
from notifications.admin.messages import filters
from notifications.admin.messages.status_titles import GROUPS
from notifications.jobs import counting, sums
from notifications.jobs.counting import DAYS_SHOWN
from notifications.models import (
    ApiKey,
    BulkSend,
    BulkState,
    Channel,
    KeyType,
    Notification,
    PauseKind,
    Role,
    SendingPause,
    Service,
    Status,
    Template,
)

_GREY_UP_TO, _AMBER_UP_TO = 1.0, 3.0  # percent failed; docs/reference/console.md §2.1
_TOP = 5
_WHY = {
    Status.PERMANENT_FAILURE: "could not be delivered: the address or number does not exist or refuses messages",
    Status.TEMPORARY_FAILURE: "could not be delivered for now: the mailbox was full or the phone was off",
    Status.TECHNICAL_FAILURE: "failed, because we could not send them",
}
_BAR_HEIGHT = 44


def numbers(request: HttpRequest) -> Mapping[str, Any]:
    """Return the cards from the statistics, which leave test messages out."""
    days = _last_days()
    service = permissions.chosen_service(request)
    services = None if service is None else [service]
    counted = sums.messages(
        ("channel", "day", "status", "template_id"), first=days[0] - timedelta(days=DAYS_SHOWN), services=services
    )
    grouped = [(channel, day, status, n) for (channel, day, status, _), n in counted.items()]
    of_template: Counter[UUID] = Counter()
    for (_, day, _, template_id), n in counted.items():
        of_template[template_id] += n if day >= days[0] else 0
    pauses = SendingPause.objects.current().order_by("since")
    return {
        "cards": [_card(channel, days, [row[1:] for row in grouped if row[0] == channel]) for channel in Channel],
        "failures": _failures(days, grouped),
        "scheduled": _scheduled(service),
        "is_operator": permissions.is_operator(request),
        "may_open": permissions.may(request, Role.SEE_ACTIVITY),
        "templates": _top_templates(of_template),
        "first": days[0],
        "last": days[-1],
        "counted_at": counting.last_run(),
        "service": service,
        "pauses": pauses if permissions.is_operator(request) else pauses.filter(kind=PauseKind.CHANNEL),
    }


def steps(request: HttpRequest) -> list[ChecklistStep]:
    """Return the steps from an empty service to a first message. Each is ticked when its result exists."""
    service = permissions.chosen_service(request)
    mine = {} if service is None else {"service": service}
    may_edit, may_key = permissions.may(request, Role.EDIT_TEMPLATES), permissions.may(request, Role.MANAGE_API)
    may_send, may_see = permissions.may(request, Role.SEND_MESSAGES), permissions.may(request, Role.SEE_ACTIVITY)
    log = reverse("admin:notifications_notification_changelist")
    sent = Notification.objects.filter(**mine)
    found = [
        ChecklistStep(
            "Create a template",
            "A template is the text that people receive. Put ((double brackets)) around the parts that "
            "change, like ((name)).",
            is_done=Template.objects.filter(**mine).exists(),
            url=reverse("admin:notifications_template_add") if may_edit else "",
            button="Create template",
        ),
        ChecklistStep(
            "Create a test key",
            "With a test key nothing is really sent, and every message is shown as delivered.",
            is_done=ApiKey.objects.filter(key_type=KeyType.TEST, **mine).exists(),
            url=f"{reverse('admin:notifications_apikey_add')}?key_type=test" if may_key else "",
            button="Create API key",
        ),
        ChecklistStep(
            "Send a message",
            "Send one by hand, or run one of the examples on the page of a new key.",
            is_done=sent.exists(),
            url=reverse("admin:notifications_notification_send") if may_send else "",
            button="Send message",
            other=(reverse("admin:notifications_apikey_changelist"), "API keys") if may_key or may_see else None,
        ),
        ChecklistStep(
            "Find the message in the log",
            "The log shows the status of every message, and why a message did not arrive.",
            is_done=sent.exclude(status=Status.CREATED).exists(),
            url=f"{log}?key_type=all" if may_see else "",
            button="Open message log",
        ),
    ]
    return [*_first_step(request), *found]


def _first_step(request: HttpRequest) -> list[ChecklistStep]:
    if not permissions.is_operator(request):
        return []
    return [
        ChecklistStep(
            "Create a service",
            "A service sends messages for one team. It has its own keys, templates and limits.",
            is_done=Service.objects.exists(),
            url=reverse("admin:notifications_service_add"),
            button="Create service",
        )
    ]


def _last_days() -> list[date]:
    today = utc_days.today()
    return [today - timedelta(days=back) for back in range(DAYS_SHOWN - 1, -1, -1)]


def _failures(days: list[date], grouped: list[Any]) -> list[dict[str, str]]:
    """Return a sentence for each channel and status of failed messages, with the link to these messages."""
    return [
        {
            "text": f"{formats.counted(number, channel.noun)} {_WHY[status]}",
            "url": filters.log_url(channel, days[0], days[-1], status=status.value),
        }
        for channel in Channel
        for status in _WHY
        if (number := sum(n for of, day, its, n in grouped if (of, its) == (channel, status) and day >= days[0]))
    ]


def _scheduled(service: Service | None) -> list[tuple[str, str]]:
    """Return what the chosen service sends later: a sentence and its link."""
    found = []
    if service and Notification.objects.filter(service=service).scheduled().exists():
        url = f"{reverse('admin:notifications_notification_changelist')}?scheduled=yes&key_type=all"
        found.append(("Messages wait for their time.", url))
    waiting = BulkSend.objects.filter(service=service, state=BulkState.SCHEDULED)
    if number := waiting.count() if service else 0:
        verb = formats.counted(number, "bulk send waits", "bulk sends wait")
        found.append((f"{verb} for the planned time.", reverse("admin:notifications_bulksend_changelist")))
    return found


def _card(channel: Channel, days: list[date], all_rows: list[Any]) -> dict[str, Any]:
    """Return one channel's last 7 UTC days. all_rows: day, status, number; also of the week before.

    is_high: the page adds the word "high".
    """
    rows = [row for row in all_rows if row[0] >= days[0]]
    earlier = sum(n for _, _, n in all_rows) - sum(n for _, _, n in rows)
    of_group = {name: sum(n for _, status, n in rows if status in among) for name, (_, among) in GROUPS.items()}
    total = sum(of_group.values())
    percent = 100 * of_group["failed"] / total if total else 0.0
    return {
        "title": {Channel.EMAIL: "Emails", Channel.SMS: "Text messages"}[channel],
        "sent": {"number": total, "url": filters.log_url(channel, days[0], days[-1])},
        "today": sum(n for day, _, n in rows if day == days[-1]),
        "change": _change(total, earlier),
        "parts": [
            {
                "title": title.lower(),
                "number": of_group[name],
                "url": filters.log_url(channel, days[0], days[-1], status=name),
            }
            for name, (title, _) in GROUPS.items()
        ],
        "percent": formats.percent(percent),
        "tone": "quiet" if percent <= _GREY_UP_TO else "warn" if percent <= _AMBER_UP_TO else "bad",
        "is_high": percent > _AMBER_UP_TO,
        "bars": _bars(days, rows),
    }


def _bars(days: list[date], rows: list[Any]) -> list[dict[str, Any]]:
    """Return a bar for each day. Heights are in pixels."""
    failed_among = GROUPS["failed"][1]
    totals = [sum(n for on, _, n in rows if on == day) for day in days]
    failures = [sum(n for on, status, n in rows if on == day and status in failed_among) for day in days]
    most = max(totals, default=0) or 1
    return [
        {
            "day": day,
            "number": total,
            "failed": failed,
            "x": place * 24,
            "top": _BAR_HEIGHT - _height(total, most),
            "height": _height(total, most),
            "failed_height": _height(failed, most),
        }
        for place, (day, total, failed) in enumerate(zip(days, totals, failures, strict=True))
    ]


def _height(number: int, most: int) -> int:
    """Return the height of a bar: at least 2 pixels for any number above 0."""
    return max(round(_BAR_HEIGHT * number / most), 2) if number else 0


def _change(number: int, earlier: int) -> str:
    """Compare a week with the week before, in words.

    >>> [_change(*both) for both in ((104, 100), (50, 100), (7, 7), (3, 0), (0, 0))]
    ['4% more than the week before', '50% less than the week before', 'as many as the week before', \
'none in the week before', '']
    """
    if not earlier:
        return "none in the week before" if number else ""
    percent = round(100 * (number - earlier) / earlier)
    if not percent:
        return "as many as the week before"
    return f"{formats.percent(abs(percent))} {'more' if percent > 0 else 'less'} than the week before"


def _top_templates(counted: Counter[UUID]) -> list[tuple[Template, int]]:
    top = dict((+counted).most_common(_TOP))
    rows = Template.objects.filter(pk__in=top).select_related("service").order_by("name")
    return [(row, top[row.pk]) for row in sorted(rows, key=lambda row: -top[row.pk])]


PANEL = overview.Panel(
    title="Messages",
    position=1,
    template="admin/notifications/overview_panel.html",
    is_open_to=lambda request: permissions.may(request, *Role),
    numbers=numbers,
    steps=steps,
)
