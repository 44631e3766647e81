"""One stored record."""

from django.db import models

from datasets.models.access_token import AccessToken
from datasets.models.data_set import DataSet
from datasets.models.fields import CodePointTextField, JSONTextField


class Record(models.Model):
    """What was posted under one `_id` of one data set. Source: Data Set contract §6, §7.

    body: the caller's own fields as one JSON object in compact form. It is text as we wrote it (see JSONTextField), so
          whole numbers of 4,300 digits and every double come back as they went in on both databases, and a read puts
          it between the service's fields without parsing it. `_start_at` and `_end_at` have columns of their own,
          because they are compared as instants; `_timestamp` and `_id` because records are found and ordered by them.

    The key is data set and `_id`, what an upsert looks for; a number of its own would be a third index to keep up.
    Neither reference is checked by the database for each row: the store holds the data set's lock, and a token is
    never deleted before its data set. (One such check takes COPY from 200,000 to 117,000 records/s.)
    """

    pk = models.CompositePrimaryKey("data_set_id", "record_id")
    data_set = models.ForeignKey(
        DataSet, on_delete=models.PROTECT, related_name="records", db_index=False, db_constraint=False
    )
    record_id = CodePointTextField()
    timestamp = models.DateTimeField()
    start_at = models.DateTimeField(null=True)
    end_at = models.DateTimeField(null=True)
    body = JSONTextField()
    updated_at = models.DateTimeField()
    token = models.ForeignKey(
        AccessToken, null=True, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    request_id = models.UUIDField(null=True)

    class Meta:
        indexes = [models.Index(fields=["data_set", "timestamp", "record_id"], name="record_in_time")]

    def __str__(self) -> str:
        return f"record of data set {self.data_set_id}"
