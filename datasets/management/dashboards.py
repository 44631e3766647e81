"""Apply the dashboards of a `manage.py provision` document. Publishing stays with people, because it opens data.

Source: docs/provision.md.
"""

from django.contrib.auth.models import User

from config import audit
from config.areas import DocumentErrors
from config.audit import changes
from config.invalid import InvalidValue
from config.management.declarations import Declaration, DeclaredRow, Texts, Value, parse_filled, read
from datasets.dashboards import limits
from datasets.models import Dashboard, SavedQuery, Tile

_TILE = ("title", "title_cy", "text", "text_cy", "is_wide", "target", "hide_below")


class TileDeclaration(Declaration):
    """A tile: a saved query of a data set, or a text."""

    data_set = Value(str)
    saved_query = Value(str)
    title = Value(str)
    title_cy = Value(str)
    text = Value(str)
    text_cy = Value(str)
    is_wide = Value(bool)
    target = Value(float, allow_null=True)
    hide_below = Value(int, allow_null=True)


class DashboardDeclaration(Declaration):
    """A dashboard, found by its name in the URL. `tiles` replaces all of its tiles."""

    name = Value(str, limits.check_slug, required=True)
    title = Value(str, parse_filled)
    title_cy = Value(str)
    summary = Value(str)
    summary_cy = Value(str)
    owners = Texts()
    filter_field = Value(str)
    filter_values = Texts()
    embed_hosts = Texts()
    tiles = TileDeclaration(many=True, required=False)


def apply(document: object, errors: DocumentErrors) -> object:
    """Create or change the declared dashboards and return the completed document. Other dashboards do not change."""
    declared = read(document, "dashboards", DashboardDeclaration(), errors)
    names = [entry.values["name"] for entry in declared]
    for entry in declared:
        if names.count(entry.values["name"]) > 1:
            entry.refuse("name", "is declared twice")
    for entry in declared if not errors.lines else ():
        _apply_one(entry)
    return [entry.completed for entry in declared] if declared else document


def _apply_one(entry: DeclaredRow) -> None:
    row = Dashboard.objects.filter(slug=entry.values["name"]).first()
    is_new = row is None
    row = row or Dashboard(slug=entry.values["name"])
    if is_new:
        entry.require("title")
    stored = changes.snapshot(row)
    wanted = {name: value for name, value in entry.values.items() if name not in {"name", "owners", "tiles"}}
    for name, value in wanted.items():
        setattr(row, name, value)
    _check(entry, row)
    owners = _owners(entry, row)
    tiles = _tiles(entry, row)
    if entry.errors.lines:
        return
    before, after = changes.difference(stored, changes.snapshot(row))
    if is_new or after:
        row.save()
        audit.record(audit.operator(), "created" if is_new else "changed", row, before=before, after=after)
    if owners is not None:
        row.owners.set(owners)
    if tiles is not None and [_values(one) for one in row.tiles.all()] != [_values(one) for one in tiles]:
        row.tiles.all().delete()
        for place, tile in enumerate(tiles):
            tile.dashboard, tile.place = row, place
            tile.save()
        audit.record(audit.operator(), "changed", row, after={"tiles": len(tiles)})
    entry.completed |= {"id": row.pk, "visibility": row.visibility}


def _check(entry: DeclaredRow, row: Dashboard) -> None:
    """Check the values together, and the lengths that the columns allow."""
    entry.check("filter_values", limits.check_filter, row.filter_field, row.filter_values)
    try:
        row.embed_hosts = limits.parse_hosts(row.embed_hosts)
    except InvalidValue as error:
        entry.refuse("embed_hosts", str(error))
    entry.check_lengths(Dashboard)


def _owners(entry: DeclaredRow, row: Dashboard) -> list[User] | None:
    if "owners" not in entry.values:
        return None
    found = list(User.objects.filter(username__in=entry.values["owners"], is_active=True))
    for name in set(entry.values["owners"]) - {one.username for one in found}:
        entry.refuse("owners", f"no active account has the user name {name}")
    for owner in found:
        if row.pk is None or not row.owners.filter(pk=owner.pk).exists():
            entry.check("owners", limits.check_number_of_dashboards, owner)
    return found


def _tiles(entry: DeclaredRow, row: Dashboard) -> list[Tile] | None:
    if "tiles" not in entry.values:
        return None
    declared = entry.entries("tiles")
    if len(declared) > limits.MAX_TILES:
        entry.refuse("tiles", f"must have at most {limits.MAX_TILES} tiles")
    return [_tile(one) for one in declared]


def _tile(entry: DeclaredRow) -> Tile:
    tile = Tile(**{name: value for name, value in entry.values.items() if name in _TILE})
    name = entry.values.get("saved_query", "")
    if name:
        group, _, type = entry.values.get("data_set", "").partition("/")
        found = SavedQuery.objects.filter(name=name, data_set__group__name=group, data_set__type__name=type)
        tile.saved_query = found.first()
        if tile.saved_query is None:
            entry.refuse("saved_query", "is not a saved query of this data set")
    elif not tile.text:
        entry.refuse("", "needs a saved_query with its data_set, or a text")
    entry.check_lengths(Tile)
    if tile.hide_below is not None and not 0 <= tile.hide_below <= limits.MAX_HIDE_BELOW:
        entry.refuse("hide_below", f"must be 0 to {limits.MAX_HIDE_BELOW:,}")
    elif tile.saved_query is not None or not name:
        entry.check("hide_below", limits.check_hide_below, tile.hide_below, tile.saved_query)
    return tile


def _values(tile: Tile) -> list[object]:
    return [tile.saved_query_id, *(getattr(tile, name) for name in _TILE)]
