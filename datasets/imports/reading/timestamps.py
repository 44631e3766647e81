"""Ask which column has the time of a record. Source: docs/reference/imports.md §4."""

from collections.abc import Iterator, Mapping, Sequence

from datasets.imports.reading import date_forms
from datasets.imports.reading.column_facts import ColumnFacts
from datasets.imports.reading.columns import FileColumn
from datasets.imports.reading.questions import Alternative, Json, of_column, question
from datasets.imports.reading.settings import ImportSettings
from datasets.imports.reading.shapes import TextShape

_MONTHS, _QUARTERS = 12, 4
_MAX_PAIRS = 3
_NO_CHOICE = (
    " None is recognised. Write the times in the file like 2024-01-31, 31.01.2024 or 2024-01-31 09:00, or change a"
    " column: name it _timestamp, and give it the type date or time and its form, such as dd.mm.yy."
)


def ask(columns: Sequence[FileColumn], facts: Mapping[int, ColumnFacts], settings: ImportSettings) -> list[Json]:
    """Return the question, or nothing if the settings or the file answer it."""
    if settings.timestamp is not None:
        return []
    own = next((one for one in columns if one.target == "_timestamp" and not one.is_left_out), None)
    if own is not None and (own.given.type in {"date", "time"} or own.given.form or _of(facts, own).dates):
        return []
    if own is None:
        message = "Every record needs a time. Which column has it?"
        choices = list(_choices(columns, facts))
    else:
        message = f"No value of {own.shown} looks like a date. How is it read?"
        choices = list(_of_periods(own, _of(facts, own)))
    message += "" if choices else _NO_CHOICE
    return [question("timestamp", message, choices, column=own.shown if own else None)]


def _of(facts: Mapping[int, ColumnFacts], column: FileColumn) -> ColumnFacts:
    return facts.get(column.place) or ColumnFacts()


def _choices(columns: Sequence[FileColumn], facts: Mapping[int, ColumnFacts]) -> Iterator[Alternative]:
    usable = [one for one in columns if not one.is_left_out and one.name and _of(facts, one).values]
    for one in usable:
        found = _of(facts, one)
        if 2 * found.dates >= found.values:
            yield Alternative(_label(one, found), of_column(one.key, to="_timestamp"))
    yield from _built(usable, facts)
    for one in usable:
        if not _of(facts, one).dates:
            yield from _of_periods(one, _of(facts, one))


def _of_periods(column: FileColumn, found: ColumnFacts) -> Iterator[Alternative]:
    for form in sorted(found.periods or ()):
        kind = "time" if date_forms.has_time(form) or form.startswith("unix") else "date"
        yield Alternative(
            f"{_label(column, found)}, in the form {form}", of_column(column.key, to="_timestamp", type=kind, form=form)
        )


def _built(usable: Sequence[FileColumn], facts: Mapping[int, ColumnFacts]) -> Iterator[Alternative]:
    """Yield pairs of columns that make a time together: year and month, year and quarter, date and time of day."""
    years = [one for one in usable if "yyyy" in (_of(facts, one).periods or ())]
    for parts, token in ((_MONTHS, "mm"), (_QUARTERS, "q")):
        others = [one for one in usable if one not in years and _are_numbers_to(_of(facts, one), parts)]
        if len(years) == 1:
            yield from (_pair(years[0], other, f"yyyy {token}") for other in others[:_MAX_PAIRS])
    clocks = [one for one in usable if _of(facts, one).clocks == _of(facts, one).values]
    for one in usable:
        forms = _of(facts, one).date_forms()
        if len(clocks) == 1 and _of(facts, one).dates == _of(facts, one).values and len(forms) == 1:
            form = next(iter(forms)).replace("iso", "yyyy-mm-dd")
            seconds = ":ss" if _of(facts, clocks[0]).examples[0].count(":") > 1 else ""
            if not date_forms.has_time(form) and not _of(facts, one).shapes[TextShape.TIME]:
                yield _pair(one, clocks[0], f"{form} hh:mm{seconds}")


def _are_numbers_to(found: ColumnFacts, most: int) -> bool:
    return found.all_are(TextShape.INTEGER) and found.least >= 1 and found.most <= most


def _pair(first: FileColumn, second: FileColumn, form: str) -> Alternative:
    label = f"{first.shown} and {second.shown} together, in the form {form}"
    return Alternative(label, {"timestamp": {"from": [first.key, second.key], "form": form}})


def _label(column: FileColumn, found: ColumnFacts) -> str:
    return f"{column.shown}, such as {found.examples[0]}" if found.examples else column.shown
