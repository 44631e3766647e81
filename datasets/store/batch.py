"""The records of one POST. The store can write the first ones while the others are still validated."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from datasets.records import ParsedRecord

PART = 1_000  # records
IN_MEMORY = 1_000_000  # characters of a body; four bodies of 15 MiB took up to 240 MiB


@dataclass(frozen=True, slots=True)
class FiledBody:
    """A long body in a temporary file: `str` reads it. characters: its length, as `len` returns it"""

    file: BinaryIO
    start: int
    size_bytes: int
    characters: int

    def __len__(self) -> int:
        return self.characters

    def __str__(self) -> str:
        self.file.seek(self.start)
        return self.file.read(self.size_bytes).decode()


class RecordBatch:
    """Records that are validated on demand and then kept, because a transaction may run a second time.

    Long bodies are kept in a file.
    """

    def __init__(self, records: Iterable[ParsedRecord]) -> None:
        self._checked: list[ParsedRecord] = []
        self._unchecked = iter(records)
        self.is_whole = False
        self._file: BinaryIO | None = None

    def begin(self) -> list[ParsedRecord]:
        """Return up to PART records, the first ones. Raises RecordsRejected."""
        if not self._checked:
            self._go_on()
        return self._checked[:PART]

    def parts(self) -> Iterator[list[ParsedRecord]]:
        """Yield all records in order, in lists of PART. Each call starts with the first one. Raises RecordsRejected."""
        given = 0
        while given < len(self._checked) or self._go_on():
            part = self._checked[given : given + PART]
            given += len(part)
            yield part

    def finish(self) -> list[ParsedRecord]:
        """Return the records to store: of several with one `_id`, the last. Raises RecordsRejected."""
        while self._go_on():
            pass
        return list({record.id: record for record in self._checked}.values())

    def _go_on(self) -> bool:
        """Validate the next PART records; return False at the end."""
        if self.is_whole:
            return False
        before = len(self._checked)
        self._checked += map(self._kept, islice(self._unchecked, PART))
        self.is_whole = len(self._checked) - before < PART
        return len(self._checked) > before

    def _kept(self, record: ParsedRecord) -> ParsedRecord:
        if len(record.body) <= IN_MEMORY:
            return record
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  it ends with the batch
        start = self._file.seek(0, 2)
        size = self._file.write(str(record.body).encode())
        return record._replace(body=FiledBody(self._file, start, size, len(record.body)))
