"""The values of a tile as CSV. Source: docs/reference/dashboards.md §4."""

from collections.abc import Iterator

from datasets.dashboards.tiles import ShownTile
from datasets.queries import export
from datasets.saved_queries.grid import Grid


def tile_csv(shown: ShownTile) -> str | None:
    """Return all values of a tile, or None if it has none to show. Periods are moments in UTC, as in the API.

    A value that is not shown is the same words as in the table of the page.
    """
    if shown.grid is None:
        return None
    names = [column.name for column in shown.grid.columns]
    return "".join(export.table([shown.grid.heading or shown.title, *names], _rows(shown.grid, shown.hidden)))


def _rows(found: Grid, hidden: str) -> Iterator[list[object]]:
    for number, place in enumerate(found.starts or found.places):
        values = [hidden if number in column.hidden else column.values[number] for column in found.columns]
        yield [place, *values]
