"""A whole dashboard for a reader, and the state that it depends on. Source: docs/reference/dashboards.md §2, §7."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from config import formats
from config.version import VERSION
from datasets.dashboards import publishing, tiles
from datasets.dashboards.choices import ReaderChoice
from datasets.dashboards.publishing import MaySee
from datasets.dashboards.tiles import ShownTile, TileKind
from datasets.models import Dashboard, DataSet, SavedQuery, Tile

_BOUNDARY_SECONDS = 15 * 60  # in every time zone, a period begins at such a moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDashboard:
    """A dashboard. title_language, summary_language: as for tiles; updated: of its newest data, blank if it has none"""

    title: str
    title_language: str
    summary: str
    summary_language: str
    tiles: list[ShownTile]
    updated: str
    is_late: bool

    @property
    def has_charts(self) -> bool:
        return any(tile.drawing for tile in self.tiles)

    @property
    def has_error(self) -> bool:
        return any(tile.kind == TileKind.ERROR for tile in self.tiles)


def of(
    dashboard: Dashboard, choice: ReaderChoice, *, found: Sequence[Tile], may_show: MaySee | None = None
) -> ShownDashboard:
    """Return the dashboard in the active language.

    may_show: what the person of a preview may see. None: only what is published is shown
    """
    may_show = may_show or partial(publishing.shows, dashboard)
    shown = [tiles.of(tile, dashboard, choice, may_show) for tile in found]
    newest = max((tile.updated_at for tile in shown if tile.updated_at), default="")
    title, title_language = tiles.translated(dashboard.title, dashboard.title_cy)
    summary, summary_language = tiles.translated(dashboard.summary, dashboard.summary_cy)
    return ShownDashboard(
        title=title,
        title_language=title_language,
        summary=summary,
        summary_language=summary_language,
        tiles=shown,
        updated=formats.full(datetime.fromisoformat(newest)) if newest else "",
        is_late=any(tile.is_late for tile in shown),
    )


def state(dashboard: Dashboard, found: Sequence[Tile], choice: ReaderChoice, *, now: datetime) -> str:
    """Return what changes whenever the page may change, from two or three SELECTs and without reading questions.

    Periods begin at a quarter of an hour in every time zone, so the state has the current quarter instead of the range.
    """
    sets = {tile.saved_query.data_set for tile in found if tile.saved_query is not None}
    sets |= set(_other_sets(found))
    tile_values = [
        [
            *(getattr(tile, name) for name in _TILE_FIELDS),
            tile.saved_query and [tile.saved_query.pk, tile.saved_query.revision],
        ]
        for tile in found
    ]
    values = [
        VERSION,
        [getattr(dashboard, name) for name in _DASHBOARD_FIELDS],
        tile_values,
        sorted([one.pk, one.revision, one.public, one.personal, one.late_since is not None] for one in sets),
        choice.query(),
        int(now.timestamp()) // _BOUNDARY_SECONDS,
    ]
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()[:32]


def _other_sets(found: Sequence[Tile]) -> list[DataSet]:
    """Return the data sets of measures besides those of the saved queries themselves."""
    queries = [tile.saved_query for tile in found if tile.saved_query is not None and _names_others(tile.saved_query)]
    return list(DataSet.objects.filter(measured_by__in=queries)) if queries else []


def _names_others(saved_query: SavedQuery) -> bool:
    """Return whether a measure names a data set, without a check of the question."""
    question = saved_query.question if isinstance(saved_query.question, dict) else {}
    measures = [question.get("measure"), question.get("divided_by")]
    return any(isinstance(measure, dict) and measure.get("data_set") for measure in measures)


_TILE_FIELDS = ("pk", "place", "is_wide", "title", "title_cy", "text", "text_cy", "target", "hide_below")
_DASHBOARD_FIELDS = (
    *("pk", "slug", "title", "title_cy", "summary", "summary_cy", "visibility", "filter_field", "filter_values"),
    *("opened_sets", "opened_parts", "embed_hosts"),
)
