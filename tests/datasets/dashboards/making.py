"""Make dashboards and tiles for tests."""

from config import audit
from datasets.dashboards import publishing
from datasets.models import Dashboard, DataSet, Tile, Visibility
from tests.datasets.saved_queries.making import save

MONTHS = {"kind": "last", "number": 3}
BY_CHANNEL = {"measure": {"field": "count"}, "period": "month", "split": "channel", "range": MONTHS}
BY_MONTH = {"measure": {"field": "count"}, "period": "month", "range": MONTHS}
SHARE = {
    "measure": {"field": "count", "where": 'channel = "web"'}, "divided_by": {"field": "count"},
    "range": {"kind": "last", "number": 1, "unit": "month"}, "compare": "previous_period",
}  # fmt: skip


def make_dashboard(data_set: DataSet | None = None, slug: str = "visits", **fields) -> Dashboard:
    """Create a dashboard with a number, a chart, a table and a text; without a data set, only the text."""
    made = Dashboard.objects.create(**{"slug": slug, "title": "Visits to our service", **fields})
    if data_set is not None:
        share = save(data_set, SHARE, name="Digital take-up", chart="number", unit="%")
        add(made, saved_query=share, target=0.8)
        add(made, saved_query=save(data_set, BY_CHANNEL, name="Visits by channel", chart="line"), is_wide=True)
        add(made, saved_query=save(data_set, BY_MONTH, name="Visits by month", chart="table"))
    add(made, text="## About\n\nCounted **daily**.", title="Notes")
    return made


def add(dashboard: Dashboard, **fields) -> Tile:
    return Tile.objects.create(dashboard=dashboard, place=dashboard.tiles.count(), **fields)


def publish(dashboard: Dashboard, visibility: Visibility = Visibility.PUBLIC) -> Dashboard:
    publishing.publish(dashboard, visibility, by=None, actor=audit.COMMAND, may_publish=lambda query, data_set: True)
    return dashboard
