"""The data sets whose audit a person may read: those they manage or own."""

from django.http import HttpRequest

from config.console import audit_places
from datasets.admin import access


def _data_sets(request: HttpRequest) -> list[tuple[str, str]]:
    mine = access.data_sets_of(request).select_related("group", "type")
    return [(str(one.pk), str(one)) for one in mine]


audit_places.register(audit_places.Place(title="Data set", field="data_set_id", choices=_data_sets))
