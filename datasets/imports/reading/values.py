"""Convert the cells of a column to the values that are stored. Source: docs/reference/imports.md §3."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from config.rest import strict_json
from datasets.imports.reading import forms, numbers, zones
from datasets.imports.reading.cells import Bad, Cell, CellMoment, Unfit, text_of

Convert = Callable[[Cell], object]  # raises Unfit

TRUE = ("true", "yes", "y", "t", "on", "1")
FALSE = ("false", "no", "n", "f", "off", "0")
_KEPT_TEXTS, LONG_TEXT = 20_000, 200  # texts of a column, and characters
_KEPT_OF_ALL_COLUMNS = 300_000  # about 40 MiB
_UNKNOWN = object()
ABSENT = object()  # the value of a cell that makes no field


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """How one column is read, with every setting decided. type: "" keeps the value as the file has it"""

    to: str
    type: str = ""
    form: str = "iso"
    zone: str = "UTC"
    decimal: str = "."
    thousands: str = ""
    empty: str = "absent"
    null_words: frozenset[str] = frozenset()
    unit: str | None = None
    percent: str | None = None
    true: tuple[str, ...] = TRUE
    false: tuple[str, ...] = FALSE
    is_instant: bool = False  # `_timestamp`, `_start_at` and `_end_at` are stored as instants

    def converter(self) -> Convert:
        """Return the function that converts a cell of this column. ABSENT: the record has no such field"""
        convert = _KINDS[self.type](self)
        if not self.type:  # the value stays as the file has it, blank texts included
            return lambda cell: ABSENT if cell is None else convert(cell)
        blank = {"absent": ABSENT, "null": None, "text": ""}[self.empty]
        nulls, keeps_blanks = self.null_words, self.type == "text"

        def read(cell: Cell) -> object:
            if isinstance(cell, str):
                own = cell.strip()
                if not own and not (keeps_blanks and cell):
                    return blank
                if own in nulls:
                    return None
                return convert(cell if keeps_blanks else own)
            if cell is None:
                return blank
            if isinstance(cell, Bad):
                raise Unfit(cell.reason)
            return convert(cell)

        return read


def kept_texts(columns: int, most: int = _KEPT_TEXTS) -> int:
    """Return how many texts of each column may be remembered: fewer if there are many columns.

    >>> kept_texts(5), kept_texts(2_000)
    (20000, 150)
    """
    return min(most, _KEPT_OF_ALL_COLUMNS // max(columns, 1))


def once_for_each_text(read: Convert, kept: int) -> Convert:
    """Return a function that converts each of the first texts once. Other cells may be equal, such as 1 and True.

    kept: how many texts are remembered

    The values must not be changed: later cells get the same ones.
    """
    known: dict[str, object] = {}

    def convert(cell: Cell) -> object:
        if type(cell) is not str:
            return read(cell)
        value = known.get(cell, _UNKNOWN)
        if value is _UNKNOWN:
            value = read(cell)
            if len(known) < kept and len(cell) < LONG_TEXT:
                known[cell] = value
        return value

    return convert


def _kept(plan: ColumnPlan) -> Convert:
    def keep(cell: Cell) -> object:
        if isinstance(cell, CellMoment):
            return zones.written(cell, plan.zone) if cell.has_time or plan.is_instant else cell.text
        if isinstance(cell, Bad):
            raise Unfit(cell.reason)
        if isinstance(cell, float) and not math.isfinite(cell):
            raise Unfit("is not a number")
        return cell

    return keep


def _text(plan: ColumnPlan) -> Convert:
    return text_of


def _number(plan: ColumnPlan) -> Convert:
    whole = plan.type == "integer"
    read = numbers.reader(
        decimal=plan.decimal, thousands=plan.thousands, whole=whole, unit=plan.unit, percent=plan.percent
    )

    def convert(cell: Cell) -> object:
        if isinstance(cell, str):
            return read(cell)
        if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
            raise Unfit("is not a whole number" if whole else "is not a number")
        if isinstance(cell, float) and not math.isfinite(cell):
            raise Unfit("is not a number")
        if not whole:
            return numbers.as_float(cell) if isinstance(cell, Decimal) else cell
        if cell != int(cell):
            raise Unfit("is not a whole number")
        return int(cell)

    return convert


def _boolean(plan: ColumnPlan) -> Convert:
    words = {**dict.fromkeys(map(str.casefold, plan.true), True), **dict.fromkeys(map(str.casefold, plan.false), False)}

    def convert(cell: Cell) -> object:
        if isinstance(cell, bool):
            return cell
        value = words.get(text_of(cell).strip().casefold())
        if value is None:
            raise Unfit("is not one of the words for yes and no")
        return value

    return convert


def moment_reader(form: str) -> Callable[[Cell], CellMoment]:
    """Return the function that reads a date or time. It raises Unfit."""
    parse = forms.parser(form)
    is_number = form in forms.NAMED and form != "iso"

    def read(cell: Cell) -> CellMoment:
        if isinstance(cell, CellMoment):
            return cell
        if is_number and isinstance(cell, int | float) and not isinstance(cell, bool):
            return forms.from_number(cell, form)
        return parse(text_of(cell).strip())

    return read


def _date(plan: ColumnPlan) -> Convert:
    read = moment_reader(plan.form)

    def convert(cell: Cell) -> object:
        moment = read(cell)
        if plan.is_instant:
            return zones.written(moment, plan.zone)
        if moment.at.time().isoformat() != "00:00:00" or moment.at.tzinfo is not None or moment.fraction.strip("0"):
            raise Unfit("is a time, and not a date alone")
        return CellMoment(moment.at, False).text

    return convert


def _time(plan: ColumnPlan) -> Convert:
    read = moment_reader(plan.form)
    if plan.form != "iso":
        return lambda cell: zones.written(read(cell), plan.zone)

    def convert(cell: Cell) -> object:
        if isinstance(cell, str) and forms.is_in_utc(cell):  # a third of the time for the usual form
            return cell
        return zones.written(read(cell), plan.zone)

    return convert


def _json(plan: ColumnPlan) -> Convert:
    def convert(cell: Cell) -> object:
        if not isinstance(cell, str):
            return text_of(cell) if isinstance(cell, CellMoment) else cell
        try:
            return strict_json.loads(cell.encode(errors="replace"), skip_mark=False, storable=True)
        except strict_json.UnreadableJSON as error:
            raise Unfit("is not JSON") from error

    return convert


_KINDS: dict[str, Callable[[ColumnPlan], Convert]] = {
    "": _kept,
    "text": _text,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "time": _time,
    "json": _json,
}
