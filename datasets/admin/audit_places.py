"""The data sets whose audit entries a person may read."""

from django.http import HttpRequest

from config.audit import places
from datasets.admin import access


def _data_sets(request: HttpRequest) -> list[tuple[str, str]]:
    mine = access.data_sets_of(request).select_related("group", "type")
    return [(str(one.pk), str(one)) for one in mine]


PLACE = places.Place(title="Data set", field="data_set_id", choices=_data_sets)
