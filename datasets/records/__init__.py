"""Parse and validate records: functions from JSON values to records, and rejections with their index."""

from datasets.records.parse import ParsedRecord, check, check_empty_array, check_one
from datasets.records.writing import look_at

__all__ = ["ParsedRecord", "check", "check_empty_array", "check_one", "look_at"]
