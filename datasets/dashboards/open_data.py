"""Public dashboards in the catalogue, and as a `Dataset` of schema.org in their pages.

Source: docs/reference/open-data.md §2, §3.
"""

from collections.abc import Iterator, Sequence

from django.conf import settings
from django.db.models import Prefetch
from django.utils.safestring import SafeString

from datasets.catalogue import schema_org
from datasets.catalogue.entries import CatalogueEntries, CatalogueEntry, Download
from datasets.dashboards import publishing
from datasets.errors import DataSetError
from datasets.models import Dashboard, DataSet, Tile, Visibility
from datasets.saved_queries import answering

CATALOGUE_PATH = "/catalogue.jsonld"


def entry(row: Dashboard, tiles: Sequence[Tile]) -> CatalogueEntry:
    """Return the entry of a public dashboard.

    It has a licence and a contact if all of its data sets are public and have the same.
    """
    url = f"{settings.BASE_URL}/dashboards/{row.slug}"
    shown = [(tile, found) for tile in tiles if (found := _shown_sets(row, tile))]
    sets = list({one.pk: one for _, found in shown for one in found}.values())
    terms = {(one.licence, one.contact) if one.public else ("", "") for one in sets}
    licence, contact = terms.pop() if len(terms) == 1 else ("", "")
    return CatalogueEntry(
        url=url,
        page=url,
        title=row.title,
        description=row.summary,
        licence=licence,
        contact=contact,
        created_at=row.published_at,
        changed_at=max((one.last_write_at for one in sets if one.last_write_at), default=None),
        downloads=tuple(
            Download(
                url=f"{url}/{tile.pk}.csv",
                title=tile.title or (tile.saved_query.name if tile.saved_query else ""),
                media_type="text/csv",
            )
            for tile, _ in shown
        ),
    )


def script(row: Dashboard, tiles: Sequence[Tile]) -> SafeString:
    """Return the data block for the head of the page."""
    return schema_org.script(entry(row, tiles), catalogue_url=settings.DATA_BASE_URL + CATALOGUE_PATH)


def _shown_sets(row: Dashboard, tile: Tile) -> list[DataSet]:
    """Return the data sets of a tile, or none for a text and for a tile that its readers do not see."""
    if tile.saved_query is None:
        return []
    try:
        sets = answering.data_sets_of(tile.saved_query)
    except DataSetError:
        return []
    return sets if all(publishing.shows(row, tile.saved_query, one) for one in sets) else []


def _entries() -> Iterator[CatalogueEntry]:
    sets = ("saved_query__data_set__group", "saved_query__data_set__type")
    tiles = Prefetch("tiles", Tile.objects.select_related(*sets))
    for row in Dashboard.objects.filter(visibility=Visibility.PUBLIC).order_by("pk").prefetch_related(tiles):
        yield entry(row, list(row.tiles.all()))


ENTRIES = CatalogueEntries(find=_entries)
