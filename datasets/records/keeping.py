"""Check each record of a body by itself, and keep those that are rejected. Source: docs/reference/data-sets.md §21."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.errors import MAX_REJECTIONS_SHOWN, NoRecords, RecordsRejected, Rejection
from datasets.records import names, writing
from datasets.records.elements import Elements, Oversized
from datasets.records.parse import TIMED, Fits, ParsedRecord, explain, parse_one, shows_plain

MAX_REJECTED = 10_000  # of each data set; also of one body, because more would be deleted at once
MAX_KEPT_BYTES = 256 * 1024  # of one rejected record; of a larger one only the reasons are kept
MAX_KEPT_BYTES_OF_BODY = 16 * 1024**2  # of all rejected records of one body
_MAX_REASONS = 10  # of one record


@dataclass(frozen=True, slots=True)
class RejectedElement:
    """One element of a body that was not stored. text: as it was sent, "" if it is too long"""

    index: int
    reasons: list[tuple[str | None, str]]
    text: str


class RejectedElements:
    """What a body has that cannot be stored.

    kept: the first MAX_REJECTED elements
    shown: the first rejections, for the answer; rejection_count: of all
    refused, count: the number of rejected elements, and of all
    """

    def __init__(self) -> None:
        self.kept: list[RejectedElement] = []
        self.shown: list[Rejection] = []
        self.rejection_count = self.refused = self.count = 0
        self._bytes = 0

    def add(self, index: int, reasons: Sequence[tuple[str | None, str]], text: bytes) -> None:
        self.refused += 1
        self.rejection_count += len(reasons)
        more = MAX_REJECTIONS_SHOWN - len(self.shown)
        self.shown += [Rejection(index, _named(field), message) for field, message in reasons[:more]]
        if len(self.kept) < MAX_REJECTED:
            is_kept = len(text) <= MAX_KEPT_BYTES and self._bytes + len(text) <= MAX_KEPT_BYTES_OF_BODY
            self._bytes += len(text) if is_kept else 0
            sent = text.decode() if is_kept else ""
            first = [(_named(field), message) for field, message in reasons[:_MAX_REASONS]]
            self.kept.append(RejectedElement(index, first, sent))

    def error(self) -> RecordsRejected:
        """Return the error that lists them."""
        return RecordsRejected(
            rejections=self.shown, rejection_count=self.rejection_count, refused=self.refused, count=self.count
        )


def _named(field: str | None) -> str | None:
    return field if field is None else names.shown(field)


def check_each(
    value: object,
    data: bytes,
    rejected: RejectedElements,
    *,
    auto_ids: Sequence[str],
    look: writing.Look,
    fits: Fits | None = None,
) -> Iterator[ParsedRecord]:
    """Yield each valid record, and add the others to `rejected`. Raises NoRecords before the first.

    data: the body that the value comes from
    """
    elements = [value] if isinstance(value, dict | Oversized) else value
    if not isinstance(elements, list | Elements) or not elements:
        raise NoRecords
    rejected.count = len(elements)
    return _each(elements, data, rejected, auto_ids, look, fits)


def _each(
    elements: Sequence[object] | Elements,
    data: bytes,
    rejected: RejectedElements,
    auto_ids: Sequence[str],
    look: writing.Look,
    fits: Fits | None,
) -> Iterator[ParsedRecord]:
    is_plain = shows_plain(look, len(elements))
    known: set[str] = set()
    for index, element in enumerate(elements):
        record = parse_one(element, auto_ids, known, look.write, is_plain) if isinstance(element, dict) else None
        if fits is not None and not index % TIMED:
            fits.check_time()
        if record is not None and (fits is None or fits.accepts(element) or fits(element)):
            yield record
            continue
        text = elements.text(index) if isinstance(elements, Elements) else data
        rejected.add(index, list(explain(element, auto_ids, fits)), text)
