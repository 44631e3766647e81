"""The stored records of data sets."""

from django.db import models

from datasets.models.fields import CodePointTextField, JSONTextField


class Record(models.Model):
    """One record of a data set. Source: docs/reference/data-sets.md §6, §7, §9.

    store_id: the store of the data set (`DataSet.store_id`). Emptying a large data set gives it a new store at once, so
        that no statement has to delete millions of records. The column keeps its earlier name.
    body: the caller's own fields as one compact JSON object. JSONTextField keeps the text, so that whole numbers of
        4,300 digits and all doubles come back unchanged on both databases. A read inserts it into the answer unparsed.
        `_start_at`, `_end_at`, `_timestamp` and `_id` have columns of their own, because queries compare and sort them.

    The primary key is store and `_id`, because an upsert looks for both; a serial number would need a third index.
    The database does not check the two references: with one such check, COPY drops from 200,000 to 117,000 records/s.
    Writers lock the data set instead, and no token is deleted before its data set.
    """

    pk = models.CompositePrimaryKey("store_id", "record_id")
    store_id = models.BigIntegerField(db_column="data_set_id")
    record_id = CodePointTextField()
    timestamp = models.DateTimeField()
    start_at = models.DateTimeField(null=True)
    end_at = models.DateTimeField(null=True)
    body = JSONTextField()
    updated_at = models.DateTimeField()
    token = models.ForeignKey(
        "datasets.AccessToken",
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    request_id = models.UUIDField(null=True)

    class Meta:
        indexes = [models.Index(fields=["store_id", "timestamp", "record_id"], name="record_in_time")]

    def __str__(self) -> str:
        return f"record of store {self.store_id}"
