"""Report writes to data sets, at most once a minute for each. Source: docs/callbacks.md."""

from django.db import transaction
from django.utils import timezone

from config.data_sets import DataSetChange, data_set_changed, with_listeners
from datasets.models import DataSet, SentWrite
from datasets.records import moments


def send_writes() -> int:
    """Report each data set with a listener that was written to since the last report, and return their number."""
    wanted = with_listeners()
    return sum(map(_send_change, sorted(wanted))) if wanted else 0


@transaction.atomic
def _send_change(pk: int) -> int:
    locked = DataSet.objects.select_related("group", "type").select_for_update(no_key=True, of=("self",))
    data_set = locked.filter(pk=pk).first()
    if data_set is None or data_set.last_write_at is None:
        return 0
    sent = SentWrite.objects.filter(data_set=pk).first()
    if sent is None:  # somebody listens for the first time
        SentWrite.objects.create(data_set=data_set, written_at=data_set.last_write_at)
        return 0
    if sent.written_at == data_set.last_write_at:
        return 0
    sent.written_at = data_set.last_write_at
    sent.save()
    change = DataSetChange(
        event="data_set.written",
        data_set_id=pk,
        name=data_set.name,
        path=str(data_set),
        at=timezone.now(),
        details={"last_write_at": moments.write(data_set.last_write_at), "records": data_set.record_count},
    )
    data_set_changed.send(DataSet, change=change)
    return 1
