"""The checks of one text message: steps 9 to 22. Source: docs/reference/sending-api.md §4.1."""

from notifications import errors
from notifications.models import Channel, LimitKind, Notification, SmsSender
from notifications.rendering import placeholders, sms
from notifications.rendering.placeholders import Keyed
from notifications.rendering.sms import SmsText
from notifications.submission import limits, policy, senders, templates
from notifications.submission.callers import Caller
from notifications.submission.requests import SmsRequest
from notifications.submission.sending import fallbacks, files
from notifications.submission.sending.checks import Check, Checked, Submission, common_columns
from notifications.submission.templates import TemplateText

_CHANNEL = Channel.SMS.value


class SmsChecks:
    """One text message on its way through CHECKS. A check sets what the later ones need."""

    template: TemplateText
    given: Keyed
    text: SmsText
    sender: SmsSender | None
    fallback: Notification | None

    def __init__(self, caller: Caller, request: SmsRequest) -> None:
        self.caller, self.request, self.service = caller, request, caller.service

    def check_channel(self) -> None:
        policy.check_channel(self.service, Channel.SMS)

    def find_template(self) -> None:
        request = self.request
        self.template = templates.for_sending(
            self.caller, request.template_id, Channel.SMS, request.template_version, language=request.language
        )
        if self.caller.allowed_templates:
            policy.check_template(self.caller, request.template_id)

    def fill(self) -> None:
        self.given = placeholders.keyed(self.request.personalisation)
        values = templates.values_for(self.template, self.given, sent=self.request.personalisation)
        prefix = self.service.name if self.service.prefix_sms else None
        self.text = sms.render(self.template.content, values, prefix=prefix, language=self.template.language)

    def check_not_empty(self) -> None:
        if self.text.is_empty:
            raise errors.MessageEmpty

    def refuse_files(self) -> None:
        if files.any_in(self.request.personalisation):
            raise errors.FileInTextMessage

    def choose_sender(self) -> None:
        self.sender = senders.sms_sender(self.service, self.request.sms_sender_id)

    def check_recipient(self) -> None:
        policy.check_recipient(self.caller, self.request.phone_number)

    def check_not_suppressed(self) -> None:
        if self.service.suppressed_sends_are_rejected:
            policy.check_not_suppressed(self.caller, Channel.SMS, self.request.phone_number, is_subscription=False)

    def check_number(self) -> None:
        policy.check_number(self.request.phone_number)

    def check_international_limit(self) -> None:
        if policy.is_counted_international(self.request.phone_number):
            limits.check(self.caller, LimitKind.INTERNATIONAL_SMS)

    def check_length(self) -> None:
        if self.text.is_too_long:
            raise errors.TextMessageTooLong(limit=sms.MAX_CHARACTERS, count=self.text.chars_without_prefix)

    def check_fallback(self) -> None:
        self.fallback = fallbacks.check(self.caller, self.request) if self.request.fallback else None

    def checked(self) -> Checked:
        """Return the message after all checks."""
        number, sender = self.request.phone_number, self.sender
        columns = common_columns(self.caller, self.template, self.request, number=number.normalised) | {
            "channel": _CHANNEL,
            "recipient": number.as_given,
            "normalised_recipient": number.normalised,
            "body": self.text.text,
            "parts": self.text.fragments,
            "rate_multiplier": number.rate_multiplier,
            "is_international": number.is_international,
            "sms_sender_id": sender.id if sender else None,
        }
        is_counted_international = policy.is_counted_international(number)
        return Checked(
            caller=self.caller,
            template=self.template,
            submission=Submission(columns=columns, body=self.text.text, sent_from=senders.from_number(sender)),
            given=self.given,
            counted=[LimitKind.SMS, LimitKind.INTERNATIONAL_SMS] if is_counted_international else [LimitKind.SMS],
            is_simulated=policy.is_simulated(number),
            sender=sender,
            fallback=fallbacks.row_of(columns["id"], self.fallback) if self.fallback else None,
        )


CHECKS = (
    Check("channel", SmsChecks.check_channel),
    Check("template", SmsChecks.find_template, reads=["template_id", "template_version", "language"]),
    Check("personalisation", SmsChecks.fill, needs=["template"], reads=["personalisation"]),
    Check("empty", SmsChecks.check_not_empty, needs=["personalisation"]),
    Check("file_in_text", SmsChecks.refuse_files, reads=["personalisation"]),
    Check("sender", SmsChecks.choose_sender, reads=["sms_sender_id"]),
    Check("recipient", SmsChecks.check_recipient, reads=["phone_number"]),
    Check("suppression", SmsChecks.check_not_suppressed, reads=["phone_number"]),
    Check("number", SmsChecks.check_number, reads=["phone_number"]),
    Check("international_limit", SmsChecks.check_international_limit, needs=["number"]),
    Check("length", SmsChecks.check_length, needs=["personalisation"]),
    Check("fallback", SmsChecks.check_fallback, needs=["file_in_text"], reads=["fallback", "personalisation"]),
)
