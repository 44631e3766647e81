"""The services whose audit a person may read: all for an operator, else those they manage."""

from django.http import HttpRequest

from config.console import audit_places
from notifications.admin import rights
from notifications.models import Role


def _services(request: HttpRequest) -> list[tuple[str, str]]:
    managed = rights.services_with(request, Role.MANAGE_SERVICE).order_by("name").values_list("pk", "name")
    return [(str(pk), name) for pk, name in managed]


audit_places.register(audit_places.Place(title="Service", field="service_id", choices=_services))
