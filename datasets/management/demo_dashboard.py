"""Create the demo dashboard: the four figures of a service, from weekly transactions, steps and ratings, and costs."""

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model

from config import audit
from config.areas import DemoOptions
from config.audit import changes
from datasets.dashboards import publishing, ready_made
from datasets.dashboards.placing import append
from datasets.dashboards.ready_made import Described, Kind
from datasets.models import Dashboard, DataSet, SavedQuery, Tile, Visibility
from datasets.records import moments

SLUG = "demo"
TYPES = ("transactions", "steps", "ratings", "costs")
DATA_SETS = [{"group": "demo", "type": type} for type in TYPES]
_WEEKS = 112  # two years and some weeks: the last 12 months and those before
_MONTHS = 26
_CHANNELS = (("web", 900, 6), ("phone", 420, -2), ("post", 160, -1))  # in the first week, and more in each week
_RATINGS = (("5", 90), ("4", 60), ("3", 22), ("2", 12), ("1", 9))

Values = Iterator[dict[str, object]]
Fill = Callable[[str, Values], None]


def make(now: datetime, options: DemoOptions, fill: Fill) -> None:
    """Create missing records and the dashboard. fill: stores values in a demo data set that is empty"""
    for type, values in (("transactions", _transactions), ("steps", _steps), ("ratings", _ratings), ("costs", _costs)):
        fill(type, values(now, random.Random(options.seed)))  # noqa: S311  demo data
    if not Dashboard.objects.filter(slug=SLUG).exists():
        _make_dashboard()


def wipe() -> None:
    """Delete the dashboard and its saved queries, so that the demo data sets can be deleted."""
    for row in Dashboard.objects.filter(slug=SLUG):
        audit.record(audit.operator(), "deleted", row, before=changes.snapshot(row))
        row.delete()
    SavedQuery.objects.filter(data_set__group__name="demo", data_set__type__name__in=TYPES, tiles=None).delete()


def _make_dashboard() -> None:
    row = Dashboard.objects.create(
        slug=SLUG,
        title="Apply for a mooring: how the service performs",
        title_cy="Gwneud cais am angorfa: sut mae’r gwasanaeth yn perfformio",
        summary="The four figures that each public service publishes. This is made-up data.",
        summary_cy="Y pedwar ffigur y mae pob gwasanaeth cyhoeddus yn eu cyhoeddi. Data ffug yw hwn.",
    )
    row.owners.set(get_user_model().objects.filter(username="admin"))
    audit.record(audit.operator(), "created", row, after=changes.snapshot(row))
    for described in _described():
        ready_made.add(described, row, by=None)
    append(
        Tile(
            dashboard=row,
            is_wide=True,
            title="How we count",
            title_cy="Sut rydym yn cyfrif",
            text="A transaction is one application. We count it **in the week in which it was completed**.",
            text_cy="Un cais yw trafodyn. Rydym yn ei gyfrif **yn yr wythnos y’i cwblhawyd**.",
        )
    )
    publishing.publish(row, Visibility.PUBLIC, by=None, actor=audit.operator(), may_publish=lambda query, one: True)


def _described() -> Iterator[Described]:
    transactions, steps, ratings, costs = (DataSet.objects.at("demo", type).get() for type in TYPES)
    count = "count"
    yield Described(
        kind=Kind.TAKE_UP, data_set=transactions, field="channel", values=["web"], count_field=count, target=0.7
    )
    yield Described(
        kind=Kind.COMPLETION,
        data_set=steps,
        field="step",
        values=["completed"],
        all_values=["started"],
        count_field=count,
        target=0.85,
    )
    yield Described(kind=Kind.SATISFACTION, data_set=ratings, field="rating", count_field=count, target=0.8)
    yield Described(
        kind=Kind.COST, data_set=transactions, count_field=count, cost_set=costs, cost_field="pounds", target=4.5
    )


def _weeks(now: datetime) -> Iterator[tuple[int, datetime]]:
    monday = (now - timedelta(days=now.weekday())).replace(hour=9)
    for number in range(_WEEKS):
        yield number, monday - timedelta(weeks=_WEEKS - number)


def _transactions(now: datetime, chance: random.Random) -> Values:
    for number, week in _weeks(now):
        for channel, first, growth in _CHANNELS:
            count = round((first + growth * number) * chance.uniform(0.92, 1.08))
            yield _row(week, channel, {"channel": channel, "count": max(count, 20)})


def _steps(now: datetime, chance: random.Random) -> Values:
    for number, week in _weeks(now):
        started = round((1_000 + 5 * number) * chance.uniform(0.92, 1.08))
        completed = round(started * (0.74 + 0.0012 * number) * chance.uniform(0.97, 1.03))
        for step, count in (("started", started), ("completed", completed)):
            yield _row(week, step, {"step": step, "count": count})


def _ratings(now: datetime, chance: random.Random) -> Values:
    for number, week in _weeks(now):
        for rating, usual in _RATINGS:
            growth = 1 + 0.003 * number if int(rating) > 3 else 1
            yield _row(
                week, rating, {"rating": int(rating), "count": round(usual * growth * chance.uniform(0.85, 1.15))}
            )


def _costs(now: datetime, chance: random.Random) -> Values:
    month = now.replace(day=1, hour=9)
    for _ in range(_MONTHS):
        month = (month - timedelta(days=1)).replace(day=1)
        yield _row(month, "all", {"pounds": round(27_500 * chance.uniform(0.94, 1.06), 2)})


def _row(at: datetime, name: str, values: dict[str, object]) -> dict[str, object]:
    return {"_id": f"{at:%Y%m%d}-{name}", "_timestamp": moments.write(at), **values}
