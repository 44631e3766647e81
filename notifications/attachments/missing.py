"""Rows whose blob the store has lost. The log reports them immediately, and the file's page one day later.

If the store has none of the blobs, its folder may not be mounted, so no file is given up. An operator can override this
with an age of zero.
"""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from config import audit
from config.databases.streaming import streamed
from notifications.models import Attachment

NAMED_IN_LOG = 20
LOOKED_UP_AT_ONCE = 500

log = structlog.get_logger()


def settle(names: set[str], *, seen_at: datetime, older_than: timedelta) -> int:
    """Mark rows without a blob, mark those that lack it for `older_than` as removed, and return their number.

    names: the names of all blobs, listed after `seen_at`
    """
    living = Attachment.objects.filter(
        deleted_at=None, withdrawn_at=None, expires_at__gt=seen_at, created_at__lt=seen_at
    )
    lost, back, is_ours = [], [], not older_than
    needed = ("pk", "storage_name", "missing_since", "service_id", "extension", "created_at")
    for row in streamed(living.only(*needed), chunk_size=LOOKED_UP_AT_ONCE):
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
        audit.record(audit.CLOCK, "gave_up", row, reason="The file store no longer has it.")
