"""Store and enqueue a checked message: an ordered list of steps, of which most messages need only the last.

Source: docs/reference/sending-api.md §4.1, steps 22 and 23.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction

from config.metrics import registry
from notifications import tasks
from notifications.attachments import store as blob_store
from notifications.attachments.intake import EncryptedFile
from notifications.delivery import repeats
from notifications.delivery.repeats import RepeatsMessage
from notifications.models import Attachment, Channel, Notification, RequestCallback, SmsSender, Status
from notifications.submission import limits, senders, usage
from notifications.submission.requests import RequestedCallback
from notifications.submission.sending.checks import Checked, Submission

Keep = Callable[[Submission], None]  # stores further rows in the transaction of the message

_CREATED = Status.CREATED.value


class Storing:
    """One message on its way through STEPS. An attribute that is false or None says that its step is not needed."""

    def __init__(self, checked: Checked, callback: RequestedCallback | None, keep: Keep | None) -> None:
        is_stored, submission = not checked.is_simulated, checked.submission
        self.checked, self.submission, self.service = checked, submission, checked.caller.service
        self.is_guarded = (
            is_stored and self.service.repeat_guard_minutes > 0 and submission.columns["reference"] is not None
        )
        self.has_files = is_stored and bool(checked.files)
        self.callback = callback if is_stored else None
        self.fallback = checked.fallback if is_stored else None
        self.keep = keep
        self.encrypted: list[EncryptedFile] = []

    def encrypt_files(self) -> None:
        """Encrypt the files, before a transaction begins."""
        if self.has_files and self.checked.parcel:
            self.encrypted = self.checked.parcel.encrypt(self.checked.files, self.submission.notification)

    def claim_guard(self) -> None:
        """Raise RepeatsMessage if another message is the first."""
        repeats.claim_one(self.service, self.submission.notification)

    def store_files(self) -> None:
        Attachment.objects.bulk_create([file.row for file in self.encrypted])

    def store_callback(self) -> None:
        if self.callback:
            row = RequestCallback.of(self.submission.columns["id"], self.callback.url, self.callback.bearer_token)
            RequestCallback.objects.store(row, self.service)

    def store_fallback(self) -> None:
        if self.fallback:
            self.fallback.save(force_insert=True)

    def keep_response(self) -> None:
        if self.keep:
            self.keep(self.submission.as_kept())

    def store_message(self) -> None:
        """Store the message and count it. Enqueue it after the commit."""
        if self.checked.is_simulated:
            return
        columns = self.submission.columns
        limits.store(self.checked.caller, columns, self.checked.counted)
        if "due_at" not in columns:
            tasks.wake(columns["channel"])
        transaction.on_commit(partial(registry.MESSAGES.add, columns["channel"], columns["key_type"], _CREATED))


@dataclass(frozen=True, slots=True)
class StoringStep:
    """A step that a message may need. needed_by: the attribute of Storing that decides it"""

    needed_by: str
    run: Callable[[Storing], None]


# In their order, in one transaction. The message is last, because it locks the counter of its limit.
STEPS = (
    StoringStep("is_guarded", Storing.claim_guard),
    StoringStep("has_files", Storing.store_files),
    StoringStep("callback", Storing.store_callback),
    StoringStep("fallback", Storing.store_fallback),
    StoringStep("keep", Storing.keep_response),
)


def store(checked: Checked, callback: RequestedCallback | None = None, keep: Keep | None = None) -> Submission:
    """Store and enqueue the message. If the repeat guard knows it, return the first message instead.

    Raises DailyLimitReached.
    """
    storing = Storing(checked, callback, keep)
    if storing.is_guarded and (first := repeats.find_first(storing.service, checked.submission.notification)):
        return _repeated(storing, first)
    try:
        _run(storing)
    except RepeatsMessage as repeat:
        return _repeated(storing, repeat.first)
    if checked.sender and not checked.is_simulated:
        usage.note_use(checked.sender)
    return checked.submission


def _run(storing: Storing) -> None:
    """Run the steps that the message needs. Without any, one statement stores the message."""
    steps = [step for step in STEPS if getattr(storing, step.needed_by)]
    if not steps:
        storing.store_message()
        return
    storing.encrypt_files()
    blobs = {file.row.storage_name: file.blob for file in storing.encrypted}
    with blob_store.written(blobs) as written, transaction.atomic():
        for step in steps:
            step.run(storing)
        storing.store_message()
        # Only the commit can fail now, with unknown result. If it failed, a clean-up deletes orphaned blobs.
        written.keep()


def _repeated(storing: Storing, first: UUID) -> Submission:
    """Return the values of the first message. Nothing is stored or counted but the response, if there is a `keep`."""
    columns = Notification.objects.values().get(id=first)
    sender = SmsSender.objects.filter(id=columns["sms_sender_id"]).first()
    is_sms = columns["channel"] == Channel.SMS
    submission = Submission(
        columns=columns,
        subject=columns["subject"],
        body=columns["body"],
        sent_from=senders.from_number(sender) if is_sms else senders.from_email(storing.service),
        repeat_of=first,
    )
    if storing.keep:
        storing.keep(submission)
    return submission
