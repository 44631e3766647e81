"""Draw the chart of a tile. Source: docs/reference/dashboards.md §2; docs/reference/charts.md."""

from dataclasses import replace

from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from datasets.charts import drawing
from datasets.models import SavedQuery, Tile
from datasets.saved_queries import showing
from datasets.saved_queries.grid import Grid


def draw(tile: Tile, saved_query: SavedQuery, found: Grid, *, title: str) -> SafeString:
    """Return the SVG of a chart, or an empty text without values, or with more than a chart can show.

    A tile of half the width has the narrow form only, which is half the size of both.
    """
    chart = showing.chart_of(saved_query, found)
    if chart is None or found.is_empty:
        return SafeString("")
    chart = replace(
        chart,
        title=title,
        description="",
        target=tile.target,
        target_label=gettext("Target") if tile.target is not None else "",
        language="cy" if get_language() == "cy" else "en",
    )
    key = f"chart-{tile.pk}"
    if tile.is_wide:
        return drawing.both_sizes(chart, key=key)
    narrow = drawing.svg(chart, size="narrow", key=key)
    return SafeString(f'<div class="chart-box narrow-only">{narrow}</div>')
