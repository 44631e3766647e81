"""The records of one POST on their way into the store, which may begin with some while others are being checked."""

from collections.abc import Iterable, Iterator
from itertools import islice

from datasets.records import ParsedRecord

PART = 1_000  # records


class Batch:
    """Records that are checked as they are asked for, and kept: a transaction may be begun a second time."""

    def __init__(self, records: Iterable[ParsedRecord]) -> None:
        self._checked: list[ParsedRecord] = []
        self._unchecked = iter(records)
        self.is_whole = False

    def begin(self) -> list[ParsedRecord]:
        """Return the first part; a smaller batch is whole by then. Raises RecordsRefused."""
        if not self._checked:
            self._go_on()
        return self._checked[:PART]

    def parts(self) -> Iterator[list[ParsedRecord]]:
        """Yield all there are in their order, from the first on each time. Raises RecordsRefused."""
        given = 0
        while given < len(self._checked) or self._go_on():
            part = self._checked[given : given + PART]
            given += len(part)
            yield part

    def finish(self) -> list[ParsedRecord]:
        """Return those that stand: of those with one `_id` the last. Raises RecordsRefused."""
        while self._go_on():
            pass
        return list({record.id: record for record in self._checked}.values())

    def _go_on(self) -> bool:
        """Check a part more; False where there is none."""
        if self.is_whole:
            return False
        before = len(self._checked)
        self._checked += islice(self._unchecked, PART)
        self.is_whole = len(self._checked) - before < PART
        return len(self._checked) > before
