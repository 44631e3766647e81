"""The order of the tiles of a dashboard. Source: docs/reference/dashboards.md §1."""

from django.db import transaction

from datasets.dashboards import limits
from datasets.models import Dashboard, Tile


def append(tile: Tile) -> None:
    """Save a new tile as the last one. Raises InvalidValue if the dashboard is full."""
    with transaction.atomic():
        _lock(tile.dashboard_id)
        limits.check_number_of_tiles(tile.dashboard)
        last = tile.dashboard.tiles.order_by("-place").values_list("place", flat=True).first()
        tile.place = 0 if last is None else last + 1
        tile.save()


def move(tile: Tile, place: int) -> None:
    """Move a tile to a place, which is cut to the places that there are. The first place is 0."""
    with transaction.atomic():
        _lock(tile.dashboard_id)
        order = [one for one in Tile.objects.filter(dashboard=tile.dashboard_id) if one.pk != tile.pk]
        order.insert(max(0, min(place, len(order))), tile)
        for number, one in enumerate(order):
            one.place = number
        Tile.objects.bulk_update(order, ["place"])


def _lock(dashboard_id: int) -> None:
    """Wait for another person who adds or moves a tile of this dashboard."""
    list(Dashboard.objects.select_for_update().filter(pk=dashboard_id).values_list("pk"))
