"""Create two weeks of demo messages up to yesterday, with one bad hour. The same seed creates the same messages."""

import random
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice

from django.utils import timezone

from config import utc_days
from notifications.delivery.claiming import Attempt
from notifications.jobs import counting
from notifications.management import demo_document
from notifications.models import ApiKey, Channel, KeyType, Notification, Service, Status

DAYS = 14
AT_ONCE = 1000  # messages in one statement
BAD_DAY, BAD_HOUR = 5, 10  # five days ago at ten, when a provider was down

_NAMES = ["Ana", "Bashir", "Chidi", "Dilys", "Ewan", "Farah", "Grace", "Huw", "Ines", "Joao"]
_TRIED_AFTER = (timedelta(seconds=1), timedelta(seconds=7), timedelta(minutes=2), timedelta(minutes=40))
_OPENING_HOURS = range(8, 19)


def make_messages(seed: int = 1, factor: int = 1) -> int:
    """Store the messages unless they exist, and count them by day. Return the number of stored messages."""
    service = Service.objects.get(id=demo_document.PARKS)
    key = ApiKey.objects.filter(service=service, name=demo_document.LIVE_KEY).order_by("created_at").last()
    # Not secure, but reproducible on every machine. Another factor gets other messages.
    chance = random.Random(seed if factor == 1 else f"{seed}, {factor} times")  # noqa: S311
    messages = _messages(service, key, chance, factor)
    first = next(messages)
    if Notification.objects.filter(id=first.id).exists():
        return 0
    stored = 0
    while some := list(islice(chain([first] if not stored else [], messages), AT_ONCE)):
        stored += len(Notification.objects.bulk_create(some))
    today = utc_days.today()
    for days_ago in range(DAYS + 1):
        counting.count_day(service.pk, today - timedelta(days=days_ago))
    return stored


def _messages(service: Service, key: ApiKey | None, chance: random.Random, factor: int) -> Iterator[Notification]:
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    for days_ago in range(DAYS, 0, -1):
        for hour in _OPENING_HOURS:
            is_bad = (days_ago, hour) == (BAD_DAY, BAD_HOUR)
            for _ in range(factor * (12 if is_bad else chance.randint(1, 5))):
                minute, second = chance.randrange(60), chance.randrange(60)
                at = today - timedelta(days=days_ago) + timedelta(hours=hour, minutes=minute, seconds=second)
                message = _message(service, chance, at, fails=chance.random() < (0.75 if is_bad else 0.02))
                message.api_key = key
                _add_history(message)
                yield message


def _add_history(message: Notification) -> None:
    """Set the attempts and the delivery receipt that explain the status of a message."""
    is_email = message.channel == Channel.EMAIL
    taken_at = message.created_at + timedelta(seconds=1)
    if message.status == Status.TECHNICAL_FAILURE:
        message.attempts = [
            _attempt(message.created_at + after, "temporary", "503 Service unavailable", ms=3000)
            for after in _TRIED_AFTER
        ]
        return
    message.attempts = [_attempt(taken_at, "accepted", "", ms=38)]
    if message.status == Status.TEMPORARY_FAILURE and message.completed_at:
        code = "4.2.2 mailbox full" if is_email else "absent subscriber"
        receipt = {"at": message.completed_at.isoformat(), "outcome": "temporary-failure", "code": code}
        message.receipts = [receipt]


def _attempt(at: datetime, outcome: str, reply: str, *, ms: int) -> Attempt:
    return Attempt(at=at.isoformat(), provider="sandbox", outcome=outcome, reply=reply, ms=ms)


def _message(service: Service, chance: random.Random, at: datetime, *, fails: bool) -> Notification:
    identifier = uuid.UUID(int=chance.getrandbits(128), version=4)
    name, number = chance.choice(_NAMES), chance.randrange(100)
    is_email = chance.random() < 0.7
    status = chance.choice([Status.TEMPORARY_FAILURE, Status.TECHNICAL_FAILURE]) if fails else Status.DELIVERED
    address, digits = f"{name.lower()}.{number:02}@example.org", f"07700 9004{number:02}"
    return Notification(
        id=identifier,
        service=service,
        key_type=KeyType.LIVE,
        channel=Channel.EMAIL if is_email else Channel.SMS,
        template_id=demo_document.EMAIL_TEMPLATE if is_email else demo_document.SMS_TEMPLATE,
        template_version=1,
        recipient=address if is_email else digits,
        normalised_recipient=address if is_email else f"44{digits.replace(' ', '')[1:]}",
        reference=f"visit-{chance.randrange(1000):03}",
        subject=f"Your visit is booked, {name}" if is_email else None,
        body=f"Dear {name}\n\nYour visit to the walled garden is booked."
        if is_email
        else f"Your gate code is {number}.",
        parts=0 if is_email else 1,
        rate_multiplier=0 if is_email else 1,
        status=status,
        created_at=at,
        due_at=at,
        next_attempt_at=at,
        sent_at=None if status == Status.TECHNICAL_FAILURE else at + timedelta(seconds=1),
        completed_at=at + timedelta(hours=4 if fails else 0, seconds=chance.randint(2, 9)),
        provider="sandbox",
    )
