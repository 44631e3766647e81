"""Keep why a write was refused: counted in the day, and the newest with place and reason. Staff console §2.15."""

from contextlib import suppress
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets.errors import Fault
from datasets.models import DataSetDay, WriteRefusal
from datasets.records import names


def note_refusal(
    data_set_id: int, *, status: int, reason: str, fault: Fault | None = None, request_id: UUID | None = None
) -> None:
    """Called after the write's own transaction has been rolled back. fault: the first one, if records were at fault.

    Of the field only a name that may be one is kept: anything else is what a caller sent by mistake. Nothing is kept of
    a data set that has been deleted meanwhile.
    """
    field = fault.field if fault and fault.field is not None else ""
    is_name = names.is_field_name(field) or field in {"_id", *names.MOMENTS}
    refusal = WriteRefusal(
        data_set_id=data_set_id,
        at=timezone.now(),
        status=status,
        index=fault.index if fault else None,
        field=field if is_name else "",
        reason=(fault.message if fault else reason)[:255],
        request_id=request_id,
    )
    with suppress(IntegrityError), transaction.atomic():
        DataSetDay.objects.add(data_set_id, refused=1)
        WriteRefusal.objects.keep(refusal)
