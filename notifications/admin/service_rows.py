"""Base classes for admins of rows that belong to a service.

They scope every list, page, step, choice, filter and action to the services of the person.
Source: docs/reference/console.md §1.2 T8, §1.3.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from config import audit
from config.console.admin import ConsoleModelAdmin
from config.console.admin.columns import column
from notifications.admin import permissions
from notifications.models import Role, Service

IN_SERVICE = "in_service"  # URL parameter of a list: the service to choose first


def list_in_service(request: HttpRequest, service: Service, model: type[models.Model]) -> str:
    """Return the URL of the list of one service's rows, or "" if this person may not open it."""
    model_admin = admin.site.get_model_admin(model)
    if not isinstance(model_admin, ServiceScopedAdmin):
        raise TypeError(f"{model.__name__} has no list of one service's rows")
    is_open = permissions.may_in(request, service.pk, model_admin.view_roles | model_admin.change_roles)
    return f"{model_admin.url_of('changelist')}?{IN_SERVICE}={service.pk}" if is_open else ""


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the POST data, or None for other methods. Empty POST data must still bind the form."""
    return request.POST if request.method == "POST" else None


class OwnRowsFilter(admin.RelatedFieldListFilter):
    """A filter by a related row with the rows of the listed services only: `(("template", OwnRowsFilter),)`."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        chosen = permissions.chosen_service(request)
        services = [chosen] if chosen else permissions.services_of(request)
        return field.get_choices(include_blank=False, limit_choices_to={"service__in": services})


class ServiceScopedAdmin(ConsoleModelAdmin):
    """Admin of services, or of rows that belong to a service, for people with a role in it.

    view_roles: a person needs one of them, or one of change_roles, to see a row
    change_roles: a person needs one of them for everything else
    service_path: the field that leads from a row to its service; "pk" for the service itself

    Rows of other services answer 404, because `get_queryset` leaves them out.
    """

    view_roles: ClassVar[frozenset[Role]] = frozenset()
    change_roles: ClassVar[frozenset[Role]] = frozenset()
    service_path: ClassVar[str] = "service"

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the rows of every service this person belongs to. Lists narrow them to the chosen service."""
        rows = super().get_queryset(request)
        if permissions.is_operator(request):
            return rows
        return rows.filter(**{f"{self.service_path}__in": list(permissions.roles(request))})

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        chosen = permissions.chosen_service(request)
        return rows if chosen is None else rows.filter(**{self.service_path: chosen.pk})

    def changeable(self, request: HttpRequest, rows: Any) -> Any:
        """Return the rows that this person may change."""
        if permissions.is_operator(request):
            return rows
        return rows.filter(**{f"{self.service_path}__in": permissions.services_with(request, *self.change_roles)})

    def service_id_of(self, obj: Any) -> Any:
        """Return the id of a row's service."""
        return obj.pk if self.service_path == "pk" else getattr(obj, f"{self.service_path}_id")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list of the service in the URL, or of a service in which this person may open it."""
        if request.method == "GET":
            if IN_SERVICE in request.GET:
                permissions.choose(request, self._named_service(request))
                return HttpResponseRedirect(request.path)
            other = permissions.go_where_one_may(request, self.view_roles | self.change_roles)
            if other is not None:
                messages.info(request, f"This page shows {other.name}. You cannot open it for the other service.")
                return HttpResponseRedirect(request.get_full_path())
        return super().changelist_view(request, {"comes_first": self._comes_first, **(extra_context or {})})

    def _named_service(self, request: HttpRequest) -> Service:
        try:
            return permissions.services_of(request).get(pk=request.GET[IN_SERVICE])
        except (Service.DoesNotExist, ValidationError) as error:
            raise Http404 from error

    def _comes_first(self) -> str:
        """Return the URL of the new-service page if no active service exists, else ""."""
        is_there = self.model is Service or Service.objects.filter(active=True).exists()
        return "" if is_there else reverse("admin:notifications_service_add")

    # Roles replace Django's own permissions.

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj, self.view_roles | self.change_roles)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_change and self._may(request, obj, self.change_roles)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may_add and self._may(request, None, self.change_roles)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_delete and self._may(request, obj, self.change_roles)

    def _may(self, request: HttpRequest, obj: Any, roles: frozenset[Role]) -> bool:
        """Return whether this person has one of the roles: in the row's service, or in the chosen one for a list."""
        if obj is None:
            return permissions.may(request, *roles)
        return permissions.may_in(request, self.service_id_of(obj), roles)


class ServiceRowAdmin(ServiceScopedAdmin):
    """Admin of rows with a `service` column. Lists show that column and filter only for all services.

    shows_recipients: whether titles and cells have recipients, which people see masked without the role See recipients
    """

    list_select_related: ClassVar[Any] = ("service",)
    shows_recipients: ClassVar[bool] = False

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        return permissions.with_sight(request, rows) if self.shows_recipients else rows

    def sees_title(self, request: HttpRequest, obj: Any) -> bool:
        return not self.shows_recipients or permissions.may_see_recipients(request, obj.service_id)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._with_service(request, super().get_list_filter(request), first=True)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._with_service(request, super().get_list_display(request), first=False)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Make the service of an existing row read-only: its id is part of keys and answers."""
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else ("service", "service_name", *fields)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show the service without a link if this person may not open its page."""
        fieldsets = super().get_fieldsets(request, obj)
        service = obj and obj.service
        if service is None or admin.site.get_model_admin(Service).has_view_permission(request, service):
            return fieldsets
        return [
            (
                title,
                {**options, "fields": ["service_name" if name == "service" else name for name in options["fields"]]},
            )
            for title, options in fieldsets
        ]

    service_name = column("Service", lambda obj: str(obj.service))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Preselect the chosen service, or the only one."""
        chosen = permissions.chosen_service(request)
        only = [chosen] if chosen else list(self._open_services(request)[:2])
        initial = {"service": only[0].pk} if len(only) == 1 else {}
        return {**initial, **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer only services that this person may add to, and only rows of those services."""
        target = db_field.related_model
        if target is Service:
            kwargs["queryset"] = self._open_services(request)
        elif _hangs_on_service(target) and not permissions.is_operator(request):
            kwargs["queryset"] = target._default_manager.filter(service__in=list(permissions.roles(request)))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = audit.author(request)
        super().save_model(request, obj, form, change)

    def _open_services(self, request: HttpRequest) -> Any:
        return permissions.services_with(request, *self.change_roles).filter(active=True)

    def _with_service(self, request: HttpRequest, names: Any, *, first: bool) -> tuple[Any, ...]:
        others = tuple(name for name in names if name != "service")
        if not permissions.sees_all_services(request):
            return others
        return ("service", *others) if first else (*others[:1], "service", *others[1:])


def kept(services: Iterable[Service]) -> models.Q:
    """Match the rows of these services that are within their retention."""
    since: defaultdict[datetime, list[Service]] = defaultdict(list)
    for service in services:
        since[service.kept_since()].append(service)
    matching = models.Q(pk__in=[])
    for moment, group in since.items():
        matching |= models.Q(service__in=group, created_at__gte=moment)
    return matching


def _hangs_on_service(model: Any) -> bool:
    try:
        return model._meta.get_field("service").related_model is Service
    except FieldDoesNotExist:
        return False
