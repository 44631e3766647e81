"""Decide the type of a column, or ask. Source: docs/reference/imports.md §4."""

from collections.abc import Iterable, Iterator

import msgspec

from datasets.imports.reading import date_forms
from datasets.imports.reading.column_facts import ColumnFacts
from datasets.imports.reading.columns import FileColumn
from datasets.imports.reading.questions import Alternative, Json, of_column, question
from datasets.imports.reading.settings import ColumnSettings, ImportSettings, Type
from datasets.imports.reading.shapes import TextShape
from datasets.records.names import MOMENTS

_POINTS, _COMMAS = (TextShape.POINT, TextShape.POINT_OR_GROUP), (TextShape.COMMA, TextShape.COMMA_OR_GROUP)
_GROUPS = {".": "“.”", "'": "“'”", " ": "a blank", "\u00a0": "a blank", "\u2009": "a blank", "\u202f": "a blank"}
_DATES = (TextShape.DATE, TextShape.TIME, TextShape.OTHER_DATE)


def gives_marks(column: FileColumn, settings: ImportSettings) -> bool:
    """Return whether the settings say how numbers of the column are written."""
    return any(
        mark is not None
        for mark in (column.given.decimal, column.given.thousands, settings.decimal, settings.thousands)
    )


def decide(column: FileColumn, facts: ColumnFacts, settings: ImportSettings) -> tuple[ColumnSettings, list[Json]]:
    """Return the complete settings of a column, and questions about it."""
    given, questions = column.given, list[Json]()
    form, kind = given.form, given.type
    is_moment = column.target in MOMENTS
    if kind is None and form is not None:
        kind = (
            "time"
            if date_forms.has_time(form) or (form not in {"iso"} and form.startswith(("unix", "excel")))
            else "date"
        )
        if form == "iso" and facts.shapes[TextShape.TIME]:
            kind = "time"
    elif kind is None and column.target == "_id":
        kind = "text"
    elif kind is None and is_moment and facts.dates:
        kind, form = _of_dates(column, facts, questions)
    elif kind is None:
        kind, form = _recognised(column, facts, settings, questions)
    elif kind in {"date", "time"} and form is None:
        form = _of_dates(column, facts, questions)[1] if facts.dates else "iso"
    elif kind in {"integer", "number"} and not gives_marks(column, settings):
        questions += _marks(column, facts, kind)
    complete = msgspec.structs.replace(
        given, to=column.target, type=kind, form=form if kind in {"date", "time"} else None
    )
    return complete, questions


def _recognised(
    column: FileColumn, facts: ColumnFacts, settings: ImportSettings, questions: list[Json]
) -> tuple[Type, str | None]:
    if facts.given_number is not None and not facts.is_typed and facts.values and facts.fitting == facts.values:
        return ("number" if facts.fitting_marked else "integer"), None
    if facts.all_are(TextShape.INTEGER):
        return "integer", None
    if facts.all_are(TextShape.BOOLEAN):
        return "boolean", None
    if facts.all_are(*_DATES):
        return _of_dates(column, facts, questions)
    if facts.all_are(TextShape.INTEGER, *_POINTS, *_COMMAS) and (facts.is_typed or not gives_marks(column, settings)):
        asked = [] if facts.is_typed else _marks(column, facts, None)
        questions += asked
        return "number", None
    return "text", None


def _marks(column: FileColumn, facts: ColumnFacts, kind: Type | None) -> list[Json]:
    """Return the question about marks: all could be either, or there is a decimal comma."""
    commas, points = (sum(facts.shapes[one] for one in some) for some in (_COMMAS, _POINTS))
    is_certain = bool(facts.shapes[TextShape.POINT]) and not commas
    if facts.is_typed or is_certain or not (commas or points):
        return []
    mark = "," if commas else "."
    shape = next(one for one in (*_COMMAS, *_POINTS) if facts.shapes[one] and (one in _COMMAS) == bool(commas))
    example = facts.example_of[shape]
    as_number: Type = kind or "number"
    choices = []
    if not (commas and points):
        decimal = of_column(column.key, type=as_number, decimal=mark)
        choices.append(Alternative(f"“{mark}” is the decimal mark of {column.shown}", decimal))
    else:
        choices += [
            Alternative(
                f"“{one}” is the decimal mark of {column.shown}", of_column(column.key, type=as_number, decimal=one)
            )
            for one in ",."
        ]
    if not facts.shapes[TextShape.COMMA] and not facts.shapes[TextShape.POINT]:
        other = "." if mark == "," else ","
        groups = of_column(column.key, type=as_number, decimal=other, thousands=mark)
        choices.append(Alternative(f"“{mark}” separates the thousands of {column.shown}", groups))
    for group, words in _GROUPS.items() if commas else ():
        if group in example:
            groups = of_column(column.key, type=as_number, decimal=",", thousands=" " if group.isspace() else group)
            label = f"In {column.shown}, “,” is the decimal mark and {words} separates thousands"
            choices.append(Alternative(label, groups))
    choices.append(Alternative(f"{column.shown} is text", of_column(column.key, type="text")))
    return [question("numbers", f"How is {example} in {column.shown} read?", choices, column=column.shown)]


def _of_dates(column: FileColumn, facts: ColumnFacts, questions: list[Json]) -> tuple[Type, str | None]:
    """Return the type and form of a column of dates. If several forms fit, or none, ask."""
    forms = facts.date_forms()
    has_time = bool(facts.shapes[TextShape.TIME])
    if len(forms) == 1 and not any(map(date_forms.has_short_year, forms - {"iso"})):
        form = next(iter(forms))
        return ("time" if has_time or date_forms.has_time(form) else "date"), form
    offered = sorted(forms or facts.seen_forms)
    questions.append(_ask_form(column, facts, offered, is_one=bool(forms)))
    form = offered[0]
    return ("time" if has_time or date_forms.has_time(form) else "date"), form


def _ask_form(column: FileColumn, facts: ColumnFacts, offered: Iterable[str], *, is_one: bool) -> Json:
    example = facts.example_of.get(TextShape.OTHER_DATE, "")
    message = f"Which form do the dates in {column.shown} have, such as {example}?"
    if not is_one:
        message = (
            f"The dates in {column.shown} have several forms, such as {', '.join(facts.examples)}. Which is right?"
        )
    choices = [*_forms(column, offered, is_one=is_one)]
    if column.target not in MOMENTS:
        choices.append(Alternative(f"{column.shown} is text", of_column(column.key, type="text")))
    return question("dates", message, choices, column=column.shown)


def _forms(column: FileColumn, offered: Iterable[str], *, is_one: bool) -> Iterator[Alternative]:
    for form in offered:
        kind = "time" if date_forms.has_time(form) else "date"
        label = form if is_one else f"{form}; rows with other forms are rejected"
        if form == "iso":
            label = label.replace("iso", "yyyy-mm-dd, with or without a time", 1)
        yield Alternative(label, of_column(column.key, type=kind, form=form))
