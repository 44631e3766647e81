"""Report writes to data sets, at most once a minute for each. Source: docs/callbacks.md."""

from django.db import transaction
from django.utils import timezone

from config.data_sets import DataSetChange, data_set_changed, with_listeners
from datasets.models import DataSet
from datasets.records import moments


def send_writes() -> int:
    """Report each data set with a listener that was written to since the last report, and return their number."""
    wanted = with_listeners()
    return sum(map(_send_change, sorted(wanted))) if wanted else 0


@transaction.atomic
def _send_change(pk: int) -> int:
    rows = DataSet.objects.filter(pk=pk)
    locked = rows.select_related("group", "type").select_for_update(no_key=True, of=("self",))
    data_set = locked.exclude(last_write_at=None).first()
    if data_set is None or data_set.last_write_at is None or data_set.sent_write_at == data_set.last_write_at:
        return 0
    rows.update(sent_write_at=data_set.last_write_at)
    if data_set.sent_write_at is None:  # somebody listens for the first time
        return 0
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
