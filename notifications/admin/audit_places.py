"""The services whose audit a person may read: every service for operators, managed services for others."""

from django.http import HttpRequest

from config.audit import places
from notifications.admin import permissions
from notifications.models import Role


def _services(request: HttpRequest) -> list[tuple[str, str]]:
    managed = permissions.services_with(request, Role.MANAGE_SERVICE).order_by("name").values_list("pk", "name")
    return [(str(pk), name) for pk, name in managed]


PLACE = places.Place(title="Service", field="service_id", choices=_services)
