"""Publish dashboards, and decide who may read them. Source: docs/reference/dashboards.md §4, §5."""

import secrets
from collections.abc import Callable, Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from config import audit
from config.audit import Actor
from config.invalid import InvalidValue
from datasets.models import Dashboard, DataSet, SavedQuery, Tile, Visibility
from datasets.saved_queries import answering

# Whether somebody may see what a saved query reads of a data set.
MaySee = Callable[[SavedQuery, DataSet], bool]

_COLUMNS = ["visibility", "link_token", "opened_sets", "opened_parts", "published_at", "published_by"]
_TOKEN_BYTES = 32  # 43 characters of an address


def read_by(dashboard: Dashboard) -> list[tuple[SavedQuery, DataSet]]:
    """Return the saved query of each tile with each of its data sets. Raises SavedQueryInvalid and NoSuchDataSet."""
    queries = [tile.saved_query for tile in tiles_of(dashboard) if tile.saved_query is not None]
    return [(query, one) for query in queries for one in answering.data_sets_of(query)]


def each_once(sets: Iterable[DataSet]) -> list[DataSet]:
    return list({one.pk: one for one in sets}.values())


def tiles_of(dashboard: Dashboard) -> Iterable[Tile]:
    return dashboard.tiles.select_related("saved_query", "saved_query__data_set__group", "saved_query__data_set__type")


def refused_sets(read: Iterable[tuple[SavedQuery, DataSet]], may_publish: MaySee) -> list[DataSet]:
    """Return the data sets without public access that this person may not publish."""
    return each_once(one for query, one in read if not one.public and not may_publish(query, one))


@transaction.atomic
def publish(
    dashboard: Dashboard,
    visibility: Visibility,
    *,
    by: User | None,
    actor: Actor,
    may_publish: MaySee,
) -> None:
    """Open the dashboard to its readers. Raises InvalidValue if it is empty or shows a data set of somebody else.

    A tile that is added later and shows another data set, or statistics of more services, stays hidden until somebody
    publishes the dashboard again.
    """
    _lock(dashboard)
    read = read_by(dashboard)
    if not dashboard.tiles.exists():
        raise InvalidValue("The dashboard has no tiles. Add a tile first.")
    refused = refused_sets(read, may_publish)
    if refused:
        names = ", ".join(str(one) for one in refused)
        raise InvalidValue(f"You may not publish {names}. Ask an owner of the data set, or remove its tiles.")
    before = {"visibility": dashboard.visibility}
    private = [(query, one) for query, one in read if not one.public]
    opened = each_once(one for _, one in private)
    dashboard.visibility = visibility
    dashboard.opened_sets = sorted({one.pk for query, one in private if not _is_part(query, one)})
    parts = {(one.pk, *sorted(query.services or ())) for query, one in private if _is_part(query, one)}
    dashboard.opened_parts = [[pk, services] for pk, *services in sorted(parts)]
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


@transaction.atomic
def unpublish(dashboard: Dashboard, *, actor: Actor) -> None:
    """Close the dashboard to everybody but its owners. Its link does not work again."""
    _lock(dashboard)
    opened = list(opened_sets_of(dashboard))
    before = {"visibility": dashboard.visibility}
    dashboard.visibility, dashboard.link_token = Visibility.PRIVATE, ""
    dashboard.published_at = dashboard.published_by = None
    dashboard.opened_sets, dashboard.opened_parts = [], []
    dashboard.save(update_fields=_COLUMNS)
    audit.record(actor, "unpublished_dashboard", dashboard, before=before)
    for one in opened:
        audit.record(actor, "unpublished_dashboard", dashboard, data_set_id=one.pk)


@transaction.atomic
def rotate_link(dashboard: Dashboard, *, actor: Actor) -> None:
    """Give the dashboard another link. The old one stops working."""
    _lock(dashboard)
    dashboard.link_token = secrets.token_urlsafe(_TOKEN_BYTES)
    dashboard.save(update_fields=["link_token"])
    audit.record(actor, "rotated_dashboard_link", dashboard)


def _lock(dashboard: Dashboard) -> None:
    """Read what others have published meanwhile, so that no old link or reader comes back."""
    dashboard.refresh_from_db(fields=_COLUMNS, from_queryset=Dashboard.objects.select_for_update())


def opened_sets_of(dashboard: Dashboard) -> QuerySet[DataSet]:
    """Return the data sets without public access that were opened, in whole or in part."""
    pks = [*dashboard.opened_sets, *(pk for pk, _ in dashboard.opened_parts)]
    return DataSet.objects.filter(pk__in=pks)


def shows(dashboard: Dashboard, query: SavedQuery, data_set: DataSet) -> bool:
    """Return whether readers of the published dashboard may see what the saved query reads of the data set."""
    if data_set.public or data_set.pk in dashboard.opened_sets:
        return True
    parts = (services for pk, services in dashboard.opened_parts if pk == data_set.pk)
    return _is_part(query, data_set) and any(query.reads_only(services) for services in parts)


def _is_part(query: SavedQuery, data_set: DataSet) -> bool:
    return data_set.is_of_product and query.services is not None


def may_read(dashboard: Dashboard, *, key: str, is_staff: bool) -> bool:
    """Return whether a reader may open the published page. key: from the address; is_staff: signed in to the console"""
    if dashboard.visibility == Visibility.PUBLIC:
        return True
    if dashboard.visibility == Visibility.STAFF:
        return is_staff
    if dashboard.visibility == Visibility.LINK and dashboard.link_token:
        return secrets.compare_digest(key.encode(), dashboard.link_token.encode())
    return False
