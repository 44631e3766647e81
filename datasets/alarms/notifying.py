"""Write the messages of an alarm to its people, and send them. Source: docs/reference/alarms.md §4."""

import time
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator

from config import formats, own_messages
from config.own_messages import Handover, OwnMessage
from datasets.alarms import measures, people
from datasets.models import Alarm, AlarmMessage
from datasets.models.alarm import GIVE_UP_AFTER

AGAIN_AFTER = timedelta(minutes=5)  # after an attempt that no provider accepted; also the claim of the worker
_AT_ONCE = 100  # messages of one run
_SECONDS = 20  # a slow provider must not hold up other tasks of the clock; the next run continues
_LONGEST_TEXT = 459  # characters of a text message: three parts

log = structlog.get_logger()


def notify(alarm: Alarm, now: datetime) -> None:
    """Write the messages that are due, if any, and note them in the alarm without saving it.

    People get a message when the alarm is raised, and one when it ends. They get none if it ends before the first
    message, or is raised again before the second.
    """
    if alarm.is_quiet(now):
        return
    if alarm.is_raised and alarm.notified_at is None:
        interval = timedelta(minutes=alarm.interval_minutes)
        if alarm.last_notified_at is not None and now - alarm.last_notified_at < interval:
            return
        alarm.notified_at = alarm.last_notified_at = now
        _write(alarm, f"Alarm: {alarm.name}", text_of(alarm))
    elif not alarm.is_raised and alarm.notified_at is not None:
        alarm.notified_at = None
        _write(alarm, f"Ended: {alarm.name}", f"The alarm has ended.\n\n{text_of(alarm)}")


def send_due() -> int:
    """Send the messages that are due, for _SECONDS at most, and return how many a provider accepted."""
    sent, until = 0, time.monotonic() + _SECONDS
    heard: dict[int, list[tuple[str, str]]] = {}  # the people of each alarm
    for message in AlarmMessage.objects.due().select_related("alarm__data_set").order_by("send_at")[:_AT_ONCE]:
        if time.monotonic() > until:
            break
        if message.alarm.is_quiet(timezone.now()):  # it has waited for a provider until the quiet hours began
            AlarmMessage.objects.claim(message.pk, until=AGAIN_AFTER)
            continue
        if message.alarm_id not in heard:
            heard[message.alarm_id] = people.of(message.alarm)
        if (message.channel, message.recipient) in heard[message.alarm_id]:
            sent += _send(message)
        else:  # it has waited for a provider, and meanwhile the person may not hear of the alarm any more
            message.delete()
    AlarmMessage.objects.filter(created_at__lt=Now() - GIVE_UP_AFTER).delete()
    return sent


def text_of(alarm: Alarm) -> str:
    """Return the text of the alarm with its placeholders filled. Unknown placeholders stay as they are."""
    text = alarm.message
    for name, value in placeholders(alarm).items():
        text = text.replace(f"(({name}))", value)
    return text


def placeholders(alarm: Alarm) -> dict[str, str]:
    return {
        "alarm": alarm.name,
        "data set": str(alarm.data_set),
        "measure": alarm.measured,
        "value": "unknown" if alarm.value is None else measures.in_words(alarm.value, alarm.limit),
        "condition": alarm.get_condition_display(),
        "limit": formats.exact(alarm.limit),
        "page": settings.BASE_URL + reverse("admin:datasets_alarm_change", args=[alarm.pk]),
    }


def _write(alarm: Alarm, subject: str, text: str) -> None:
    AlarmMessage.objects.bulk_create(
        AlarmMessage(
            alarm=alarm,
            channel=channel,
            recipient=recipient,
            subject=subject,
            text=text if channel == "email" else Truncator(text).chars(_LONGEST_TEXT),
        )
        for channel, recipient in people.of(alarm)
    )


def _send(message: AlarmMessage) -> int:
    """Send one message. If the worker dies, another sends it again after AGAIN_AFTER (at least once)."""
    if not AlarmMessage.objects.claim(message.pk, until=AGAIN_AFTER):
        return 0
    channel = own_messages.channel(message.channel)
    if channel is None:
        log.warning("alarm.no_channel", channel=message.channel, message=str(message.pk))
        return 0
    own = OwnMessage(to=message.recipient, subject=message.subject, text=message.text, identifier=message.pk)
    result = channel.send(own)
    if result is not Handover.NOT_YET:
        message.delete()
    return int(result is Handover.TAKEN)
