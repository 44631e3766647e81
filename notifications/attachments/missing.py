"""Rows whose blob the store has lost before its time: told of at once, and after a day told to whoever has the link.

A folder that is not mounted must not turn all files into "no longer available" for ever: while the store has not one
of the blobs our rows speak of, it is not believed, unless somebody asks by hand for what is so just now.
"""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from config.console import audit
from notifications.models import Attachment

NAMED_IN_LOG = 20
LOOKED_UP_AT_ONCE = 500

log = structlog.get_logger()


def settle(names: set[str], *, seen_at: datetime, older_than: timedelta) -> int:
    """Note which living rows have no blob, and make tombstones of those that have had none for `older_than`.

    names: of all blobs, listed after `seen_at`. Returns how many files were given up.
    """
    living = Attachment.objects.filter(
        deleted_at=None, withdrawn_at=None, expires_at__gt=seen_at, created_at__lt=seen_at
    )
    lost, back, is_ours = [], [], not older_than
    needed = ("pk", "storage_name", "missing_since", "service_id", "extension", "created_at")
    for row in living.only(*needed).iterator(LOOKED_UP_AT_ONCE):
        if row.storage_name not in names:
            lost.append(row)
            continue
        is_ours = True
        if row.missing_since is not None:
            back.append(row.pk)
    Attachment.objects.filter(pk__in=back).update(missing_since=None)
    if not lost:
        return 0
    Attachment.objects.filter(pk__in=[row.pk for row in lost], missing_since=None).update(missing_since=seen_at)
    named = [str(row.pk) for row in lost[:NAMED_IN_LOG]]
    log.error("attachments.blobs_missing", count=len(lost), attachment_ids=named, is_believed=is_ours)
    over = [row for row in lost if (row.missing_since or seen_at) <= seen_at - older_than] if is_ours else []
    for row in over:
        _give_up(row, seen_at)
    return len(over)


def _give_up(row: Attachment, at: datetime) -> None:
    with transaction.atomic():
        Attachment.objects.filter(pk=row.pk).mark_removed(at)
        audit.record(
            audit.CLOCK,
            "gave_up",
            object_kind="attachment",
            object_id=row.pk,
            label=row.masked_title,
            service_id=row.service_id,
            reason="The file store no longer has it.",
        )
