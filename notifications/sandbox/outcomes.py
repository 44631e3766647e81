"""Choose what happens next to one message of the sandbox. Source: docs/reference/running.md §9."""

from uuid import UUID

from notifications.errors import SandboxParameterInvalid
from notifications.models import (
    Channel,
    Notification,
    SandboxEvent,
    SandboxMessage,
    SandboxOutcome,
    SandboxRule,
    Status,
)
from notifications.models.sandbox_outcome import MOST_RULES
from notifications.sandbox import playing

MOST_SECONDS = 7 * 24 * 3600
# A message that no provider got has no later result. One that bounced may bounce again, as with a real provider.
_WITHOUT_RESULTS = {Status.TECHNICAL_FAILURE, Status.CANCELLED}
_ENDED = {Status.TEMPORARY_FAILURE, Status.PERMANENT_FAILURE}
BEFORE_ACCEPTANCE = (SandboxOutcome.SOFT_BOUNCE, SandboxOutcome.PROVIDER_DOWN, SandboxOutcome.PROVIDER_SLOW)


def find_message(identifier: UUID) -> Notification | None:
    """Return the message of an entry of the inbox, or the message with this id."""
    entry = SandboxMessage.objects.filter(pk=identifier).first()
    return Notification.objects.filter(pk=entry.notification_id if entry else identifier).first()


def possible(channel: Channel) -> list[SandboxOutcome]:
    """Return what can happen to a message of a channel after it was sent."""
    never = {*BEFORE_ACCEPTANCE, *((SandboxOutcome.COMPLAINT,) if channel is Channel.SMS else ())}
    return [outcome for outcome in SandboxOutcome if outcome not in never]


def choose(message: Notification, outcome: SandboxOutcome, *, seconds: int = 0, reply: str = "") -> None:
    """Play the outcome, or store it for a message that is not sent yet. Raises SandboxParameterInvalid.

    It replaces what was chosen for the message before.
    """
    check(message, outcome, reply)
    if message.status == Status.CREATED:
        SandboxRule.objects.filter(notification_id=message.pk).delete()
        SandboxRule.objects.forget_sent()
        if SandboxRule.objects.exclude(notification_id=None).count() >= MOST_RULES:
            rule = f"be chosen for at most {MOST_RULES} waiting messages. Create a rule instead"
            raise SandboxParameterInvalid(name="The outcome", rule=rule)
        SandboxRule.objects.create(notification_id=message.pk, outcome=outcome, seconds=seconds, reply=reply)
        return
    SandboxEvent.objects.filter(notification_id=message.pk).delete()
    if outcome == SandboxOutcome.NO_RECEIPT:
        return
    SandboxEvent.objects.store(message.pk, outcome, seconds=seconds, reply=reply)
    if not seconds:
        playing.play_due()


def check(message: Notification, outcome: SandboxOutcome, reply: str) -> None:
    """Raise SandboxParameterInvalid if the outcome cannot happen to a message."""
    is_waiting = message.status == Status.CREATED
    if "\0" in reply:
        raise SandboxParameterInvalid(name="reply", rule="not contain NUL")
    if is_waiting and not playing.may_reach_sandbox(message):
        rule = "be chosen for a message of the sandbox. A provider will send this one"
    elif not is_waiting and outcome in BEFORE_ACCEPTANCE:
        rule = "happen before the message is sent. Create a rule, then send the message"
    elif not is_waiting and not playing.is_in_sandbox(message):
        rule = "be chosen for a message of the sandbox. A provider sent this one"
    elif message.status in _WITHOUT_RESULTS or (message.status in _ENDED and outcome != SandboxOutcome.HARD_BOUNCE):
        rule = f"be possible for a message with the status {message.status}. Send another message"
    elif outcome == SandboxOutcome.COMPLAINT and message.channel != Channel.EMAIL:
        rule = "be chosen for an email. Texts have no complaints: choose reply with STOP"
    elif (
        outcome in {SandboxOutcome.REPLY, SandboxOutcome.OUT_OF_OFFICE}
        and message.channel == Channel.EMAIL
        and playing.reply_to_of(message) is None
    ):
        rule = "have a reply-to address at EMAIL_DOMAIN. Add one to the service: replies to others go elsewhere"
    else:
        return
    raise SandboxParameterInvalid(name=f"outcome {outcome.value}", rule=rule)
