"""Remove every record of a data set, and nothing else of it. Source: Data Set contract §9."""

from django.db import connection
from django.db.models import F

from config.console import audit
from datasets.models import DataSet, Record
from datasets.store.turn import in_turn

_LONG_ENOUGH_MS = 25_000  # millions of records do not go in the 5 s of an ordinary statement; a request has 30 s


def empty(data_set: DataSet, *, by: audit.Actor) -> int:
    """Return how many records were removed; the audit says who did it. Raises NoSuchDataSet, OperationalError."""

    def work() -> int:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(_LONG_ENOUGH_MS)])
        removed = Record.objects.filter(data_set=data_set).delete()[0]
        if removed:
            DataSet.objects.filter(pk=data_set.pk).update(record_count=0, revision=F("revision") + 1)
        audit.record(
            by,
            "emptied",
            object_kind="dataset",
            object_id=data_set.pk,
            data_set_id=data_set.pk,
            before={"name": data_set.name, "records": removed},
            after={"name": data_set.name, "records": 0},
        )
        return removed

    return in_turn(data_set.pk, work)
