"""Build, check and store a message with the content of an earlier one. A retry and a copy use it.

The values of the personalisation are not stored, so the new message has the text of the earlier one, unchanged.
"""

from collections.abc import Callable

from django.db import transaction

from config.metrics import registry
from notifications import errors, tasks
from notifications.delivery import quiet_hours
from notifications.models import Attachment, Channel, MessageOrigin, Notification
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.submission import limits, policy
from notifications.submission.callers import ConsoleSender

# The columns of the content and of its sender. The unsubscribe URL of a caller is not among them: it belongs to one
# recipient.
_CONTENT = (
    *("service", "channel", "template", "template_version", "subject", "body", "unsubscribe_link"),
    *("sms_sender", "reply_to", "parts", "language"),
)


def has_files(message: Notification) -> bool:
    """Return whether the message has a file. The key of the file is only in the link that the recipient has."""
    files = Attachment.objects.filter(service=message.service_id, created_at=message.created_at)
    return files.filter(notification_id=message.pk).exists()


def parse_recipient(message: Notification, text: str) -> PhoneNumber | EmailAddress:
    """Parse a recipient for the channel of the message. Raises a NotificationError."""
    if message.channel == Channel.SMS:
        return policy.parse_phone_number(text, message.service)
    return policy.parse_email_address(text)


def build(message: Notification, person: ConsoleSender, recipient: PhoneNumber | EmailAddress) -> Notification:
    """Return a new message with the content of an earlier one, without storing it. Quiet hours apply."""
    new = Notification(
        **{name: getattr(message, name) for name in _CONTENT},
        key_type=person.key_type,
        origin=MessageOrigin.CONSOLE,
        created_by=person.name,
        recipient=recipient.as_given,
        normalised_recipient=recipient.key,
    )
    if isinstance(recipient, PhoneNumber):
        new.rate_multiplier, new.is_international = recipient.rate_multiplier, recipient.is_international
    if quiet_until := quiet_hours.end_for(new, new.created_at):
        new.quiet_until = new.due_at = new.next_attempt_at = quiet_until
    return new


def check(new: Notification, person: ConsoleSender, recipient: PhoneNumber | EmailAddress) -> None:
    """Check the new message like any message of the person. Raises a NotificationError.

    A suppressed recipient is refused, whatever the service chose for its other sends.
    """
    channel = Channel(new.channel)
    policy.check_channel(new.service, channel)
    if new.template.archived_at is not None:
        raise errors.TemplateArchived
    policy.check_recipient(person, recipient)
    is_subscription = new.unsubscribe_link or new.one_click_unsubscribe_url is not None
    if reason := policy.suppressed_by(person, channel, recipient, is_subscription=is_subscription):
        raise errors.RecipientSuppressed(reason=reason.label.lower())
    if isinstance(recipient, PhoneNumber):
        policy.check_number(recipient)


def store(new: Notification, person: ConsoleSender, keep: Callable[[], None] | None = None) -> None:
    """Store the new message, count it and wake a worker. Raises DailyLimitReached.

    keep: stores further rows in the same transaction
    """
    with transaction.atomic():
        if keep:
            keep()
        new.save(force_insert=True)
        limits.spend(person, policy.counted_for(new))
        if new.quiet_until is None:
            tasks.wake(new.channel)
        transaction.on_commit(lambda: registry.MESSAGES.add(new.channel, new.key_type, new.status))
