"""Hide small numbers of people in published answers, and the values from which they could be computed.

Source: docs/reference/saved-queries.md §5.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from datasets.models import DataSet
from datasets.queries import values
from datasets.saved_queries.answer import AnswerRow, Number, QueryAnswer
from datasets.saved_queries.question import Question

HIDE_BELOW = 5  # of data sets that are marked as personal
_COUNTS = frozenset({"sum", "count", "distinct"})
_YEAR = timedelta(days=365)
_REST = object()  # the choice of a reader that nobody can choose: the records that no choice selects
_LEFT_OUT = (10, None)  # the group of all groups that the limit of the query leaves out, after those of all values

_Place = tuple[str, values.Order]  # the start of the period, and the group
_Cell = tuple[object, *_Place]  # the choice of the reader, and the place


def usual_limit(question: Question, data_sets: Iterable[DataSet]) -> int | None:
    """Return the number below which values are hidden if nobody chose one, or None to show all."""
    return HIDE_BELOW if _adds_up(question) and any(one.personal for one in data_sets) else None


def hide(answer: QueryAnswer, question: Question, below: int | None) -> QueryAnswer:
    """Return the answer without its small values and those that reveal them. below: None to show all"""
    return hide_in_choices({"": answer}, question, below)[""]


def hide_in_choices(
    answers: Mapping[str, QueryAnswer], question: Question, below: int | None
) -> dict[str, QueryAnswer]:
    """Return the answers for each choice of a reader without small values and those that reveal them.

    answers: by the value of the filter; the one of "" is that of all records, from which the others could be subtracted

    Means over several periods are left out: they would reveal what they are made of.
    """
    if below is None:
        return dict(answers)
    hidden = {name: _hidden(answers, name, question, below) for name in ("value", "previous")}
    if question.compare == "previous_year" and _is_longer_than_a_year(answers.values()) and any(hidden.values()):
        hidden["previous"] = set(_cells(answers, "previous"))  # the range contains the same periods as values
    return {
        choice: replace(
            answer,
            rows=_without_order([_shown(choice, row, hidden) for row in answer.rows], question),
            hide_below=below,
        )
        for choice, answer in answers.items()
    }


def _without_order(rows: list[AnswerRow], question: Question) -> list[AnswerRow]:
    """Return the rows with hidden values last and by group, if rows are by value: their order would compare them."""
    if question.limit is None:
        return rows
    shown, hidden = ([row for row in rows if ("value" in row.hidden) is one] for one in (False, True))
    return shown + sorted(hidden, key=_place)


def _shown(choice: str, row: AnswerRow, hidden: Mapping[str, set[_Cell]]) -> AnswerRow:
    names = tuple(name for name, cells in hidden.items() if (choice, *_place(row)) in cells)
    return replace(
        row,
        value=None if "value" in names else row.value,
        previous=None if "previous" in names else row.previous,
        moving=None,
        hidden=names,
    )


def _hidden(answers: Mapping[str, QueryAnswer], name: str, question: Question, below: int) -> set[_Cell]:
    """Return the cells that are hidden: small ones, and for sums others, so that no total reveals one."""
    cells = _cells(answers, name)
    rest = _rest(cells, answers) | _left_out(answers, name) if _adds_up(question) else {}
    small = {cell for cell, value in (cells | rest).items() if value < below}
    if not small or not _adds_up(question):
        return small
    lines: defaultdict[Hashable, list[_Cell]] = defaultdict(list)
    for cell in (*cells, *rest):
        choice, start, group = cell
        if choice is not _REST:
            lines["groups", choice, start].append(cell)
            lines["periods", choice, group].append(cell)
        lines["choices", start, group].append(cell)  # with the total, which must not be hidden alone either
    return _with_others(cells | rest, small, rest.keys() - small, list(lines.values()), below)


def _rest(cells: Mapping[_Cell, Number], answers: Mapping[str, QueryAnswer]) -> dict[_Cell, Number]:
    """Return what the total of each place has besides the choices. Nobody sees it, but a reader may subtract."""
    choices = [choice for choice in answers if choice]
    if not choices:
        return {}
    found = {
        (_REST, start, group): total - sum(cells.get((one, start, group), 0) for one in choices)
        for (choice, start, group), total in cells.items()
        if not choice
    }
    return {cell: value for cell, value in found.items() if value > 0}


def _left_out(answers: Mapping[str, QueryAnswer], name: str) -> dict[_Cell, Number]:
    """Return what the limit of the query leaves out. Nobody sees it, but a reader may subtract it from a total."""
    return {(choice, "", _LEFT_OUT): answer.rest[name] for choice, answer in answers.items() if name in answer.rest}


def _with_others(
    cells: Mapping[_Cell, Number],
    small: Iterable[_Cell],
    unknown: Iterable[_Cell],
    lines: Sequence[Sequence[_Cell]],
    below: int,
) -> set[_Cell]:
    """Return the small cells and others that make each line safe. unknown: large ones that nobody sees anyway

    A line with hidden cells is safe if they are two or more and their sum, which a total reveals, is not small itself.
    Of the others, those are hidden first that make several lines safe, then the smallest ones.
    """
    hidden = set(unknown)
    numbers, sums, has_secrets = [0] * len(lines), [0.0] * len(lines), [False] * len(lines)
    lines_of: defaultdict[_Cell, list[int]] = defaultdict(list)
    for line, inside in enumerate(lines):
        for cell in inside:
            lines_of[cell].append(line)
            if cell in hidden:
                numbers[line], sums[line] = 1, cells[cell]

    def hide_one(cell: _Cell) -> None:
        hidden.add(cell)
        for line in lines_of[cell]:
            numbers[line] += 1
            sums[line] += cells[cell]
            has_secrets[line] = True

    def is_unsafe(line: int) -> bool:
        return has_secrets[line] and (numbers[line] < 2 or sums[line] < below)

    for cell in small:
        hide_one(cell)
    known = -1
    while known < len(hidden):
        known = len(hidden)
        for line, inside in enumerate(lines):
            while is_unsafe(line) and (others := [cell for cell in inside if cell not in hidden]):
                hide_one(min(others, key=lambda cell: (-sum(map(is_unsafe, lines_of[cell])), cells[cell])))
    return hidden


def _cells(answers: Mapping[str, QueryAnswer], name: str) -> dict[_Cell, Number]:
    return {
        (choice, *_place(row)): value
        for choice, answer in answers.items()
        for row in answer.rows
        if (value := getattr(row, name)) is not None
    }


def _place(row: AnswerRow) -> _Place:
    return row.start_at, values.order(row.split)


def _is_longer_than_a_year(answers: Iterable[QueryAnswer]) -> bool:
    starts = [datetime.fromisoformat(row.start_at) for one in answers for row in one.rows if row.start_at]
    return bool(starts) and max(starts) - min(starts) >= _YEAR


def _adds_up(question: Question) -> bool:
    """Return whether the answer has numbers of people that can be added, and not a ratio or a mean."""
    return question.divided_by is None and (not question.measure.field or question.measure.method in _COUNTS)
