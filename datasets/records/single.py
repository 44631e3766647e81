"""Check one whole record that replaces a stored one. Source: docs/reference/data-sets.md §20."""

from collections.abc import Sequence

from datasets.errors import IdDiffers, NotARecord
from datasets.records import writing
from datasets.records.elements import Oversized
from datasets.records.parse import Fits, ParsedRecord, check


def check_one(
    value: object,
    *,
    record_id: str,
    auto_ids: Sequence[str],
    look: writing.Look = writing.UNSEEN,
    fits: Fits | None = None,
) -> ParsedRecord:
    """Return the record. With `auto_ids` its id may differ from `record_id`: it is the one that its values make.

    Raises NotARecord, IdDiffers, RecordsRejected.
    """
    if not isinstance(value, dict | Oversized):
        raise NotARecord
    if isinstance(value, dict):
        if value.get("_id", record_id) != record_id:
            raise IdDiffers
        value = value | {"_id": record_id}
    [record] = check(value, auto_ids=auto_ids, look=look, fits=fits)
    return record
