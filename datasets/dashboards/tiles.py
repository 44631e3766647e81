"""What the tiles of a dashboard show: texts, figures, charts and tables. Source: docs/reference/dashboards.md §2."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from datasets import errors
from datasets.dashboards import drawings, limits, text
from datasets.dashboards.choices import ReaderChoice
from datasets.dashboards.publishing import MaySee
from datasets.models import ChartKind, Dashboard, SavedQuery, Tile
from datasets.saved_queries import answering, grid, small_numbers, wording
from datasets.saved_queries.answer import QueryAnswer
from datasets.saved_queries.grid import Grid
from datasets.saved_queries.question import Question
from datasets.saved_queries.wording import Unit


class TileKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    CHART = "chart"
    TABLE = "table"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownNumber:
    """A large number. value: blank if there is none; direction: of the change, -1, 0 or 1, or None for no comparison

    change: its size; earlier: what it is compared with; period: what it is the number of; target: as a text, or blank
    """

    value: str
    direction: int | None = None
    change: str = ""
    earlier: str = ""
    period: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTile:
    """A tile. title_language, text_language: of its texts, blank if they are in the language of the page

    about: the text below a figure or chart; cells: the rows of its table
    error: why it has no values; error_language: as for title
    drawing: the SVG of a chart, blank for other tiles
    is_published: whether its reader may see its data sets
    hidden: what stands for values that are not shown, or blank; is_cut: whether the table has only the first rows
    """

    id: int
    kind: TileKind
    title: str
    title_language: str = ""
    is_wide: bool = False
    about: SafeString = field(default_factory=SafeString)
    text_language: str = ""
    error: str = ""
    error_language: str = ""
    number: ShownNumber | None = None
    grid: Grid | None = None
    drawing: SafeString = field(default_factory=SafeString)
    cells: list[tuple[str, list[str]]] = field(default_factory=list)
    hidden: str = ""
    is_cut: bool = False
    updated_at: str = ""
    is_late: bool = False
    is_published: bool = True

    @property
    def has_data(self) -> bool:
        return self.kind in {TileKind.NUMBER, TileKind.CHART, TileKind.TABLE}


def of(tile: Tile, dashboard: Dashboard, choice: ReaderChoice, may_show: MaySee) -> ShownTile:
    """Return a tile for a reader. An error of its query is shown in the tile, and the other tiles stay."""
    shown = _texts(tile)
    if tile.saved_query is None:
        return shown
    try:
        question, sets = answering.question_of(tile.saved_query), answering.data_sets_of(tile.saved_query)
        if not all(may_show(tile.saved_query, one) for one in sets):
            return _unpublished(tile, shown)
        below = limits.smallest_shown(tile, dashboard, question, sets)
        answer = _answer(tile.saved_query, dashboard, question, choice, below)
    except errors.DataSetError as error:
        reason, language = wording.reason(error)
        return replace(shown, kind=TileKind.ERROR, error=reason, error_language=language)
    return _answered(shown, tile, tile.saved_query, question, answer)


def _unpublished(tile: Tile, shown: ShownTile) -> ShownTile:
    """Return the tile without the name of its saved query, which is not published either."""
    title, language = translated(tile.title, tile.title_cy)
    return replace(
        shown,
        kind=TileKind.ERROR,
        title=title,
        title_language=language,
        error=gettext("This part is not published."),
        is_published=False,
    )


def _answer(
    saved_query: SavedQuery, dashboard: Dashboard, question: Question, choice: ReaderChoice, below: int | None
) -> QueryAnswer:
    """Return the answer for the choice of the reader, without small values and those that reveal them.

    Readers could subtract the values of one choice from those of another, so all choices are hidden together.
    """
    field = dashboard.filter_field
    if below is None:
        return answering.answer(saved_query, choice.view(question, field))
    choices = ["", *dashboard.filter_values] if field else [""]
    answers = {one: answering.answer(saved_query, replace(choice, filter=one).view(question, field)) for one in choices}
    return small_numbers.hide_in_choices(answers, question, below)[choice.filter]


def _texts(tile: Tile) -> ShownTile:
    title, title_language = translated(tile.title, tile.title_cy)
    about, text_language = translated(tile.text, tile.text_cy)
    if not title and tile.saved_query is not None:
        title, title_language = translated(tile.saved_query.name, "")
    return ShownTile(
        id=tile.pk,
        kind=TileKind.TEXT,
        title=title,
        title_language=title_language,
        is_wide=tile.is_wide,
        about=text.html(about),
        text_language=text_language,
    )


def translated(english: str, welsh: str) -> tuple[str, str]:
    """Return the text in the active language, and `en` if a Welsh page has only an English one."""
    if get_language() != "cy":
        return english, ""
    return (welsh, "") if welsh else (english, "en" if english else "")


def _answered(
    shown: ShownTile, tile: Tile, saved_query: SavedQuery, question: Question, answer: QueryAnswer
) -> ShownTile:
    unit = Unit.of(saved_query, question)
    found = grid.of(answer, question, shown.title)
    chart = saved_query.chart
    number = _number_of(answer, question, unit, tile) if chart == ChartKind.NUMBER else None
    is_chart = chart not in {ChartKind.NUMBER, ChartKind.TABLE} and bool(question.period or question.split)
    hidden = wording.hidden(answer) if answer.has_hidden else ""
    return replace(
        shown,
        kind=TileKind.NUMBER if number else TileKind.CHART if is_chart else TileKind.TABLE,
        number=number,
        grid=found,
        drawing=drawings.draw(tile, saved_query, found, title=shown.title) if is_chart else shown.drawing,
        cells=found.cells(unit, hidden),
        hidden=hidden,
        is_cut=found.is_cut,
        updated_at=answer.updated_at,
        is_late=answer.is_late,
    )


def _number_of(answer: QueryAnswer, question: Question, unit: Unit, tile: Tile) -> ShownNumber | None:
    """Return the number of a tile: the only value, or that of the last period that has one. None: it has groups"""
    if question.split:
        return None
    row = next((row for row in reversed(answer.rows) if row.value is not None or "value" in row.hidden), None)
    target = unit.written(tile.target) if tile.target is not None else ""
    if row is None:
        return ShownNumber(value="", target=target)
    period = wording.period(row.start_at, question) if row.start_at else ""
    if row.value is None:
        return ShownNumber(value=wording.hidden(answer), period=period)
    value = unit.written(row.value)
    if row.previous is None:
        return ShownNumber(value=value, period=period, target=target)
    direction, size = wording.change(row.value, row.previous, unit)
    earlier = grid.compared(question)
    return ShownNumber(value=value, direction=direction, change=size, earlier=earlier, period=period, target=target)
