"""Which dashboards show a saved query or a data set, so that neither is deleted under them."""

from django.db.models import Q

from config import formats
from config.invalid import InvalidValue
from datasets.models import Dashboard, DataSet, SavedQuery

_NAMED = 5


def check_unused(row: DataSet | SavedQuery) -> None:
    """Raise InvalidValue if a tile shows the saved query, or a saved query that measures the data set."""
    of_row = Q(tiles__saved_query=row)
    if isinstance(row, DataSet):
        of_row = Q(tiles__saved_query__data_set=row) | Q(tiles__saved_query__other_sets=row)
    found = list(Dashboard.objects.filter(of_row).distinct().values_list("title", flat=True))
    if not found:
        return
    names = [f"“{title}”" for title in found[:_NAMED]]
    names += [f"{len(found) - _NAMED} more"] if len(found) > _NAMED else []
    where = "this dashboard" if len(found) == 1 else "these dashboards"
    raise InvalidValue(f"{row} is shown on {formats.listed(names, 'and')}. Remove its tiles from {where} first.")
