"""Validate the records of one write against a schema."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from time import thread_time

from datasets.errors import SchemaTakesTooLong
from datasets.records.names import COMPUTED
from datasets.records.schemas.documents import Schema, validator_of, write_schema
from datasets.records.schemas.words import Drift, of_error

MAX_SECONDS = 10  # of processor time of one write; 100,000 records take 2 without a schema
_EXPLAINED = 1_000  # misfits of one write whose fields are counted
_MAX_ERRORS = 50  # of one record
_LONGEST = 128  # characters of a field name in the counts


class SchemaFit:
    """The rule `Fits` of one write.

    enforces: whether records that do not fit are rejected; otherwise they are only counted
    misfits: how many records did not fit; drifts: how often, by field and kind
    """

    def __init__(self, text: str, *, enforces: bool, max_seconds: float | None = None) -> None:
        self._began = thread_time()
        self._max_seconds = MAX_SECONDS if max_seconds is None else max_seconds
        self._validator = validator_of(text)
        self.accepts: Callable[[object], bool] = self._validator.is_valid
        self.enforces = enforces
        self.misfits = 0
        self.drifts: Counter[tuple[str, Drift]] = Counter()

    def __call__(self, record: object, /) -> bool:
        """Return whether a record that the schema does not accept may be stored. Raises SchemaTakesTooLong."""
        sent = _sent(record)
        if sent is not record and self.accepts(sent):
            return True
        self.misfits += 1
        if self.misfits <= _EXPLAINED:
            self.drifts.update({((field or "")[:_LONGEST], drift) for field, _, drift in self._errors(sent)})
        return not self.enforces

    def check_time(self) -> None:
        """Raise SchemaTakesTooLong if the write has used too much processor time."""
        if thread_time() - self._began > self._max_seconds:
            raise SchemaTakesTooLong

    def reasons(self, record: object, /) -> Iterator[tuple[str | None, str]]:
        """Yield the first error of each field."""
        known: set[str | None] = set()
        for field, message, _ in self._errors(_sent(record)):
            if field not in known:
                known.add(field)
                yield field, message

    def _errors(self, record: object) -> Iterator[tuple[str | None, str, Drift]]:
        self.check_time()
        found = list(islice(self._validator.iter_errors(record), _MAX_ERRORS))
        for error in found:
            yield from of_error(error)


def _sent(record: object) -> object:
    """Return the record without computed fields, which a record that was read may have."""
    if isinstance(record, dict) and not COMPUTED.isdisjoint(record):
        return {name: value for name, value in record.items() if name not in COMPUTED}
    return record


class DriftCount:
    """Counts how the records of a sample differ from a schema, fields that it does not name included.

    only_new: count only those fields, because the writes have counted the others
    """

    def __init__(self, schema: Schema, *, only_new: bool) -> None:
        self._fit = SchemaFit(write_schema(schema), enforces=False)
        self._known = set(schema.get("properties", ()))
        self._only_new = only_new
        self._unknown: Counter[tuple[str, Drift]] = Counter()

    def add(self, record: dict[str, object]) -> None:
        self._unknown.update(
            (name[:_LONGEST], Drift.NEW) for name in record if name not in self._known and not name.startswith("_")
        )
        if not self._only_new and not self._fit.accepts(record):
            self._fit(record)

    def counts(self) -> dict[tuple[str, Drift], int]:
        """Return the numbers by field and kind. A field that is new by both rules counts once."""
        return dict(self._fit.drifts | self._unknown)
