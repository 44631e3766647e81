"""The records of a body, each parsed when it is validated. Source: docs/reference/data-sets.md §5.

A body of five million short values takes up to 500 MiB as Python objects. So only one record exists at a time, and the
values of a large one are counted before it is parsed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from config.rest import strict_json
from config.rest.strict_json import JsonReason, UnreadableJSON
from datasets.errors import MAX_BYTES_OF_RECORD, MAX_FIELDS_OF_RECORD, MAX_VALUES_OF_RECORD

_RAW = msgspec.json.Decoder(list[msgspec.Raw])
_FIELD_BYTES = 4  # the shortest field and its comma are `"":0,`
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Oversized:
    """A record that was not parsed. message: why it is rejected"""

    message: str


class Elements:
    """The elements of a JSON array, parsed again by each iteration."""

    def __init__(self, data: bytes, raw: list[msgspec.Raw]) -> None:
        self._data, self._raw = data, raw

    def __len__(self) -> int:
        return len(self._raw)

    def text(self, index: int) -> bytes:
        """Return one element as it was sent."""
        return bytes(self._raw[index])

    def __iter__(self) -> Iterator[object]:
        """Raises UnreadableJSON."""
        for raw in self._raw:
            try:
                yield _value(raw)
            except UnreadableJSON:
                # The array was split without a look into its texts. Its error states the place in the whole body.
                _parse_all(self._data)
                raise


def parse(data: bytes) -> object:
    """Return Elements for an array, otherwise the JSON value or Oversized. Raises UnreadableJSON."""
    body = data.removeprefix(_MARK)
    try:
        return Elements(data, _RAW.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):  # no array, or not JSON
        return _oversized(memoryview(body)) or _parse_all(data)


def _value(raw: msgspec.Raw) -> object:
    return _oversized(memoryview(raw)) or strict_json.loads(bytes(raw), skip_mark=False, storable=False)


def _oversized(data: memoryview) -> Oversized | None:
    """Count before parsing, without a copy of the record."""
    if len(data) <= _FIELD_BYTES * MAX_FIELDS_OF_RECORD:
        return None
    if len(data) > MAX_BYTES_OF_RECORD:
        return Oversized(f"is larger than {MAX_BYTES_OF_RECORD} bytes")
    for names, values in strict_json.counts(data):
        if names > MAX_FIELDS_OF_RECORD:
            return Oversized(f"has more than {MAX_FIELDS_OF_RECORD} fields, those of nested objects included")
        if values > MAX_VALUES_OF_RECORD:
            return Oversized(f"has more than {MAX_VALUES_OF_RECORD} values")
    return None


def _parse_all(data: bytes) -> object:
    """Parse a body at once: one record, or one with an error. Raises UnreadableJSON."""
    if strict_json.has_many_values(data, max_values=MAX_VALUES_OF_RECORD):
        raise UnreadableJSON(JsonReason.NOT_JSON)  # to find the place of the error would take too much memory
    return strict_json.loads(data, skip_mark=True, storable=False)
