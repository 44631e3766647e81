"""What the values of one column have in common. Source: docs/reference/imports.md §4."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from datasets.imports.reading import date_forms, shapes
from datasets.imports.reading.cells import Bad, Cell, CellMoment, text_of
from datasets.imports.reading.shapes import TextShape

MAX_KEPT_TEXTS = 10_000  # of a column, counted and looked at once
_SAMPLE = 1_000  # values that are looked at for forms of periods; a person chooses among them
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?", re.ASCII)
_UNMARKED = re.compile(r"-?(?:0|[1-9].*)", re.ASCII | re.DOTALL)
_DATES = (TextShape.DATE, TextShape.TIME, TextShape.OTHER_DATE)
_EXAMPLES = 3


@dataclass(slots=True)
class ColumnFacts:
    """Counts of the shapes of a column's values.

    is_typed: the cells of a spreadsheet have types, so its texts are no numbers
    given_number: the pattern of numbers if the settings give the marks
    """

    is_typed: bool = False
    given_number: re.Pattern[str] | None = None
    null_words: frozenset[str] = frozenset()
    kept_texts: int = MAX_KEPT_TEXTS
    shapes: Counter[TextShape] = field(default_factory=Counter)
    values: int = 0
    fitting: int = 0
    fitting_marked: int = 0
    clocks: int = 0
    moments: int = 0
    forms: frozenset[str] | None = None
    seen_forms: set[str] = field(default_factory=set)
    periods: frozenset[str] | None = None
    examples: list[str] = field(default_factory=list)
    example_of: dict[TextShape, str] = field(default_factory=dict)
    numbers_sum: float = 0.0
    last_number: float | None = None
    _seen: dict[str, int] = field(default_factory=dict)
    _times: int = 1
    _last: TextShape | None = None  # if it is one of COMPARED_AT_ONCE
    least: float = math.inf
    most: float = -math.inf

    def add(self, cell: Cell) -> None:
        """Count a cell. Blank cells, words for null and errors count for nothing. Call `finish` after the last one."""
        if type(cell) is str:
            if cell in self._seen:
                self._seen[cell] += 1
                return
            if len(self._seen) < self.kept_texts:
                self._seen[cell] = 0  # looked at below, and the others are added by `finish`
        self._add(cell, 1)

    def add_all(self, cells: Sequence[Cell]) -> None:
        """Count many cells, at once if they are alike."""
        if self.is_typed or not self._add_alike(cells):  # type: ignore[arg-type]  # the cells of CSV are texts
            for cell in cells:
                self.add(cell)

    def _add_alike(self, texts: Sequence[str]) -> bool:
        """Count texts of the last shape, if nothing else is to be learned from them. Return False if it may be."""
        if self._last is None or self.given_number is not None or self.null_words:
            return False
        if len(self.examples) < _EXAMPLES or (self.values < _SAMPLE and self.periods):
            return False
        shape = self._last
        if not shapes.are_all(texts, shape):
            return False
        filled = [text for text in texts if text] if "" in texts else texts
        if shape in _DATES and filled:
            self._add_forms(filled[0], shape)
        elif shape is not TextShape.TEXT:
            numbers = [*map(float, filled)]
            self.numbers_sum += math.fsum(numbers)
            self.least, self.most = min([self.least, *numbers]), max([self.most, *numbers])
        self.shapes[shape] += len(filled)
        self.values += len(filled)
        return True

    def finish(self) -> None:
        """Count the repeated texts."""
        seen, self._seen = self._seen, {}
        for text, times in seen.items():
            if times:
                self._add(text, times)

    def _add(self, cell: Cell, times: int) -> None:
        self.last_number, self._times = None, times
        if isinstance(cell, str):
            text = cell.strip()
            if not text or text in self.null_words:
                return
            self._add_text(text)
        elif cell is None or isinstance(cell, Bad):
            return
        else:
            self._add_typed(cell)
        self.values += times

    def _add_text(self, text: str) -> None:
        shape = shapes.of(text)
        if self.is_typed and shape not in _DATES:
            shape = TextShape.TEXT
        if self.given_number is not None and not self.is_typed:
            self._add_given(text)
        if shape in _DATES:
            self._add_forms(text, shape)
        elif shape is TextShape.INTEGER or shape is TextShape.POINT:
            self._add_number(float(text) if len(text) < 300 else 0.0)
        self._note(text, shape)
        self._last = shape if shape in shapes.COMPARED_AT_ONCE else None

    def _add_forms(self, text: str, shape: TextShape) -> None:
        found = date_forms.of(text)
        self.forms = found if self.forms is None else self.forms & found
        self.seen_forms |= found if shape is TextShape.OTHER_DATE else {"iso"}

    def _add_typed(self, cell: Cell) -> None:
        if isinstance(cell, bool):
            self._note("true" if cell else "false", TextShape.BOOLEAN)
        elif isinstance(cell, int | float):
            self._add_number(float(cell) if abs(cell) < 1e300 else 0.0)
            text = text_of(cell)
            self._note(text, TextShape.INTEGER if isinstance(cell, int) else TextShape.POINT)
        elif isinstance(cell, CellMoment):
            self.moments += 1
            self._note(cell.text, TextShape.TIME if cell.has_time else TextShape.DATE)
        else:
            self._note("", TextShape.TEXT)

    def _add_given(self, text: str) -> None:
        found = self.given_number.fullmatch(text) if self.given_number else None
        if found is not None and found[1] != "+" and found[4] is None and _UNMARKED.fullmatch(text):
            is_zero = found[2].startswith("0") and len(found[2]) > 1
            self.fitting += self._times * (not is_zero)
            self.fitting_marked += self._times * (found[3] is not None)

    def _add_number(self, number: float) -> None:
        self.numbers_sum += number * self._times
        self.least, self.most = min(self.least, number), max(self.most, number)
        self.last_number = number

    def _note(self, text: str, shape: TextShape) -> None:
        if shape is TextShape.TEXT and _CLOCK.fullmatch(text):
            self.clocks += self._times
        if self.values < _SAMPLE and self.periods != frozenset():
            found = date_forms.periods_of(text)
            self.periods = found if self.periods is None else self.periods & found
        if shape not in self.example_of:
            self.example_of[shape] = text[:60]
        if len(self.examples) < _EXAMPLES and text not in self.examples:
            self.examples.append(text[:60])
        self.shapes[shape] += self._times

    def all_are(self, *some: TextShape) -> bool:
        return self.values > 0 and sum(self.shapes[one] for one in some) == self.values

    @property
    def dates(self) -> int:
        return sum(self.shapes[one] for one in _DATES)

    def date_forms(self) -> frozenset[str]:
        """Return the forms that fit all dates of the column, whatever the other values are."""
        if not self.shapes[TextShape.OTHER_DATE]:
            return frozenset({"iso"})
        return self.forms or frozenset()
