"""The records of one POST. The store can write the first ones while the others are still validated."""

from collections.abc import Iterable, Iterator
from itertools import islice

from datasets.records import ParsedRecord

PART = 1_000  # records


class RecordBatch:
    """Records that are validated on demand and then kept, because a transaction may run a second time."""

    def __init__(self, records: Iterable[ParsedRecord]) -> None:
        self._checked: list[ParsedRecord] = []
        self._unchecked = iter(records)
        self.is_whole = False

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
        self._checked += islice(self._unchecked, PART)
        self.is_whole = len(self._checked) - before < PART
        return len(self._checked) > before
