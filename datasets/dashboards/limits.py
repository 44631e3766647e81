"""The limits and rules of dashboards. The console, `provision` and commands call these functions.

Each function raises InvalidValue. Source: docs/reference/dashboards.md §6.
"""

import re
from collections.abc import Sequence

from django.contrib.auth.models import User

from config.host_names import ascii_host
from config.invalid import InvalidValue
from datasets.models import Dashboard, DataSet, SavedQuery, Tile, Visibility
from datasets.records import names
from datasets.saved_queries import small_numbers
from datasets.saved_queries.question import Question

MAX_TILES = 24
MAX_DASHBOARDS = 20  # of one owner
MAX_EMBED_HOSTS = 20
MAX_HIDE_BELOW = 1_000_000
# With the five ranges, the views of a query stay within the 50 answers that are kept of it.
MAX_FILTER_VALUES = 9
MAX_FILTER_CHARACTERS = 100
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+(:[0-9]{1,5})?"
)

_PORTS = range(1, 65_536)


def smallest_shown(tile: Tile, dashboard: Dashboard, question: Question, data_sets: Sequence[DataSet]) -> int | None:
    """Return the value below which a tile shows none, or None to show all.

    Without a setting of the tile, a page that others may open hides small counts of data sets about persons.
    """
    if tile.hide_below is not None:
        return tile.hide_below or None
    return None if dashboard.visibility == Visibility.PRIVATE else small_numbers.usual_limit(question, data_sets)


def check_slug(slug: str) -> None:
    if not _SLUG.fullmatch(slug):
        raise InvalidValue("Use 1 to 60 of a–z, 0–9 and -, and start with a letter or digit.")


def check_number_of_tiles(dashboard: Dashboard) -> None:
    if dashboard.tiles.count() >= MAX_TILES:
        raise InvalidValue(f"A dashboard has at most {MAX_TILES} tiles. Remove a tile first.")


def check_number_of_dashboards(owner: User, *, but: Dashboard | None = None) -> None:
    owned = Dashboard.objects.filter(owners=owner)
    owned = owned if but is None else owned.exclude(pk=but.pk)
    if owned.count() >= MAX_DASHBOARDS:
        raise InvalidValue(f"{owner.get_username()} owns {MAX_DASHBOARDS} dashboards. Delete one of them first.")


def parse_hosts(hosts: Sequence[str]) -> list[str]:
    """Return the names of hosts in lower case, each once. Raises InvalidValue."""
    found = []
    for host in hosts:
        try:
            name = ascii_host(host.strip().lower().removeprefix("https://").removesuffix("/"))
        except UnicodeError:
            name = ""
        if not _HOST.fullmatch(name) or (":" in name and int(name.partition(":")[2]) not in _PORTS):
            raise InvalidValue(f"“{host.strip()[:100]}” is not the name of a host, such as www.example.gov.uk.")
        found.append(name)
    if len(found) > MAX_EMBED_HOSTS:
        raise InvalidValue(f"Enter at most {MAX_EMBED_HOSTS} hosts.")
    return list(dict.fromkeys(found))


def check_filter(field: str, values: Sequence[str]) -> None:
    """Raise InvalidValue unless readers can filter all tiles by this field and choose from these values."""
    if bool(field) != bool(values):
        raise InvalidValue("Enter both a field and the values that readers can choose, or neither.")
    if field and not names.is_field_name(field):
        raise InvalidValue(f"“{names.shown(field)}” is not a field name.")
    if len(values) > MAX_FILTER_VALUES:
        raise InvalidValue(f"Enter at most {MAX_FILTER_VALUES} values, not {len(values)}.")
    for value in values:
        if not 1 <= len(value) <= MAX_FILTER_CHARACTERS or not value.isprintable():
            raise InvalidValue(f"Use 1 to {MAX_FILTER_CHARACTERS} letters and other visible characters for each value.")
    if len(set(values)) < len(values):
        raise InvalidValue("A value is in the list twice. Enter each value once.")


def check_hide_below(hide_below: int | None, saved_query: SavedQuery | None) -> None:
    """Raise InvalidValue if small values cannot be hidden: a ratio has no number of people."""
    if hide_below and (saved_query is None or Question.of(saved_query.question).divided_by is not None):
        raise InvalidValue("Small values can be hidden in counts and sums, not in a text or a ratio of two values.")


def check_tiles_of(saved_query: SavedQuery) -> None:
    """Raise InvalidValue if a tile could not hide the small values of a changed query."""
    for tile in Tile.objects.filter(saved_query=saved_query) if saved_query.pk is not None else ():
        check_hide_below(tile.hide_below, saved_query)
