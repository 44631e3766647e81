"""The checks of one email: steps 9 to 22. Source: docs/reference/sending-api.md §4.1."""

from collections.abc import Mapping
from types import MappingProxyType

from notifications import errors
from notifications.attachments.intake import CheckedFile
from notifications.models import Channel, LimitKind, Notification, ReplyToAddress
from notifications.rendering import email, placeholders, sanitise
from notifications.rendering.email import EmailText
from notifications.rendering.placeholders import Keyed
from notifications.submission import policy, senders, templates
from notifications.submission.callers import Caller
from notifications.submission.requests import EmailRequest
from notifications.submission.sending import files
from notifications.submission.sending.checks import Check, Checked, Submission, common_columns
from notifications.submission.sending.files import Parcel
from notifications.submission.templates import TemplateText, fixed_files

_CHANNEL = Channel.EMAIL.value


class EmailChecks:
    """One email on its way through CHECKS. A check sets what the later ones need."""

    template: TemplateText
    given: Keyed
    values: Mapping[str, object]  # sanitised, with the fixed files of the template
    sanitised: Mapping[str, Mapping[str, object]]
    text: EmailText
    reply_to: ReplyToAddress | None
    parcel: Parcel | None = None
    files: Mapping[str, CheckedFile] = MappingProxyType({})

    def __init__(self, caller: Caller, request: EmailRequest, *, is_simulated: bool) -> None:
        self.caller, self.request, self.service, self.is_simulated = caller, request, caller.service, is_simulated

    def check_channel(self) -> None:
        policy.check_channel(self.service, Channel.EMAIL)

    def find_template(self) -> None:
        request = self.request
        self.template = templates.for_sending(
            self.caller, request.template_id, Channel.EMAIL, request.template_version, language=request.language
        )
        if self.caller.allowed_templates:
            policy.check_template(self.caller, request.template_id)

    def fill(self) -> None:
        """Sanitise the values, check that none is missing, and render the email with links in place of files."""
        request, template = self.request, self.template
        self.given, self.sanitised = placeholders.keyed(request.personalisation), {}
        self.values = request.personalisation
        if request.sanitise_content_for:
            sanitised = sanitise.request(request.personalisation, request.sanitise_content_for)
            self.values, self.sanitised = sanitised.personalisation, sanitised.changed
        if template.files and template.used_files:
            self.values = fixed_files.with_files(template, self.values)
        if files.any_in(self.values):
            self.parcel = Parcel.of(self.service, self.values, is_simulated=self.is_simulated)
            self.text = self._render(self.parcel.with_links(self.values))
        else:
            self.text = self._render(self.values if self.values is not request.personalisation else self.given)

    def check_not_empty(self) -> None:
        if self.text.is_empty:
            raise errors.MessageEmpty

    def choose_reply_to(self) -> None:
        self.reply_to = senders.reply_to(self.service, self.request.email_reply_to_id)

    def check_recipient(self) -> None:
        policy.check_recipient(self.caller, self.request.email_address)

    @property
    def is_subscription(self) -> bool:
        return self.template.unsubscribe_link or self.request.one_click_unsubscribe_url is not None

    def check_not_suppressed(self) -> None:
        if self.service.suppressed_sends_are_rejected:
            recipient = self.request.email_address
            policy.check_not_suppressed(self.caller, Channel.EMAIL, recipient, is_subscription=self.is_subscription)

    def check_files(self) -> None:
        if self.parcel:
            self.files = self.parcel.check()

    def check_length(self) -> None:
        if self.text.is_too_long:
            raise errors.EmailTooLong(limit_bytes=email.MAX_BYTES, size_bytes=self.text.size_bytes)

    def checked(self) -> Checked:
        """Return the message after all checks, with its links without keys for storage."""
        recipient, template, text = self.request.email_address, self.template, self.text
        kept = text
        if self.parcel:
            kept = self._render(self.parcel.with_kept_links(self.values))
        columns = common_columns(self.caller, template, self.request) | {
            "channel": _CHANNEL,
            "recipient": recipient.as_given,
            "normalised_recipient": recipient.key,
            "subject": kept.subject,
            "body": kept.filled,
            "unsubscribe_link": template.unsubscribe_link,
            "one_click_unsubscribe_url": self.request.one_click_unsubscribe_url,
            "reply_to_id": self.reply_to.id if self.reply_to else None,
        }
        if self.files:
            columns["encrypted_outgoing"] = Notification.encrypt_outgoing(columns["id"], text.subject, text.filled)
        submission = Submission(
            columns=columns,
            subject=text.subject,
            body=text.filled,
            sent_from=senders.from_email(self.service),
            sanitised=self.sanitised,
        )
        return Checked(
            caller=self.caller,
            template=self.template,
            submission=submission,
            given=self.given,
            counted=[LimitKind.EMAIL],
            is_simulated=self.is_simulated,
            sender=self.reply_to,
            parcel=self.parcel,
            files=self.files,
        )

    def _render(self, values: Mapping[str, object]) -> EmailText:
        template = self.template
        values = templates.values_for(template, values, sent=self.values)
        return email.render(template.subject, template.content, values, language=template.language)


CHECKS = (
    Check("channel", EmailChecks.check_channel),
    Check("template", EmailChecks.find_template, reads=["template_id", "template_version", "language"]),
    Check("personalisation", EmailChecks.fill, needs=["template"], reads=["personalisation", "sanitise_content_for"]),
    Check("empty", EmailChecks.check_not_empty, needs=["personalisation"]),
    Check("sender", EmailChecks.choose_reply_to, reads=["email_reply_to_id"]),
    Check("recipient", EmailChecks.check_recipient, reads=["email_address"]),
    Check(
        "suppression",
        EmailChecks.check_not_suppressed,
        needs=["template"],
        reads=["email_address", "one_click_unsubscribe_url"],
    ),
    Check("files", EmailChecks.check_files, needs=["personalisation"]),
    Check("length", EmailChecks.check_length, needs=["personalisation"]),
)
