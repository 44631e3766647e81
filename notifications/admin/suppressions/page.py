"""The page of one suppression: its facts, and the sentences of its steps."""

from django.urls import reverse
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.sections import Fact
from notifications.admin import permissions
from notifications.admin.suppressions.forms import WHOLE_INSTALLATION
from notifications.models import Channel, Notification, Suppression, SuppressionReason


def where(row: Suppression) -> str:
    return row.service.name if row.service else WHOLE_INSTALLATION


def state(row: Suppression) -> SafeString:
    if row.lifted_at is not None:
        return cells.chip("Lifted")
    return cells.chip("Expired") if row.has_expired else cells.chip("Active", "warn")


def end_of(row: Suppression) -> str:
    """Return a sentence on how the suppression ended, or "" if it is active."""
    if row.lifted_at is not None:
        by = f" by {row.lifted_by}" if row.lifted_by else ""
        return f"This suppression was lifted{by} {formats.on(row.lifted_at)}."
    return f"This suppression expired {formats.on(row.expires_at)}." if row.expires_at and row.has_expired else ""


def before_lifting(row: Suppression) -> list[str]:
    """Return what lifting a suppression means."""
    said = {
        SuppressionReason.HARD_BOUNCE: "A mail server reported that this email address cannot receive email. "
        "If that has not changed, the next email bounces and suppresses it again.",
        SuppressionReason.COMPLAINT: "The recipient reported an email as spam. Ask them before you send again.",
        SuppressionReason.UNSUBSCRIBE: "The recipient unsubscribed. Lift the suppression only if they ask for it.",
        SuppressionReason.STOP: "The recipient sent STOP by text. Lift the suppression only if they ask for it.",
        SuppressionReason.MANUAL: f"It was added by hand: {row.note or 'without a reason'}.",
    }[SuppressionReason(row.reason)]
    own = Suppression.objects.filter(normalised_recipient=row.normalised_recipient, service=row.service_id)
    others = own.active().filter(channel=row.channel).exclude(pk=row.pk).count()
    after = "After that, messages to this recipient are sent again."
    if others:
        after = f"{formats.counted(others, 'other suppression')} of this recipient stays active."
    return [said, after]


def facts(row: Suppression) -> tuple[Fact, ...]:
    subscriptions = "Only emails from which people can unsubscribe are suppressed."
    lifted = (Fact("Why it was lifted", row.lift_reason or "–"),) if row.lifted_at else ()
    return (
        Fact("Recipient", permissions.shown_recipient(row, row.recipient)),
        Fact("Channel", Channel(row.channel).label),
        Fact("Reason", row.get_reason_display(), subscriptions if row.reason == SuppressionReason.UNSUBSCRIBE else ""),
        Fact("Note", row.note or "–"),
        Fact("Source", row.get_source_display()),
        _message(row),
        Fact("Service", where(row)),
        Fact("Since", cells.moment(row.created_at), f"by {row.created_by}" if row.created_by else ""),
        Fact("Until", cells.moment(row.expires_at, never="No end")),
        Fact("State", state(row), end_of(row)),
        *lifted,
    )


def _message(row: Suppression) -> Fact:
    if row.notification_id is None or row.service is None:
        return Fact("Message", "–")
    stored = Notification.objects.filter(pk=row.notification_id, created_at__gte=row.service.kept_since())
    if not stored.exists():
        return Fact("Message", str(row.notification_id), "The message is already deleted.")
    url = reverse("admin:notifications_notification_change", args=[row.notification_id])
    return Fact("Message", str(row.notification_id), link=("Open the message", url))
