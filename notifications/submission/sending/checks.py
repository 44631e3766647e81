"""Named checks of a message, and the message that has passed them.

A send stops at the first error. A dry run goes on with every check that it can.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any, Generic, Self, TypeVar
from uuid import UUID, uuid4

import structlog
from django.utils import timezone

from notifications.attachments.intake import CheckedFile
from notifications.delivery import quiet_hours
from notifications.errors import NotificationError
from notifications.models import ApiKey, Fallback, LimitKind, MessageOrigin, Notification, ReplyToAddress, SmsSender
from notifications.rendering.placeholders import Keyed
from notifications.submission.callers import Caller
from notifications.submission.requests import MessageRequest
from notifications.submission.sending.files import Parcel
from notifications.submission.templates import TemplateText

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Check(Generic[Subject]):
    """One check of a message. run: raises NotificationError

    needs: the earlier checks whose results this check uses
    reads: the properties of the request that it uses
    """

    name: str
    run: Callable[[Subject], None]
    needs: Sequence[str] = ()
    reads: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a check. ok: None if an earlier error prevents the check"""

    check: str
    ok: bool | None
    errors: Sequence[NotificationError] = ()


def run(checks: Sequence[Check[Subject]], subject: Subject) -> None:
    """Run the checks in their order. Raises the first error."""
    for check in checks:
        check.run(subject)


def run_all(checks: Sequence[Check[Subject]], subject: Subject, *, invalid: Collection[str] = ()) -> list[Result]:
    """Run every check that has what it uses. invalid: the properties of the request that have no valid value"""
    results: dict[str, Result] = {}
    for check in checks:
        can_run = all(results[name].ok for name in check.needs) and not any(name in invalid for name in check.reads)
        result = attempt(check.name, partial(check.run, subject)) if can_run else Result(check=check.name, ok=None)
        results[check.name] = result
    return list(results.values())


def attempt(name: str, run_check: Callable[[], None]) -> Result:
    try:
        run_check()
    except NotificationError as error:
        return Result(check=name, ok=False, errors=error.errors)
    return Result(check=name, ok=True)


@dataclass(frozen=True, kw_only=True)
class Submission:
    """An accepted message. For a simulated recipient the row is not stored.

    columns: of the row, by attribute of the model; Any: values of columns
    subject, body: as the recipient gets them, with full links to files, which no readable column stores
    sent_from: the sender name, phone number or email address in the response
    sanitised: the values that `sanitise_content_for` changed
    repeat_of: the id of the first message if the repeat guard stopped this one; the other values are those of the first
    """

    columns: Mapping[str, Any]
    subject: str | None = None
    body: str
    sent_from: str
    sanitised: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    repeat_of: UUID | None = None

    @cached_property
    def notification(self) -> Notification:
        """Return the message as an instance of its model. Building it takes longer than storing the columns."""
        return Notification(**self.columns)

    def as_kept(self) -> Self:
        """Return a copy whose links have no keys, for storage."""
        return replace(self, subject=self.columns.get("subject"), body=self.columns["body"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A checked message that only the daily limit can still reject. Nothing is stored yet.

    given: the values of the request
    counted: the limits that the message counts against
    is_simulated: whether nothing is stored or sent because the recipient is simulated
    sender: the sender or the reply-to address that the message uses
    parcel, files: of an email with files
    fallback: of a text message that names one
    """

    caller: Caller
    template: TemplateText
    submission: Submission
    given: Keyed
    counted: Sequence[LimitKind]
    is_simulated: bool
    sender: SmsSender | ReplyToAddress | None = None
    parcel: Parcel | None = None
    files: Mapping[str, CheckedFile] = field(default_factory=dict)
    fallback: Fallback | None = None


def common_columns(
    caller: Caller, template: TemplateText, request: MessageRequest, *, number: str = ""
) -> dict[str, Any]:  # Any: values of columns
    """Return the columns that do not depend on the channel. number: the normalised recipient of a text message"""
    now = timezone.now()
    columns = {
        "id": uuid4(),
        "service_id": caller.service_id,
        "key_type": caller.key_type,
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
        "template_id": template.id,
        "template_version": template.version,
        "language": template.language,
        "reference": request.reference,
        "created_at": now,
        "scheduled_for": request.scheduled_for,
    }
    if isinstance(caller, ApiKey):
        columns["api_key_id"] = caller.id
    else:
        columns |= {"origin": MessageOrigin.CONSOLE, "created_by": caller.name}
    if request.scheduled_for or template.respect_quiet_hours:
        columns |= _waiting(caller, template, request.scheduled_for, now, number)
    return columns


def _waiting(
    caller: Caller, template: TemplateText, scheduled_for: datetime | None, now: datetime, number: str
) -> dict[str, datetime | None]:
    """Return the times of a message that waits, which the sweep finds. By default the database sets them to now."""
    sends_at = moment = scheduled_for or now
    if template.respect_quiet_hours:
        sends_at = quiet_hours.sends_at(caller.service, template.type, moment, number=number)
    if scheduled_for is None and sends_at == moment:
        return {}
    quiet_until = sends_at if sends_at > moment else None
    return {"quiet_until": quiet_until, "due_at": sends_at, "next_attempt_at": sends_at}
