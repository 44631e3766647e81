"""The headers and the body of a write, each checked at its place in the order. Source: Data Set contract §3, §5, §8."""

from dataclasses import dataclass

from django.conf import settings
from rest_framework.request import Request

from config.rest import array_length, body, idempotency
from config.rest.array_length import TooManyElements
from config.rest.parsers import StrictJSONParser
from datasets.errors import MAX_RECORDS, DataSetError, KeyMalformed, WrongContentType
from datasets.store import IdempotencyKey


class DataSetJSONParser(StrictJSONParser):
    """As this area reads JSON: gzip and chunks, a byte order mark skipped, odd values left to the rules of records."""

    codings = ("gzip", "x-gzip")
    chunked = True
    skip_mark = True
    storable = False

    @property
    def max_bytes(self) -> int:  # type: ignore[override]  # read where tests and operators may turn it
        return int(settings.DATASETS_MAX_BODY_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What came with a write: the opened bytes, not yet judged, and the key if there was one."""

    data: bytes
    key: IdempotencyKey | None

    def value(self, *, too_many: DataSetError) -> object:
        """Return the JSON value. Raises JSONRefused, and `too_many` for an array of more than MAX_RECORDS elements."""
        try:
            array_length.check(self.data, max_elements=MAX_RECORDS)
        except TooManyElements as error:
            raise too_many from error
        return DataSetJSONParser().loads(self.data)


def read(request: Request, *, with_key: bool) -> Sent:
    """Steps 5 to 7. Raises WrongContentType, KeyMalformed, BodyRefused."""
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
        return Sent(data=data, key=None)
    return Sent(data=data, key=IdempotencyKey(key=key, fingerprint=idempotency.fingerprint(data)))
