"""Parse and validate records: functions from JSON values to records, and rejections with their index."""

from datasets.records.parse import Fits, ParsedRecord, check, check_empty_array, check_row, write_field
from datasets.records.single import check_one
from datasets.records.writing import look_at

__all__ = [
    "Fits",
    "ParsedRecord",
    "check",
    "check_empty_array",
    "check_one",
    "check_row",
    "look_at",
    "write_field",
]
