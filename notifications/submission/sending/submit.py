"""Check, render and store one message for one request. Source: docs/reference/sending-api.md §4.1."""

from collections.abc import Sequence
from typing import TypeVar

from notifications import errors
from notifications.submission import policy
from notifications.submission.callers import Caller
from notifications.submission.requests import EmailRequest, MessageRequest, SmsRequest
from notifications.submission.sending import email_checks, sms_checks, storing
from notifications.submission.sending.checks import Check, Checked, Submission
from notifications.submission.sending.email_checks import EmailChecks
from notifications.submission.sending.sms_checks import SmsChecks
from notifications.submission.sending.storing import Keep
from notifications.submission.templates import use_counts

Message = TypeVar("Message", SmsChecks, EmailChecks)


def submit_sms(caller: Caller, request: SmsRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one text message: steps 9 to 23 of the contract, in its order.

    Raises the errors of `check_sms`, and DailyLimitReached from the transaction. The task is enqueued after the commit,
    so a worker never looks for a row that does not exist.
    """
    return _accept(check_sms(caller, request), request, keep)


def submit_email(caller: Caller, request: EmailRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one email: steps 9 to 23 of the contract, in its order."""
    return _accept(check_email(caller, request), request, keep)


def check_sms(caller: Caller, request: SmsRequest) -> Checked:
    """Check and render one text message. Raises a NotificationError."""
    message = SmsChecks(caller, request)
    _run(sms_checks.CHECKS, message)
    return message.checked()


def check_email(caller: Caller, request: EmailRequest) -> Checked:
    """Check and render one email, with its files. Raises a NotificationError."""
    message = EmailChecks(caller, request, is_simulated=policy.is_simulated(request.email_address))
    _run(email_checks.CHECKS, message)
    return message.checked()


def _run(named: Sequence[Check[Message]], message: Message) -> None:
    """Run the checks, and count the call if it fails for a change of the template."""
    try:
        for check in named:
            check.run(message)
    except errors.PersonalisationMissing:
        if message.request.template_version is None:
            use_counts.count_failing(message.caller, message.template, message.request.personalisation)
        raise


def _accept(checked: Checked, request: MessageRequest, keep: Keep | None) -> Submission:
    """Accept the message, and count the call for the template that it used."""
    submission = storing.store(checked, request.callback, keep)
    if request.template_version is None:
        use_counts.count(checked.caller, checked.template, checked.given, language=request.language)
    return submission
