"""Show an answer as the data of a chart, as a table, as JSON and as CSV.

Source: docs/reference/saved-queries.md §3.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from datasets.charts import dates, numbers, words
from datasets.charts.data import ChartData, Language, Series
from datasets.models import ChartKind, SavedQuery
from datasets.queries import export, values
from datasets.saved_queries.answer import AnswerRow, Number, QueryAnswer
from datasets.saved_queries.question import Question

_DRAWN = {ChartKind.LINE: "line", ChartKind.BAR: "bar", ChartKind.STACKED_BAR: "stacked_bar"}
PERCENT = "%"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of numbers of the table. cells: a value for each row"""

    title: str
    cells: list[Number | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTable:
    """The answer as a table. labels: the start of each period, or the name of each group"""

    labels: list[str]
    has_periods: bool
    columns: list[TableColumn]
    period: str = ""
    time_zone: str = "UTC"

    def rows(self, language: Language = "en") -> list[tuple[str, list[Number | None]]]:
        """Return the label of each row in words, and its values."""
        place = ChartData(
            kind="line",
            title="",
            description="",
            labels=self.labels,
            series=[],
            period=self.period or None,
            time_zone=self.time_zone,
        )
        names = [label.full for label in dates.labels(place, words.of(language))]
        return [(name, [column.cells[row] for column in self.columns]) for row, name in enumerate(names)]


def table(saved_query: SavedQuery, answer: QueryAnswer) -> AnswerTable:
    """Return one row for each period, with a column for each group; without periods, one row for each group."""
    question = Question.of(saved_query.question)
    name = saved_query.name
    if not question.period:
        labels = [named(row.split) if question.split else name for row in answer.rows]
        found = _columns(answer.rows, question, name)
        return AnswerTable(labels=labels, has_periods=False, columns=found)
    starts = list(dict.fromkeys(row.start_at for row in answer.rows))
    by_split: dict[values.Order, list[AnswerRow]] = {}
    for row in answer.rows:
        by_split.setdefault(values.order(row.split), []).append(row)
    columns = []
    for rows in by_split.values():
        by_start = {row.start_at: row for row in rows}
        series = [by_start.get(start) or AnswerRow(start_at=start) for start in starts]
        columns += _columns(series, question, named(rows[0].split) if question.split else name)
    zone = question.time_zone or "UTC"
    return AnswerTable(labels=starts, has_periods=True, columns=columns, period=question.period, time_zone=zone)


def _columns(rows: Sequence[AnswerRow], question: Question, title: str) -> list[TableColumn]:
    found = [TableColumn(title=title, cells=[row.value for row in rows])]
    if question.moving:
        mean = f"{title}, mean of {question.moving}"
        found.append(TableColumn(title=mean, cells=[row.moving for row in rows]))
    if question.compare:
        found.append(TableColumn(title=f"{title}, before", cells=[row.previous for row in rows]))
    return found


def chart(
    saved_query: SavedQuery,
    answer: QueryAnswer,
    *,
    title: str = "",
    target: float | None = None,
    language: Language = "en",
) -> ChartData | None:
    """Return the data of the chart, or None for a number or a table, and without rows."""
    kind = _DRAWN.get(ChartKind(saved_query.chart))
    shown = table(saved_query, answer)
    if kind is None or not shown.labels:
        return None
    question = Question.of(saved_query.question)
    is_percent = saved_query.unit == PERCENT
    series = [
        Series(column.title, column.cells, is_comparison=column.title.endswith(", before")) for column in shown.columns
    ]
    return ChartData(
        kind=kind,  # type: ignore[arg-type]  # one of its kinds
        title=title or saved_query.name,
        description=saved_query.description,
        labels=shown.labels,
        series=series,
        unit="" if is_percent else saved_query.unit,
        decimals=saved_query.decimals,
        is_percent=is_percent,
        target=target,
        language=language,
        period=question.period or None,
        time_zone=question.time_zone or "UTC",
        may_add_up=question.divided_by is None and question.measure.method in {"sum", "count"},
    )


def written(saved_query: SavedQuery, value: Number | None, *, language: Language = "en") -> str:
    """Return a value with its unit, as the chart writes it, or a dash for none."""
    is_percent = saved_query.unit == PERCENT
    form = ChartData(
        kind="line",
        title="",
        description="",
        labels=[],
        series=[],
        unit="" if is_percent else saved_query.unit,
        decimals=saved_query.decimals,
        is_percent=is_percent,
        language=language,
    )
    return numbers.value(value, form, missing="–")


def named(value: Any) -> str:
    """Return the name of a group.

    >>> named("web"), named(1), named(None), named(True)
    ('web', '1', 'null', 'true')
    """
    return value if isinstance(value, str) else json.dumps(value)


def document(saved_query: SavedQuery, answer: QueryAnswer) -> dict[str, Any]:
    """Return the answer as a JSON object of the API."""
    question = Question.of(saved_query.question)
    return {
        "id": saved_query.public_id,
        "name": saved_query.name,
        "description": saved_query.description,
        "unit": saved_query.unit,
        "start_at": answer.start_at or None,
        "end_at": answer.end_at or None,
        "updated_at": answer.updated_at or None,
        "is_late": answer.is_late,
        "data": [_row(row, question) for row in answer.rows],
    }


def csv(saved_query: SavedQuery, answer: QueryAnswer) -> Iterator[str]:
    """Yield the lines of the answer as CSV, with a line for each period and group."""
    question = Question.of(saved_query.question)
    header = list(_row(AnswerRow(), question))
    return export.table(header, ([_row(row, question)[name] for name in header] for row in answer.rows))


def _row(row: AnswerRow, question: Question) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if question.period:
        found |= {"_start_at": row.start_at, "_end_at": row.end_at}
    if question.split:
        found[question.split] = row.split
    found["value"] = row.value
    if question.moving:
        found["moving"] = row.moving
    if question.compare:
        found["previous"] = row.previous
    return found
