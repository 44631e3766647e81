"""The message log and one message: read-only, recipients masked, no search by address.

Source: Staff console §2.9, §2.10.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.console import cells
from config.console.masking import mask
from notifications.admin.service_rows import ServiceRowAdmin
from notifications.models import Channel, KeyType, Notification, Status
from notifications.rendering import email, preview, sms

_FIRST_WORDS = 60  # about as many characters as a cell holds on one line

_WORDS = {
    Status.CREATED: ("Delivering", ""),
    Status.SENDING: ("Delivering", ""),
    Status.PENDING: ("Delivering", ""),
    Status.SENT: ("Sent, no receipt expected", "good"),
    Status.DELIVERED: ("Delivered", "good"),
    Status.TEMPORARY_FAILURE: ("Not accepted for now", "warn"),
    Status.TECHNICAL_FAILURE: ("Our fault: could not be handed over", "bad"),
}
_NOT_REACHED = {Channel.EMAIL: "Address does not exist", Channel.SMS: "Not delivered"}


class StatusFilter(admin.SimpleListFilter):
    """The three answers staff look for; each exact value is in the column."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("delivering", "Delivering"), ("delivered", "Delivered"), ("failed", "Failed")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        groups = {
            "delivering": [Status.CREATED, Status.SENDING, Status.PENDING],
            "delivered": [Status.DELIVERED, Status.SENT],
            "failed": [Status.TEMPORARY_FAILURE, Status.PERMANENT_FAILURE, Status.TECHNICAL_FAILURE],
        }
        chosen = groups.get(self.value() or "")
        return queryset.filter(status__in=chosen) if chosen else queryset


@admin.register(Notification)
class NotificationAdmin(ServiceRowAdmin):
    """Nobody adds, changes or deletes a message here."""

    list_display = ("made", "status_words", "to_whom", "said", "key", "reference")
    list_display_links = ("made",)
    list_filter = ("service", StatusFilter, "channel", "key_type", "origin")
    list_select_related = ("service", "template", "api_key")
    ordering = ("-created_at", "-id")
    search_fields = ()
    empty = "No messages yet. Make a template and a key, and send one."
    fieldsets = (
        (None, {"fields": ("shown", "status_words")}),
        (
            "Message",
            {"fields": ("to", "type", "template_name", "reference", "sent_from", "costs")},
        ),
        (
            "On its way",
            {
                "fields": (
                    "id",
                    "key",
                    "created",
                    "scheduled",
                    "handed_over",
                    "completed",
                    "provider",
                    "attempt",
                    "request_id",
                )
            },
        ),
    )

    class Media:
        css = {"all": ("notifications/messages.css",)}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for _, options in self.fieldsets for name in options["fields"]]

    @admin.display(description="Made", ordering="created_at")
    def made(self, message: Notification) -> SafeString:
        local = timezone.localtime(message.created_at)
        return cells.two_lines(f"{local:%-d %b %Y}", f"{local:%H:%M:%S %Z}")

    @admin.display(description="Made")
    def created(self, message: Notification) -> SafeString | str:
        return cells.moment(message.created_at)

    @admin.display(description="Status")
    def status_words(self, message: Notification) -> SafeString:
        status = Status(message.status)
        words, tone = _WORDS.get(status, (_NOT_REACHED[Channel(message.channel)], "bad"))
        return cells.two_lines(cells.chip(words, tone), status.value)

    @admin.display(description="To")
    def to(self, message: Notification) -> str:
        return mask(message.recipient)

    @admin.display(description="To")
    def to_whom(self, message: Notification) -> SafeString:
        return cells.two_lines(mask(message.recipient), message.get_channel_display())

    @admin.display(description="Message")
    def said(self, message: Notification) -> SafeString:
        first = " ".join((message.subject or message.body)[: _FIRST_WORDS * 2].split())
        shortened = first if len(first) <= _FIRST_WORDS else f"{first[:_FIRST_WORDS]}…"
        return cells.two_lines(shortened, self.template_name(message))

    @admin.display(description="Template")
    def template_name(self, message: Notification) -> str:
        return f"{message.template.name}, version {message.template_version}"

    @admin.display(description="Type")
    def type(self, message: Notification) -> SafeString:
        return cells.chip(message.get_channel_display(), "accent")

    @admin.display(description="Key")
    def key(self, message: Notification) -> SafeString | str:
        if message.api_key is None:
            return "–"
        is_test = message.key_type == KeyType.TEST
        return format_html("{} {}", message.api_key.name, cells.chip("test", "warn") if is_test else "")

    @admin.display(description="Sender or reply-to")
    def sent_from(self, message: Notification) -> str:
        if message.channel == Channel.SMS:
            return message.sms_sender.sender if message.sms_sender else "–"
        return message.reply_to.email_address if message.reply_to else "–"

    @admin.display(description="Parts")
    def costs(self, message: Notification) -> str:
        return preview.facts(sms.SmsText(message.body)) if message.channel == Channel.SMS else "–"

    @admin.display(description="Scheduled for")
    def scheduled(self, message: Notification) -> SafeString | str:
        return cells.moment(message.scheduled_for, never="At once")

    @admin.display(description="Handed over")
    def handed_over(self, message: Notification) -> SafeString | str:
        return cells.moment(message.sent_at)

    @admin.display(description="Final since")
    def completed(self, message: Notification) -> SafeString | str:
        return cells.moment(message.completed_at)

    @admin.display(description="As sent")
    def shown(self, message: Notification) -> SafeString:
        """Show the message, never in the console's own origin (trap T9)."""
        if message.channel == Channel.SMS:
            bubble = sms.preview_html(sms.SmsText(message.body))
            return format_html('<div class="nf-bubble">{}</div>', SafeString(bubble))  # escaped by its writer
        text = email.EmailText(subject=message.subject or "", filled=message.body)
        document = preview.sandboxed(email.html_document(text))
        return format_html(
            '<p class="nf-subject">{}</p><iframe class="nf-email" sandbox srcdoc="{}" title="The email"></iframe>',
            text.subject,
            document,
        )
