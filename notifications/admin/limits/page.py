"""The page *Limits* of the chosen service, and for operators the list of all services.

Source: docs/reference/console.md §3.9.
"""

from typing import Any  # values of templates
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from config.console import pages
from config.console.pages import OwnPages
from notifications.admin import permissions
from notifications.admin.limits import bars
from notifications.models import LimitChange, Role, Service

_CHANGES_SHOWN = 20


def may_open(request: HttpRequest) -> bool:
    """Return whether the person may open Limits and Reports in the chosen service."""
    return permissions.may(request, Role.SEE_ACTIVITY, Role.MANAGE_SERVICE)


def limits(request: HttpRequest) -> HttpResponse:
    """Show the limits of the chosen service, or all services if an operator has chosen none."""
    if not may_open(request):
        raise PermissionDenied
    service = permissions.chosen_service(request)
    if service is None:
        return pages.show(request, "admin/notifications/limits_of_all.html", "Limits", **_of_all())
    may_change = permissions.is_operator(request) and service.active
    return pages.show(
        request,
        "admin/notifications/limits.html",
        "Limits",
        service=service,
        days=bars.of_days(service),
        minute=bars.of_minute(service),
        refused_by_rate=bars.refused_by_rate(service),
        reset=bars.time_to_reset(),
        taken_at=timezone.now(),
        changes=LimitChange.objects.filter(service=service).order_by("-created_at")[:_CHANGES_SHOWN],
        may_change=may_change,
        may_return=may_change and LimitChange.objects.temporary().filter(service=service).exists(),
    )


def of_service(request: HttpRequest, service_id: UUID) -> HttpResponse:
    """Choose a service and show its limits. Emails and other pages link here."""
    service = permissions.services_of(request).filter(pk=service_id).first()
    if service is None:
        raise Http404
    permissions.choose(request, service)
    return HttpResponseRedirect(reverse("admin:notifications_service_limits_today"))


def _of_all() -> dict[str, Any]:
    shares = bars.highest_shares()
    services = Service.objects.filter(active=True).order_by("name")
    by_use = sorted(services, key=lambda service: -shares.get(service.pk, (0, ""))[0])  # the most used first
    rows = [{"service": service, "share": shares.get(service.pk)} for service in by_use]
    return {"rows": rows, "reset": bars.time_to_reset(), "taken_at": timezone.now()}


PAGES = OwnPages(
    pages=(
        ("notifications/limits/", limits, "notifications_service_limits_today"),
        ("notifications/limits/<uuid:service_id>/", of_service, "service_limits"),
    )
)
