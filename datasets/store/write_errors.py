"""Log refused writes: count them by day, and keep the newest with position and reason."""

from contextlib import suppress
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets.errors import Rejection
from datasets.models import DataSetDay, WriteError
from datasets.records import names


def log_write_error(
    data_set_id: int, *, status: int, reason: str, rejection: Rejection | None = None, request_id: UUID | None = None
) -> None:
    """Store why a write was refused. Call it after the transaction of the write was rolled back.

    rejection: the first one, if records were rejected. The field is stored only if it is a valid name, because other
    text may be content. Nothing is stored if the data set was deleted.
    """
    field = rejection.field if rejection and rejection.field is not None else ""
    is_name = names.is_field_name(field) or field in {"_id", *names.MOMENTS}
    error = WriteError(
        data_set_id=data_set_id,
        at=timezone.now(),
        status=status,
        index=rejection.index if rejection else None,
        field=field if is_name else "",
        reason=(rejection.message if rejection else reason)[:255],
        request_id=request_id,
    )
    with suppress(IntegrityError), transaction.atomic():
        DataSetDay.objects.add(data_set_id, refused=1)
        WriteError.objects.keep(error)
