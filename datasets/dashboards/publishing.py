"""Publish dashboards, and decide who may read them. Source: docs/reference/dashboards.md §4, §5."""

import secrets
from collections.abc import Callable, Iterable

from django.contrib.auth.models import User
from django.utils import timezone

from config import audit
from config.audit import Actor
from config.invalid import InvalidValue
from datasets.models import Dashboard, DataSet, Tile, Visibility
from datasets.saved_queries import answering

_COLUMNS = ["visibility", "link_token", "opened_sets", "published_at", "published_by"]
_TOKEN_BYTES = 32  # 43 characters of an address


def sets_of(dashboard: Dashboard) -> list[DataSet]:
    """Return the data sets of all tiles, each once. Raises SavedQueryInvalid and NoSuchDataSet."""
    found: dict[int, DataSet] = {}
    for tile in tiles_of(dashboard):
        if tile.saved_query is not None:
            found |= {one.pk: one for one in answering.data_sets_of(tile.saved_query)}
    return list(found.values())


def tiles_of(dashboard: Dashboard) -> Iterable[Tile]:
    return dashboard.tiles.select_related("saved_query", "saved_query__data_set__group", "saved_query__data_set__type")


def refused_sets(sets: Iterable[DataSet], may_publish: Callable[[DataSet], bool]) -> list[DataSet]:
    """Return the data sets without public access that this person may not publish."""
    return [one for one in sets if not one.public and not may_publish(one)]


def publish(
    dashboard: Dashboard,
    visibility: Visibility,
    *,
    by: User | None,
    actor: Actor,
    may_publish: Callable[[DataSet], bool],
) -> None:
    """Open the dashboard to its readers. Raises InvalidValue if it is empty or shows a data set of somebody else.

    A tile that is added later and shows another data set stays hidden until somebody publishes the dashboard again.
    """
    sets = sets_of(dashboard)
    if not dashboard.tiles.exists():
        raise InvalidValue("The dashboard has no tiles. Add a tile first.")
    refused = refused_sets(sets, may_publish)
    if refused:
        names = ", ".join(str(one) for one in refused)
        raise InvalidValue(f"You may not publish {names}. Ask an owner of the data set, or remove its tiles.")
    before = {"visibility": dashboard.visibility}
    opened = [one for one in sets if not one.public]
    dashboard.visibility = visibility
    dashboard.opened_sets = [one.pk for one in opened]
    dashboard.published_at, dashboard.published_by = timezone.now(), by
    if visibility != Visibility.LINK:
        dashboard.link_token = ""  # pages for other readers would show it, and it must not work again later
    elif not dashboard.link_token:
        dashboard.link_token = secrets.token_urlsafe(_TOKEN_BYTES)
    dashboard.save(update_fields=_COLUMNS)
    after = {"visibility": visibility, "data_sets": [str(one) for one in opened]}
    audit.record(actor, "published_dashboard", dashboard, before=before, after=after)
    for one in opened:  # its owners read the audit of their data set
        audit.record(actor, "published_dashboard", dashboard, data_set_id=one.pk, after={"visibility": visibility})


def unpublish(dashboard: Dashboard, *, actor: Actor) -> None:
    """Close the dashboard to everybody but its owners. Its link does not work again."""
    opened = DataSet.objects.filter(pk__in=dashboard.opened_sets)
    before = {"visibility": dashboard.visibility}
    dashboard.visibility, dashboard.link_token = Visibility.PRIVATE, ""
    dashboard.published_at = dashboard.published_by = None
    dashboard.opened_sets = []
    dashboard.save(update_fields=_COLUMNS)
    audit.record(actor, "unpublished_dashboard", dashboard, before=before)
    for one in opened:
        audit.record(actor, "unpublished_dashboard", dashboard, data_set_id=one.pk)


def rotate_link(dashboard: Dashboard, *, actor: Actor) -> None:
    """Give the dashboard another link. The old one stops working."""
    dashboard.link_token = secrets.token_urlsafe(_TOKEN_BYTES)
    dashboard.save(update_fields=["link_token"])
    audit.record(actor, "rotated_dashboard_link", dashboard)


def shows(dashboard: Dashboard, data_set: DataSet) -> bool:
    """Return whether readers of the published dashboard may see figures of the data set."""
    return data_set.public or data_set.pk in dashboard.opened_sets


def may_read(dashboard: Dashboard, *, key: str, is_staff: bool) -> bool:
    """Return whether a reader may open the published page. key: from the address; is_staff: signed in to the console"""
    if dashboard.visibility == Visibility.PUBLIC:
        return True
    if dashboard.visibility == Visibility.STAFF:
        return is_staff
    if dashboard.visibility == Visibility.LINK and dashboard.link_token:
        return secrets.compare_digest(key.encode(), dashboard.link_token.encode())
    return False
