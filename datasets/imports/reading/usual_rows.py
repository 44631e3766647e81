"""Turn the usual rows of a CSV file into lines for the job, column by column.

Each different text of a column is converted and written once. If a column has many, texts that are stored as they
stand are found by one search for the whole block. `RowReader` decides about all other rows, so a row that is not usual
costs time and changes nothing. Most rows are usual: that saves three quarters of the time of a file.
"""

from collections.abc import Callable, Sequence

from datasets import records
from datasets.errors import MAX_BYTES_OF_RECORD
from datasets.imports.reading import shapes
from datasets.imports.reading.cells import Unfit
from datasets.imports.reading.shapes import TextShape
from datasets.imports.reading.sources import GridRow
from datasets.imports.reading.values import ABSENT, LONG_TEXT, ColumnPlan, kept_texts
from datasets.imports.reading.work_files import line
from datasets.records import moments
from datasets.records.names import is_field_name

# Columns of these types store texts of the shape as they stand. Numbers have no quotation marks.
_UNCHANGED = {
    "integer": TextShape.INTEGER,
    "number": TextShape.INTEGER,
    "date": TextShape.DATE,
    "time": TextShape.TIME,
}


class UsualRows:
    """Reads rows whose cells are texts, one for each column.

    plans: how each column is read, or None if it is left out; id_prefix: of the `_id` of a row
    kept: how many texts of a column are remembered; None: the usual number
    """

    def __init__(self, plans: Sequence[ColumnPlan | None], id_prefix: str, *, kept: int | None = None) -> None:
        kept = kept_texts(len(plans)) if kept is None else kept
        self._fields: list[tuple[int, _Column]] = []
        for place, plan in enumerate(plans):
            if plan is not None and plan.to == "_timestamp":
                self._place, self._moments = place, _moment(plan, kept)
            elif plan is not None:
                self._fields.append((place, _field(plan, kept)))
        self._width = len(plans)
        self._id_prefix = id_prefix

    @staticmethod
    def may_read(targets: Sequence[str]) -> bool:
        """Return whether these columns make records with a moment and fields of their own only."""
        own = [target for target in targets if target != "_timestamp"]
        return len(set(own)) == len(own) == len(targets) - 1 and all(map(is_field_name, own))

    def lines(self, rows: Sequence[GridRow]) -> list[str | None]:
        """Return the line of each row, or None if the row is not usual."""
        usual = [row for row in rows if type(row[1]) is list and len(row[1]) == self._width]
        if len(usual) == len(rows):
            return self._lines(rows)
        found = iter(self._lines(usual) if usual else ())
        return [next(found) if type(row[1]) is list and len(row[1]) == self._width else None for row in rows]

    def _lines(self, rows: Sequence[GridRow]) -> list[str | None]:
        numbers, cells = zip(*rows, strict=True)
        columns: list[tuple[str, ...]] = [*zip(*cells, strict=True)]
        moments = self._moments.written(columns[self._place])
        fields = [column.written(columns[place]) for place, column in self._fields]
        odd = {index for one in (moments, *fields) if None in one for index, text in enumerate(one) if text is None}
        if any("" in one for one in fields) or odd:
            bodies = [",".join(filter(None, own)) for own in zip(*fields, strict=True)]
        else:
            bodies = [*map(",".join, zip(*fields, strict=True))] if fields else [""] * len(rows)
        if max(map(len, bodies)) > MAX_BYTES_OF_RECORD - 2:
            odd |= {index for index, body in enumerate(bodies) if len(body) > MAX_BYTES_OF_RECORD - 2}
        prefix = self._id_prefix
        found: list[str | None] = [
            line(number, id_of_row(prefix, number), moment or "", f"{{{body}}}")
            for number, moment, body in zip(numbers, moments, bodies, strict=True)
        ]
        for index in odd:
            found[index] = None
        return found


class _Column:
    """What is written for the cells of a column.

    write: returns what a text becomes, blank if the record has no such field. Raises Unfit, TypeError or ValueError
    kept: the number of texts to remember; unchanged: whether all of some texts become `head`, themselves and `tail`
    """

    def __init__(
        self,
        write: Callable[[str], str],
        kept: int,
        unchanged: Callable[[Sequence[str]], bool] | None,
        head: str = "",
        tail: str = "",
    ) -> None:
        self._known = _Known(write, kept)
        self._kept, self._unchanged, self._head, self._tail = kept, unchanged, head, tail

    def written(self, texts: Sequence[str]) -> list[str | None]:
        """Return what is written for each cell, or None if only `RowReader` can judge it."""
        if self._unchanged is not None and len(self._known) >= self._kept and self._unchanged(texts):
            head, tail = self._head, self._tail
            return [f"{head}{text}{tail}" for text in texts]
        return [*map(self._known.__getitem__, texts)]


class _Known(dict[str, str | None]):
    """What is written for a cell, by its text, or None if it does not fit."""

    def __init__(self, write: Callable[[str], str], kept: int) -> None:
        self._write, self._kept = write, kept

    def __missing__(self, text: str) -> str | None:
        try:
            written = self._write(text)
        except (Unfit, TypeError, ValueError):
            written = None
        if len(self) < self._kept and len(text) < LONG_TEXT:
            self[text] = written
        return written


def _field(plan: ColumnPlan, kept: int) -> _Column:
    """Return the fields of a column, such as `"count":5`."""
    convert = plan.converter()

    def write(text: str) -> str:
        value = convert(text)
        return "" if value is ABSENT else records.write_field(plan.to, value)

    mark = "" if plan.type in {"integer", "number"} else '"'
    head = records.write_field(plan.to, "").removesuffix('""') + mark
    return _Column(write, kept, _unchanged(plan), head, mark)


def _moment(plan: ColumnPlan, kept: int) -> _Column:
    convert = plan.converter()
    unchanged = _unchanged(plan) if plan.type == "time" else None
    return _Column(lambda text: moments.in_utc(convert(text)), kept, unchanged)  # type: ignore[arg-type]  # TypeError


def _unchanged(plan: ColumnPlan) -> Callable[[Sequence[str]], bool] | None:
    """Return a function that returns True if a column certainly stores all of these texts as they stand."""
    if plan.null_words or plan.unit or plan.percent or (plan.type in {"date", "time"} and plan.form != "iso"):
        return None
    if plan.type == "text":
        return _are_plain
    shape = _UNCHANGED.get(plan.type)
    return None if shape is None else lambda texts: "" not in texts and shapes.are_all(texts, shape)


def _are_plain(texts: Sequence[str]) -> bool:
    """Return whether none of the texts is empty, and JSON has them as they stand."""
    joined = "".join(texts)
    return "" not in texts and joined.isprintable() and '"' not in joined and "\\" not in joined


def id_of_row(prefix: str, number: int) -> str:
    """Return the `_id` of a row. Ids of neighbours are neighbours, which an index stores in half the time."""
    return f"{prefix}{number:010}"
