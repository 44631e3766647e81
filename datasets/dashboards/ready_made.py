"""The four figures that public services publish, as saved queries and tiles.

Source: docs/reference/dashboards.md §8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from config import formats
from config.invalid import InvalidValue
from datasets.dashboards import placing
from datasets.dashboards.conditions import is_one_of
from datasets.errors import DataSetError
from datasets.models import ChartKind, Dashboard, DataSet, SavedQuery, Tile
from datasets.saved_queries import answering, limits, wording
from datasets.saved_queries.question import AskedRange, Measure, Question
from datasets.saved_queries.wording import Unit

MAX_VALUES = 20
_SATISFIED, RATINGS = ("4", "5"), ("1", "2", "3", "4", "5")
_YEAR = AskedRange(kind="last", number=12, unit="month")


class Kind(StrEnum):
    TAKE_UP = "take-up"
    COMPLETION = "completion"
    SATISFACTION = "satisfaction"
    COST = "cost"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTexts:
    """The texts of a key figure. about: what it is; the text of its tile has it, too"""

    title: str
    title_cy: str
    about: str
    about_cy: str


TEXTS = {
    Kind.TAKE_UP: KeyTexts(
        title="Digital take-up",
        title_cy="Defnydd digidol",
        about="The share of transactions that people completed online.",
        about_cy="Y gyfran o drafodion a gwblhawyd gan bobl ar-lein.",
    ),
    Kind.COMPLETION: KeyTexts(
        title="Completion rate",
        title_cy="Cyfradd gwblhau",
        about="The share of transactions that people started and completed.",
        about_cy="Y gyfran o drafodion a ddechreuwyd ac a gwblhawyd gan bobl.",
    ),
    Kind.SATISFACTION: KeyTexts(
        title="User satisfaction",
        title_cy="Boddhad defnyddwyr",
        about="The share of people who rated the service 4 or 5 out of 5.",
        about_cy="Y gyfran o bobl a roddodd 4 neu 5 allan o 5 i’r gwasanaeth.",
    ),
    Kind.COST: KeyTexts(
        title="Cost per transaction",
        title_cy="Cost fesul trafodyn",
        about="The cost of the service, divided by the number of transactions.",
        about_cy="Cost y gwasanaeth, wedi’i rhannu â nifer y trafodion.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What a person said about the records.

    field: of the channel, the state or the rating; values: those that count, such as the digital channels
    all_values: those of all transactions, or none for all records; count_field: blank if a record is one transaction
    cost_set, cost_field: where the costs are; target: as a share of 1, or in pounds
    """

    kind: Kind
    data_set: DataSet
    field: str = ""
    values: Sequence[str] = ()
    all_values: Sequence[str] = ()
    count_field: str = ""
    cost_set: DataSet | None = None
    cost_field: str = ""
    target: float | None = None


def question(described: Described) -> Question:
    """Return the ratio over the last 12 months, compared with the year before. Raises InvalidValue."""
    counted = Measure(field=described.count_field)
    if described.kind == Kind.COST:
        own = described.cost_set is None or described.cost_set == described.data_set
        cost = Measure(field=described.cost_field, data_set="" if own else str(described.cost_set))
        above, below = cost, counted
    elif described.kind == Kind.SATISFACTION:
        above = replace(counted, where=is_one_of(described.field, _SATISFIED))
        below = replace(counted, where=is_one_of(described.field, RATINGS))
    else:
        if not described.values:
            raise InvalidValue("Enter at least one value.")
        above = replace(counted, where=is_one_of(described.field, described.values))
        whole = is_one_of(described.field, described.all_values) if described.all_values else ""
        below = replace(counted, where=whole)
    found = Question(measure=above, divided_by=below, range=_YEAR, compare="previous_year")
    found.check()
    return found


def check_values(data_set: DataSet, field: str, values: Sequence[str], *, all_of_them: bool = True) -> None:
    """Raise InvalidValue if no record has one of the values, or none of them. A large data set is not searched."""
    asked = Question(measure=Measure(where=is_one_of(field, values)), split=field, range=AskedRange(kind="all"))
    try:
        rows = answering.compute(
            SavedQuery(data_set=data_set, services=None, question=asked.document()), now=timezone.now(), sets=[data_set]
        ).rows
    except DataSetError:  # such as one that takes too long
        return
    found = {wording.group(row.split, field) for row in rows}
    missing = [value for value in values if value not in found]
    if missing and (all_of_them or not found):
        names = formats.listed([f"“{value}”" for value in missing], "or")
        raise InvalidValue(
            f"No record of {data_set} has {names} in {field}. Check the spelling, or choose another field."
        )


def now_of(number: SavedQuery) -> str:
    """Return the value of a figure as it is now, or a text that states that it has none."""
    try:
        rows = answering.answer(number).rows
    except DataSetError as error:
        return str(error)
    value = rows[-1].value if rows else None
    unit = Unit.of(number, Question.of(number.question))
    return "It has no value in the last 12 months." if value is None else f"It is {unit.written(value)} now."


def add(described: Described, dashboard: Dashboard, *, by: User | None) -> list[Tile]:
    """Add the figure of the last 12 months, and a chart of its months with the target. Raises InvalidValue."""
    texts, ratio = TEXTS[described.kind], question(described)
    monthly = replace(ratio, period="month", compare="")
    with transaction.atomic():
        limits.check_number_of_queries(described.data_set, wanted=2)
        others = [described.cost_set] if described.cost_set not in (None, described.data_set) else []
        number = _saved(described, ratio, texts.title, ChartKind.NUMBER, by)
        chart = _saved(described, monthly, f"{texts.title} by month", ChartKind.LINE, by)
        for query in (number, chart):
            query.other_sets.set(others)
        tiles = [
            Tile(
                dashboard=dashboard,
                saved_query=number,
                title=texts.title,
                title_cy=texts.title_cy,
                text=f"{texts.about} The last 12 months.",
                text_cy=f"{texts.about_cy} Y 12 mis diwethaf.",
                target=described.target,
            ),
            Tile(
                dashboard=dashboard,
                saved_query=chart,
                title=f"{texts.title} by month",
                title_cy=f"{texts.title_cy} fesul mis",
                target=described.target,
            ),
        ]
        for tile in tiles:
            placing.append(tile)
    return tiles


def _saved(described: Described, asked: Question, name: str, chart: ChartKind, by: User | None) -> SavedQuery:
    is_cost = described.kind == Kind.COST
    return SavedQuery.objects.create(
        data_set=described.data_set,
        services=None,
        name=_free_name(described.data_set, name),
        description=TEXTS[described.kind].about,
        question=asked.document(),
        chart=chart,
        unit="£" if is_cost else "%",
        decimals=2 if is_cost else None,
        created_by=by,
    )


def _free_name(data_set: DataSet, name: str) -> str:
    taken = set(data_set.saved_queries.filter(name__startswith=name).values_list("name", flat=True))
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)
