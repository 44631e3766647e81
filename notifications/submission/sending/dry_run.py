"""Check a message as a send does, and show what would be sent. Store, send and count nothing.

The checks are those of a send, so the two cannot differ. Source: docs/reference/bulk-sending.md §4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone

from notifications.delivery import repeats
from notifications.errors import EmailTooLargeToShow
from notifications.models import Channel, LimitKind, Service, SuppressionReason
from notifications.submission import limits, policy, senders, templates
from notifications.submission.callers import Caller
from notifications.submission.requests import EmailRequest, RequestPart, SmsRequest
from notifications.submission.sending import checks, email_checks, sms_checks
from notifications.submission.sending.checks import Result, Submission
from notifications.submission.sending.email_checks import EmailChecks
from notifications.submission.sending.sms_checks import SmsChecks
from notifications.submission.templates import TemplateText
from notifications.submission.templates.preview import email_parts

# The checks of both channels, in the order of the contract. A check that the channel does not need succeeds.
NAMES = (
    *("daily_limit", "schema", "channel", "template", "personalisation", "empty", "file_in_text", "sender"),
    *("recipient", "suppression", "number", "international_limit", "files", "length", "fallback"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRecipient:
    normalised: str
    is_international: bool
    is_simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLimitLeft:
    limit: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The result of a dry run. A value is None if an error keeps it unknown, or if the channel has none.

    html: the body of an email, as a fragment
    parts, characters, encoding: of a text message
    sends_at: the time for which it is scheduled, or the current time; later if it falls into quiet hours
    suppressed_by: the reason why the message would end without being sent
    """

    channel: Channel
    results: Sequence[Result]
    limits: Mapping[LimitKind, DailyLimitLeft]
    recipient: ResolvedRecipient | None = None
    template: TemplateText | None = None
    subject: str | None = None
    body: str | None = None
    html: str | None = None
    sent_from: str | None = None
    one_click_unsubscribe_url: str | None = None
    sanitised: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    parts: int | None = None
    characters: int | None = None
    encoding: Literal["gsm", "16-bit"] | None = None
    scheduled_for: datetime | None = None
    sends_at: datetime | None = None
    repeat_of: UUID | None = None
    suppressed_by: SuppressionReason | None = None

    @property
    def is_accepted(self) -> bool:
        return all(result.ok for result in self.results)


def check_sms(caller: Caller, part: RequestPart) -> DryRun:
    """Check a text message."""
    request: SmsRequest = part.request  # type: ignore[assignment]  # the callers know the channel
    message = SmsChecks(caller, request)
    found = _first_two(caller, LimitKind.SMS, part)
    found |= _by_name(checks.run_all(sms_checks.CHECKS, message, invalid=part.invalid))
    values: dict[str, Any] = {}  # Any: fields of DryRun
    counted = [LimitKind.SMS]
    if "phone_number" not in part.invalid:
        number = request.phone_number
        is_abroad = policy.is_counted_international(number)
        counted += [LimitKind.INTERNATIONAL_SMS] if is_abroad else []
        values["recipient"] = _recipient(number.normalised, policy.is_simulated(number), is_international=is_abroad)
        values["suppressed_by"] = policy.suppressed_by(caller, Channel.SMS, number, is_subscription=False)
    if found["template"].ok:
        values["template"] = message.template
    if found["personalisation"].ok:
        text = message.text
        values |= {"body": text.text, "parts": text.fragments, "characters": text.chars}
        values["encoding"] = "16-bit" if text.non_gsm else "gsm"
    if found["sender"].ok:
        values["sent_from"] = senders.from_number(message.sender)
    return _finished(caller, Channel.SMS, part, found, counted, message, values)


def check_email(caller: Caller, part: RequestPart, *, unsubscribe_url: str) -> DryRun:
    """Check an email, and scan its files. Raises EmailTooLargeToShow.

    unsubscribe_url: the link in the footer, if the template has one
    """
    request: EmailRequest = part.request  # type: ignore[assignment]  # the callers know the channel
    is_simulated = "email_address" not in part.invalid and policy.is_simulated(request.email_address)
    message = EmailChecks(caller, request, is_simulated=is_simulated)
    found = _first_two(caller, LimitKind.EMAIL, part)
    found |= _by_name(checks.run_all(email_checks.CHECKS, message, invalid=part.invalid))
    values: dict[str, Any] = {"sent_from": senders.from_email(caller.service)}  # Any: fields of DryRun
    if "one_click_unsubscribe_url" not in part.invalid:
        values["one_click_unsubscribe_url"] = request.one_click_unsubscribe_url
    if "email_address" not in part.invalid:
        values["recipient"] = _recipient(request.email_address.normalised, is_simulated)
    if found["template"].ok:
        values["template"] = message.template
        if not {"email_address", "one_click_unsubscribe_url"}.intersection(part.invalid):
            values["suppressed_by"] = policy.suppressed_by(
                caller, Channel.EMAIL, request.email_address, is_subscription=message.is_subscription
            )
    if found["personalisation"].ok:
        parcel, given = message.parcel, message.values
        try:
            shown = email_parts(
                message.template,
                templates.values_for(message.template, parcel.with_simulated_links(given) if parcel else given),
                unsubscribe_url=unsubscribe_url if message.template.unsubscribe_link else None,
            )
            values |= {"subject": shown.subject, "body": shown.body, "html": shown.html}
        except EmailTooLargeToShow:
            if found["length"].ok:  # else the result of that check is the reason
                raise
        values["sanitised"] = message.sanitised
    return _finished(caller, Channel.EMAIL, part, found, [LimitKind.EMAIL], message, values)


def _first_two(caller: Caller, kind: LimitKind, part: RequestPart) -> dict[str, Result]:
    """Return the results of the checks before those of the message."""
    daily_limit = checks.attempt("daily_limit", partial(limits.check_now, caller, kind))
    return _by_name([daily_limit, Result(check="schema", ok=not part.errors, errors=part.errors)])


def _finished(
    caller: Caller,
    channel: Channel,
    part: RequestPart,
    found: Mapping[str, Result],
    counted: Sequence[LimitKind],
    message: SmsChecks | EmailChecks,
    values: Mapping[str, Any],  # Any: fields of DryRun
) -> DryRun:
    results = [found.get(name, Result(check=name, ok=True)) for name in NAMES]
    times: dict[str, Any] = {}  # Any: fields of DryRun
    if "scheduled_for" not in part.invalid:
        times["scheduled_for"] = part.request.scheduled_for
    if all(result.ok for result in results):
        times |= _times_and_repeat(caller.service, message.checked().submission)
    if values.get("suppressed_by"):
        times["sends_at"] = None
    known = {kind: limit(caller.service, kind) for kind in counted}
    return DryRun(channel=channel, results=results, limits=known, **values, **times)


def limit(service: Service, kind: LimitKind) -> DailyLimitLeft:
    return DailyLimitLeft(limit=limits.limit_of(service, kind), remaining=limits.remaining(service, kind))


def _times_and_repeat(service: Service, submission: Submission) -> dict[str, Any]:  # Any: fields of DryRun
    first = repeats.find_first(service, submission.notification)
    sends_at = submission.columns.get("due_at") or timezone.now()
    return {"repeat_of": first, "sends_at": None if first else sends_at}


def _recipient(normalised: str, is_simulated: bool, *, is_international: bool = False) -> ResolvedRecipient:
    return ResolvedRecipient(normalised=normalised, is_international=is_international, is_simulated=is_simulated)


def _by_name(results: Sequence[Result]) -> dict[str, Result]:
    return {result.check: result for result in results}
