"""Turn the usual rows of a CSV file into records. Each different text of a column is converted and written once.

`RowReader` decides about all other rows, so a row that is not usual costs time and changes nothing. Most rows are
usual: that saves two thirds of the time of a file.
"""

from collections.abc import Callable, Sequence
from operator import getitem

from datasets import records
from datasets.errors import MAX_BYTES_OF_RECORD
from datasets.imports.reading.cells import Unfit
from datasets.imports.reading.values import ABSENT, Convert
from datasets.records import ParsedRecord, moments
from datasets.records.names import is_field_name

_KEPT_TEXTS, _LONG = 20_000, 200  # texts of a column, and characters


class _Nothing(dict[str, str]):
    """The cells of a column that makes no field."""

    def __missing__(self, text: str) -> str:
        return ""


class _Written(dict[str, str]):
    """What is written for a cell, by its text. `write` raises Unfit, TypeError or ValueError."""

    def __init__(self, write: Callable[[str], str]) -> None:
        self._write = write

    def __missing__(self, text: str) -> str:
        written = self._write(text)
        if len(self) < _KEPT_TEXTS and len(text) < _LONG:
            self[text] = written
        return written


def _field(name: str, convert: Convert) -> _Written:
    """Return the fields of a column, such as `"count":5`. A field is blank if the record does not have it."""

    def write(text: str) -> str:
        value = convert(text)
        return "" if value is ABSENT else records.write_field(name, value)

    return _Written(write)


def _moment(convert: Convert) -> _Written:
    return _Written(lambda text: moments.in_utc(convert(text)))  # type: ignore[arg-type]  # TypeError if it is no text


class UsualRows:
    """Reads rows whose cells are texts, one for each column.

    columns: the target and the converter of each column, or None if it is left out; id_prefix: of the `_id` of a row
    """

    def __init__(self, columns: Sequence[tuple[str, Convert] | None], id_prefix: str) -> None:
        self._fields: list[dict[str, str]] = []
        self._id_prefix = id_prefix
        for column in columns:
            is_moment = column is not None and column[0] == "_timestamp"
            self._fields.append(_Nothing() if column is None or is_moment else _field(*column))
            if column is not None and is_moment:
                self._place, self._moment = len(self._fields) - 1, _moment(column[1])

    @staticmethod
    def may_read(targets: Sequence[str]) -> bool:
        """Return whether these columns make records with a moment and fields of their own only."""
        own = [target for target in targets if target != "_timestamp"]
        return len(set(own)) == len(own) == len(targets) - 1 and all(map(is_field_name, own))

    def read(self, number: int, cells: Sequence[str]) -> ParsedRecord | None:
        """Return the record of a row, or None if the row is not usual."""
        if len(cells) != len(self._fields):
            return None
        try:
            timestamp = self._moment[cells[self._place]]
            body = ",".join(filter(None, map(getitem, self._fields, cells)))
        except (Unfit, TypeError, ValueError):
            return None
        if len(body) > MAX_BYTES_OF_RECORD - 2:
            return None
        return ParsedRecord(id_of_row(self._id_prefix, number), timestamp, None, None, f"{{{body}}}")


def id_of_row(prefix: str, number: int) -> str:
    """Return the `_id` of a row. Ids of neighbours are neighbours, which an index stores in half the time."""
    return f"{prefix}{number:010}"
