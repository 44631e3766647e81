"""Read the headers and the body of a write in the order of checks.

Source: docs/reference/data-sets.md §3, §5, §8.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.conf import settings
from rest_framework.request import Request

from config.invalid import InvalidValue
from config.rest import body, idempotency, strict_json
from config.rest.content import StrictJSONParser
from config.rest.idempotency import IdempotencyKey
from config.rest.strict_json import JsonReason, UnreadableJSON
from datasets import records
from datasets.errors import (
    MAX_RECORDS,
    MAX_VALUES,
    DataSetError,
    KeyMalformed,
    NotAnEmptyArray,
    NotARecord,
    SchemaNotValid,
    TooManyRecords,
    WrongContentType,
)
from datasets.models import DataSet
from datasets.records import Fits, ParsedRecord, elements
from datasets.records.elements import Elements
from datasets.records.keeping import RejectedElements, check_each
from datasets.records.schemas.documents import Schema, parse_schema

_LARGE_BYTES = 4 * 1024 * 1024  # eight bodies of 64 MiB at once would take 1 GiB


class DataSetJSONParser(StrictJSONParser):
    """The JSON parser of data sets. It accepts gzip, chunks and a byte order mark."""

    max_values = MAX_VALUES
    codings = ("gzip", "x-gzip")
    chunked = True
    skip_mark = True
    storable = False

    @property
    def max_bytes(self) -> int:  # type: ignore[override]  # a property, because tests change the setting
        return int(settings.DATASETS_MAX_BODY_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBody:
    """The decompressed body of a write, not yet parsed, and its idempotency key or None."""

    data: bytes
    key: IdempotencyKey | None

    def one_at_a_time(self) -> AbstractContextManager[object]:
        """Return the context in which the body is parsed and stored: one large body at a time."""
        return body.one_at_a_time(len(self.data), large_bytes=_LARGE_BYTES)

    def records(self, data_set: DataSet, fits: Fits | None = None) -> Iterator[ParsedRecord]:
        """Yield the valid records. Raises the errors of `value` and NoRecords at once, RecordsRejected at the end."""
        look = records.look_at(self.data)
        value = self.value(too_many=TooManyRecords())
        return records.check(value, auto_ids=data_set.auto_ids or (), look=look, fits=fits)

    def each_record(self, data_set: DataSet, rejected: RejectedElements, fits: Fits | None) -> Iterator[ParsedRecord]:
        """Yield the valid records, and add the others to `rejected`. Raises as `records`, but no RecordsRejected."""
        value, look = self.value(too_many=TooManyRecords()), records.look_at(self.data)
        return check_each(value, self.data, rejected, auto_ids=data_set.auto_ids or (), look=look, fits=fits)

    def record(self, data_set: DataSet, record_id: str, fits: Fits | None) -> ParsedRecord:
        """Return the record that replaces another one. Raises the errors of `value` and `records.check_one`."""
        value, look = self.value(too_many=NotARecord()), records.look_at(self.data)
        return records.check_one(value, record_id=record_id, auto_ids=data_set.auto_ids or (), look=look, fits=fits)

    def schema(self) -> Schema:
        """Return the schema of the body. Raises SchemaNotValid, and the errors of `value`."""
        value = self.value(too_many=SchemaNotValid(reason="Enter a JSON object with a schema."))
        try:
            return parse_schema(value)
        except InvalidValue as error:
            raise SchemaNotValid(reason=str(error)) from error

    def check_empty_array(self) -> None:
        """Raise NotAnEmptyArray, or an error of `value`, unless the value is `[]`."""
        with self.one_at_a_time():
            records.check_empty_array(self.value(too_many=NotAnEmptyArray()))

    def value(self, *, too_many: DataSetError) -> object:
        """Return the JSON value.

        Raises UnreadableJSON, and `too_many` for an array of more than MAX_RECORDS elements.
        """
        if strict_json.has_many_values(self.data, max_values=MAX_VALUES):
            raise UnreadableJSON(JsonReason.TOO_MANY_VALUES)
        if not self.data:
            raise UnreadableJSON(JsonReason.EMPTY)
        value = elements.parse(self.data)
        if isinstance(value, list | Elements) and len(value) > MAX_RECORDS:
            raise too_many
        return value


def read(request: Request, *, with_key: bool) -> SentBody:
    """Check the headers and read the body: steps 5 to 7. Raises WrongContentType, KeyMalformed, UnreadableBody."""
    content_type = str(request.META.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()
    if content_type != DataSetJSONParser.media_type:
        raise WrongContentType
    parser = DataSetJSONParser()
    body.check_coding(request.META, allowed=parser.codings)
    key = request.META.get("HTTP_IDEMPOTENCY_KEY") if with_key else None
    if key is not None and not idempotency.is_well_formed(key):
        raise KeyMalformed
    data = parser.read_bytes(request.META)
    if key is None:
        return SentBody(data=data, key=None)
    return SentBody(data=data, key=IdempotencyKey(key, idempotency.fingerprint(data)))
