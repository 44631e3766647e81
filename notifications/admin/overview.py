"""The sending area's part of the console's overview. Source: Staff console §2.1."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from config.console import overview
from config.console.overview import Figure, Step
from notifications.models import (
    ApiKey,
    DailyCounter,
    KeyType,
    LimitKind,
    Notification,
    SandboxMessage,
    Service,
    Template,
)

_DAYS = 7


def figures() -> list[Figure]:
    """Count accepted messages from the day's counters, never from message rows; test-key messages are not in them."""
    today = datetime.now(UTC).date()
    counted = DailyCounter.objects.filter(day__gt=today - timedelta(days=_DAYS), day__lte=today)
    sums = dict(counted.order_by().values_list("kind").annotate(sum=Sum("count")))
    log = reverse("admin:notifications_notification_changelist")
    since = "accepted in 7 UTC days, test keys left out"
    return [
        Figure(label="Emails", value=sums.get(LimitKind.EMAIL, 0), detail=since, url=f"{log}?channel__exact=email"),
        Figure(label="Text messages", value=sums.get(LimitKind.SMS, 0), detail=since, url=f"{log}?channel__exact=sms"),
        Figure(
            label="Services",
            value=Service.objects.filter(active=True).count(),
            detail="not archived",
            url=reverse("admin:notifications_service_changelist"),
        ),
        Figure(
            label="API keys",
            value=ApiKey.objects.filter(revoked_at=None).count(),
            detail="not revoked",
            url=reverse("admin:notifications_apikey_changelist"),
        ),
        *_sandbox(),
    ]


def steps() -> list[Step]:
    """Lead from an empty installation to a first message; each step ticks itself."""
    return [
        Step(
            title="Make a service",
            explanation="One sender of messages: its keys, templates and limits hang on it.",
            is_done=Service.objects.exists(),
            url=reverse("admin:notifications_service_add"),
            button="New service",
        ),
        Step(
            title="Make a template",
            explanation="The text people receive; ((name)) marks what the caller fills in.",
            is_done=Template.objects.exists(),
            url=reverse("admin:notifications_template_add"),
            button="New template",
        ),
        Step(
            title="Make a test key",
            explanation="Nothing leaves with it, and every message comes back delivered.",
            is_done=ApiKey.objects.filter(key_type=KeyType.TEST).exists(),
            url=f"{reverse('admin:notifications_apikey_add')}?key_type=test",
            button="New API key",
        ),
        Step(
            title="Send one, and find it in the log",
            explanation="The page of a new key has a curl and a Python program that work as pasted.",
            is_done=Notification.objects.exists(),
            url=reverse("admin:notifications_notification_changelist"),
            button="Message log",
        ),
    ]


def _sandbox() -> list[Figure]:
    if not settings.SANDBOX_INBOX:
        return []
    arrived = SandboxMessage.objects.filter(received_at__gt=timezone.now() - timedelta(days=1)).count()
    return [Figure(label="Sandbox inbox", value=arrived, detail="arrived in 24 hours", url="/sandbox/")]


overview.register(
    overview.Panel(
        title="Messages", position=1, permission="notifications.view_notification", figures=figures, steps=steps
    )
)
