"""Choose what happens next to a message in the sandbox, and store it as an event that is played later.

Source: docs/reference/running.md §9.
"""

import time
from uuid import UUID

from config.databases.prepared import Statement
from notifications.delivery.messages import TemporaryFailure
from notifications.models import Notification, SandboxEvent, SandboxOutcome, SandboxRule

LONGEST_SLOW_SECONDS = 20  # a claim ends after 60 s
USUAL_SLOW_SECONDS = 5

# The provider reports the result of the message later, so its acceptance is not the end.
_REPORTED_LATER = {SandboxOutcome.HARD_BOUNCE, SandboxOutcome.NO_RECEIPT}
_HAPPEN_LATER = {
    SandboxOutcome.HARD_BOUNCE,
    SandboxOutcome.COMPLAINT,
    SandboxOutcome.OUT_OF_OFFICE,
    SandboxOutcome.REPLY,
}
_HAS_RULES = Statement("SELECT EXISTS (SELECT 1 FROM notifications_sandboxrule)")
_READ = ("channel", "template_id", "api_key_id", "normalised_recipient", "failed_attempts")


def rule_for(message_id: UUID) -> tuple[SandboxRule, Notification] | None:
    """Return the rule that decides about a message, with the message. An email of Signalbox itself has no rule."""
    if not _HAS_RULES.first()[0]:  # as nearly always; with the ORM, this takes longer than to store the message
        return None
    rules = list(SandboxRule.objects.for_message(message_id))
    message = Notification.objects.filter(pk=message_id).only(*_READ).first()
    if message is None:
        return None
    return next(((rule, message) for rule in rules if rule.matches(message)), None)


def before_acceptance(rule: SandboxRule, message: Notification) -> None:
    """Do what the rule wants before the sandbox accepts a message. Raises TemporaryFailure."""
    match rule.outcome:
        case SandboxOutcome.PROVIDER_DOWN:
            raise TemporaryFailure("503", reply="503 A rule of the sandbox says that the provider is down.")
        case SandboxOutcome.SOFT_BOUNCE if not message.failed_attempts:
            raise TemporaryFailure("451", reply="451 4.2.2 Mailbox full, by a rule of the sandbox.")
        case SandboxOutcome.PROVIDER_SLOW:
            time.sleep(min(rule.seconds or USUAL_SLOW_SECONDS, LONGEST_SLOW_SECONDS))


def after_acceptance(rule: SandboxRule, message: Notification) -> bool:
    """Store the event that follows an acceptance. Return whether the message has arrived already."""
    outcome = SandboxOutcome(rule.outcome)
    if rule.notification_id is not None:
        SandboxRule.objects.filter(pk=rule.pk).delete()
    is_delayed = outcome == SandboxOutcome.DELIVERED and rule.seconds > 0
    if is_delayed or outcome in _HAPPEN_LATER:
        SandboxEvent.objects.store(message.pk, outcome, seconds=rule.seconds, reply=rule.reply)
    return not is_delayed and outcome not in _REPORTED_LATER
