"""Turn the rows of a file into records: the one way from cells to what is stored."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from datasets import records
from datasets.errors import MAX_BYTES_OF_RECORD
from datasets.imports.reading import values
from datasets.imports.reading.cells import Cell, CellMoment, Unfit, is_blank, shown, text_of
from datasets.imports.reading.columns import FileColumn, place_of
from datasets.imports.reading.csv_rows import BrokenRow
from datasets.imports.reading.settings import ColumnSettings, ImportSettings
from datasets.imports.reading.sources import GridRow
from datasets.imports.reading.usual_rows import UsualRows, id_of_row
from datasets.imports.reading.values import ABSENT, ColumnPlan, Convert, once_for_each_text
from datasets.imports.reading.zones import written
from datasets.records import ParsedRecord, auto_ids
from datasets.records.names import MOMENTS
from datasets.records.schemas.fitting import SchemaFit

_ID_CHARACTERS = 24  # of the hash of the file
_MOST_SHOWN = 10  # shown of a row


class RowRejection(NamedTuple):
    """Why a row is not stored. column: blank if the reason is of the whole row"""

    column: str
    reason: str


class RejectedRow(NamedTuple):
    """A row that is not stored, with the reasons. values: by the name of the column"""

    row: int
    rejections: list[RowRejection]
    values: dict[str, Cell]

    @property
    def column(self) -> str:
        """Return the column of the first rejection."""
        return self.rejections[0].column

    @property
    def reason(self) -> str:
        """Return the reason of the first rejection, and the columns and reasons of the others."""
        shown = [self.rejections[0].reason]
        shown += (f"{column}: {reason}" if column else reason for column, reason in self.rejections[1:_MOST_SHOWN])
        more = len(self.rejections) - _MOST_SHOWN
        return "; ".join([*shown, f"and {more} more"] if more > 0 else shown)


@dataclass(frozen=True, slots=True)
class _ReadColumn:
    column: FileColumn
    target: str
    convert: Convert


@dataclass(slots=True)
class RowReader:
    """Converts rows.

    content: the hash of the file; set_ids: the `auto_ids` of the data set
    are_texts: all cells are texts, as in CSV; keeps_nulls: a null is a value of its own, as in JSON
    schema: the JSON Schema that each record must fit, or a blank text
    """

    columns: Sequence[FileColumn]
    settings: ImportSettings
    content: str
    set_ids: Sequence[str] = ()
    are_texts: bool = False
    keeps_nulls: bool = False
    schema: str = ""
    _usual: UsualRows | None = None
    _fit: SchemaFit | None = None
    _known: set[str] = field(default_factory=set)
    _stored: list[_ReadColumn] = field(default_factory=list)
    _plans: list[tuple[int, str, Convert, FileColumn]] = field(default_factory=list)
    _by_name: dict[str, _ReadColumn] = field(default_factory=dict)
    _names: frozenset[str] = frozenset()
    _id_columns: list[_ReadColumn] = field(default_factory=list)
    _time: Callable[[Cell], CellMoment] | None = None
    _built: list[FileColumn | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.schema:
            self._fit = SchemaFit(self.schema, enforces=True, max_seconds=math.inf)  # the child has its own limit
        for column in self.columns:
            if not column.is_left_out and column.target:
                self._stored.append(_ReadColumn(column, column.target, plan_of(column, self.settings).converter()))
        self._by_name = {one.column.name: one for one in self._stored}
        self._names = frozenset(one.name for one in self.columns)
        for name in self.settings.id or ():
            own = place_of(name, self.columns)
            if own is not None:
                self._id_columns.append(_ReadColumn(own, own.target, plan_of(own, self.settings).converter()))
        if self.settings.timestamp is not None:
            self._time = values.moment_reader(self.settings.timestamp.form)
            self._built = [place_of(name, self.columns) for name in self.settings.timestamp.from_]
        makes_ids = self.set_ids or self._id_columns or self.settings.timestamp is not None or self._fit is not None
        if self.are_texts and not makes_ids and UsualRows.may_read([one.target for one in self._stored]):
            stored = {one.column.place for one in self._stored}
            plans = [plan_of(one, self.settings) if one.place in stored else None for one in self.columns]
            self._usual = UsualRows(plans, self._id_prefix)
        kept = values.kept_texts(len(self.columns)) if self._usual is None else 0
        self._plans = [
            (one.column.place, one.target, once_for_each_text(one.convert, kept) if kept else one.convert, one.column)
            for one in self._stored
        ]

    @property
    def _id_prefix(self) -> str:
        return f"{self.content[:_ID_CHARACTERS]}-"

    def usual_lines(self, rows: Sequence[GridRow]) -> Sequence[str | None]:
        """Return the line of each row, or None for a row that `read` must decide about."""
        return [None] * len(rows) if self._usual is None else self._usual.lines(rows)

    def read(self, number: int, cells: list[Cell] | BrokenRow) -> ParsedRecord | RejectedRow:
        """Return the record of a row, or why it is rejected."""
        if isinstance(cells, BrokenRow):
            return RejectedRow(number, [RowRejection("", cells.reason)], {})
        width = len(self.columns)
        if len(cells) > width and any(not is_blank(cell) for cell in cells[width:]):
            rejection = RowRejection(
                "",
                "has more values than the table has columns: put a value with the separator in it in quotation marks",
            )
            return RejectedRow(number, [rejection], self._named(cells))
        record: dict[str, object] = {}
        rejections: dict[str, RowRejection] = {}
        given = len(cells)
        for place, target, convert, column in self._plans:
            if place >= given:
                continue
            try:
                value = convert(cells[place])
            except Unfit as error:
                rejections[target] = RowRejection(column.shown, str(error))
                continue
            if value is not ABSENT:
                record[target] = value
        found = self._finish(number, record, cells, rejections)
        return found if isinstance(found, ParsedRecord) else RejectedRow(number, found, self._named(cells))

    def read_fields(self, number: int, fields: dict[str, Cell] | BrokenRow) -> ParsedRecord | RejectedRow:
        """Return the record of a row whose values have names, or why it is rejected."""
        if isinstance(fields, BrokenRow):
            return RejectedRow(number, [RowRejection("", fields.reason)], {})
        keeps_others = self.settings.other_columns != "leave_out"
        record: dict[str, object] = {}
        rejections: dict[str, RowRejection] = {}
        for name, value in fields.items():
            one = self._by_name.get(name)
            if one is None:
                if keeps_others and name not in self._names:
                    record[name] = value
                continue
            try:
                kept = None if value is None and self.keeps_nulls else one.convert(value)
            except Unfit as error:
                rejections[one.target] = RowRejection(one.column.shown, str(error))
                continue
            if kept is not ABSENT:
                record[one.target] = kept
        found = self._finish(number, record, [fields.get(one.name) for one in self.columns], rejections)
        if isinstance(found, ParsedRecord):
            return found
        return RejectedRow(number, found, {key: shown(cell) for key, cell in fields.items()})

    def _finish(
        self, number: int, record: dict[str, object], cells: list[Cell], rejections: dict[str, RowRejection]
    ) -> ParsedRecord | list[RowRejection]:
        """Return the record, or all its rejections. rejections: those of its columns, by target"""
        if self.settings.timestamp is not None:
            try:
                record["_timestamp"] = self._built_time(cells)
            except Unfit as error:
                rejections["_timestamp"] = RowRejection(" ".join(self.settings.timestamp.from_), str(error))
        try:
            record_id = self._id(number, record, cells)
        except Unfit as error:
            if not rejections:  # a rejected column may be one that makes the _id
                rejections["_id"] = RowRejection("_id", str(error))
        else:
            if record_id is not None:
                record["_id"] = record_id
        checked = records.check_row(record, auto_ids=self.set_ids, known=self._known)
        if isinstance(checked, ParsedRecord) and self._fit is not None and not self._fit.accepts(record):
            checked = list(self._fit.reasons(record))
        if isinstance(checked, ParsedRecord):
            if len(checked.body) > MAX_BYTES_OF_RECORD:
                return [RowRejection("", f"is larger than {MAX_BYTES_OF_RECORD} bytes")]
            return [*rejections.values()] if rejections else checked
        known = {one.target: one.column.shown for one in self._stored}
        more = [
            RowRejection(known.get(name or "", name or ""), message)
            for name, message in checked
            if name not in rejections
        ]
        return [*rejections.values(), *more]

    def _built_time(self, cells: list[Cell]) -> str:
        texts = [
            text_of(cells[one.place]).strip() if one is not None and one.place < len(cells) else ""
            for one in self._built
        ]
        if self._time is None or not all(texts):
            raise Unfit("is blank, and makes _timestamp")
        return written(self._time(" ".join(texts)), self.settings.zone or "UTC")

    def _id(self, number: int, record: Mapping[str, object], cells: list[Cell]) -> str | None:
        if self.set_ids:
            return None
        if self._id_columns:
            found: dict[str, object] = {}
            for one in self._id_columns:
                value = record.get(one.target, ABSENT)
                if value is ABSENT and one.column.place < len(cells):
                    value = one.convert(cells[one.column.place])
                if value is ABSENT:
                    raise Unfit(f"{one.column.shown} is blank, and makes the _id")
                found[one.target] = value
            try:
                return auto_ids.make(found, list(found))
            except ValueError as error:
                raise Unfit("cannot be made, because a value is no date") from error
        if "_id" in record:
            return None
        return id_of_row(self._id_prefix, number)

    def _named(self, cells: Sequence[Cell]) -> dict[str, Cell]:
        return {
            one.name or one.key: shown(cells[one.place])
            for one in self.columns
            if one.place < len(cells) and (one.name or not is_blank(cells[one.place]))
        }


def plan_of(column: FileColumn, settings: ImportSettings) -> ColumnPlan:
    """Return how a column is read, from its own settings and those of the whole file."""
    own: ColumnSettings = column.given
    decimal = own.decimal or settings.decimal or "."
    thousands = own.thousands if own.thousands is not None else settings.thousands or ""
    words = own.null_words if own.null_words is not None else settings.null_words or []
    return ColumnPlan(
        to=column.target,
        type=own.type or "",
        form=own.form or "iso",
        zone=own.zone or settings.zone or "UTC",
        decimal=decimal,
        thousands="" if thousands == decimal else thousands,
        empty=own.empty or settings.empty or "absent",
        null_words=frozenset(words),
        unit=own.unit,
        percent=own.percent,
        true=tuple(own.true or values.TRUE),
        false=tuple(own.false or values.FALSE),
        is_instant=column.target in MOMENTS,
    )
