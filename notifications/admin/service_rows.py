"""What the admins of a service's rows share: who may see and change them, and the service they are made in.

Everything a person can reach through such an admin is scoped here: lists, pages, steps, choices, filters, actions.
Source: Staff console §1.2 T8, §1.3.
"""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from config.console import audit
from config.console.admin import ConsoleModelAdmin
from notifications.admin import rights
from notifications.models import Role, Service

IN_SERVICE = "in_service"  # of a list's address: the service to choose first


def list_in_service(request: HttpRequest, service: Service, model: type[models.Model]) -> str:
    """Return the address of a list of one service's rows; "" for people to whom that list is not open."""
    model_admin = admin.site.get_model_admin(model)
    if not isinstance(model_admin, ServiceScopedAdmin):
        raise TypeError(f"{model.__name__} has no list of one service's rows")
    is_open = rights.may_in(request, service.pk, model_admin.view_roles | model_admin.change_roles)
    return f"{model_admin.url_of('changelist')}?{IN_SERVICE}={service.pk}" if is_open else ""


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form was sent with, also if that is nothing: an empty form is refused, not shown afresh."""
    return request.POST if request.method == "POST" else None


class OwnRowsFilter(admin.RelatedFieldListFilter):
    """A filter by a related row that offers those of the listed services alone: `(("template", OwnRowsFilter),)`."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        chosen = rights.chosen_service(request)
        services = [chosen] if chosen else rights.services_of(request)
        return field.get_choices(include_blank=False, limit_choices_to={"service__in": services})


class ServiceScopedAdmin(ConsoleModelAdmin):
    """Rows that belong to a service, or are one: seen and changed by people with a role in it.

    view_roles: one of them is needed to see a row; change_roles: one of them is needed for all else, and lets see too.
    service_path: the field that leads from a row to its service; "pk" for the service itself.

    A row of a service one does not belong to is answered as one that does not exist: `get_queryset` has it not.
    """

    view_roles: ClassVar[frozenset[Role]] = frozenset()
    change_roles: ClassVar[frozenset[Role]] = frozenset()
    service_path: ClassVar[str] = "service"

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the rows of every service this person belongs to; the list shows those of the chosen one."""
        rows = super().get_queryset(request)
        if rights.is_operator(request):
            return rows
        return rows.filter(**{f"{self.service_path}__in": list(rights.roles(request))})

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        chosen = rights.chosen_service(request)
        return rows if chosen is None else rows.filter(**{self.service_path: chosen.pk})

    def changeable(self, request: HttpRequest, rows: Any) -> Any:
        """Return those of these rows that this person may change."""
        if rights.is_operator(request):
            return rows
        return rows.filter(**{f"{self.service_path}__in": rights.services_with(request, *self.change_roles)})

    def service_id_of(self, obj: Any) -> Any:
        """Return the id of the service a row belongs to."""
        return obj.pk if self.service_path == "pk" else getattr(obj, f"{self.service_path}_id")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, of the service that a link names, or of one where it is open to this person."""
        if request.method == "GET":
            if IN_SERVICE in request.GET:
                rights.choose(request, self._named_service(request))
                return HttpResponseRedirect(request.path)
            other = rights.go_where_one_may(request, self.view_roles | self.change_roles)
            if other is not None:
                messages.info(request, f"This shows {other.name}: in the other service the page is not open to you.")
                return HttpResponseRedirect(request.get_full_path())
        return super().changelist_view(request, {"comes_first": self._comes_first, **(extra_context or {})})

    def _named_service(self, request: HttpRequest) -> Service:
        try:
            return rights.services_of(request).get(pk=request.GET[IN_SERVICE])
        except (Service.DoesNotExist, ValidationError) as error:
            raise Http404 from error

    def _comes_first(self) -> str:
        """Return the address where a service is made, while there is none that a row could hang on."""
        is_there = self.model is Service or Service.objects.filter(active=True).exists()
        return "" if is_there else reverse("admin:notifications_service_add")

    # Django's own permissions play no part: roles decide.

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj, self.view_roles | self.change_roles)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj, self.change_roles)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may(request, None, self.change_roles)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_delete and self._may(request, obj, self.change_roles)

    def audit_scope(self, obj: models.Model) -> dict[str, Any]:
        return {"service_id": self.service_id_of(obj)}

    def _may(self, request: HttpRequest, obj: Any, roles: frozenset[Role]) -> bool:
        """Without a row the question is about the list, which is the chosen service's."""
        if obj is None:
            return rights.may(request, *roles)
        return rights.may_in(request, self.service_id_of(obj), roles)


class ServiceRowAdmin(ServiceScopedAdmin):
    """Rows that hang on a service. `service` stands among filters and columns only while all services are listed."""

    list_select_related: ClassVar[Any] = ("service",)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._with_service(request, super().get_list_filter(request), first=True)

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._with_service(request, super().get_list_display(request), first=False)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fix the service once the row is made: its id is a part of keys and answers."""
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else ("service", *fields)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Choose the service that is chosen, else the only one there is."""
        chosen = rights.chosen_service(request)
        only = [chosen] if chosen else list(self._open_services(request)[:2])
        initial = {"service": only[0].pk} if len(only) == 1 else {}
        return {**initial, **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the services this person may add to, and rows of their services alone."""
        target = db_field.related_model
        if target is Service:
            kwargs["queryset"] = self._open_services(request)
        elif _hangs_on_service(target) and not rights.is_operator(request):
            kwargs["queryset"] = target._default_manager.filter(service__in=list(rights.roles(request)))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = audit.author(request)
        super().save_model(request, obj, form, change)

    def _open_services(self, request: HttpRequest) -> Any:
        return rights.services_with(request, *self.change_roles).filter(active=True)

    def _with_service(self, request: HttpRequest, names: Any, *, first: bool) -> tuple[Any, ...]:
        others = tuple(name for name in names if name != "service")
        if not rights.sees_all_services(request):
            return others
        return ("service", *others) if first else (*others[:1], "service", *others[1:])


def _hangs_on_service(model: Any) -> bool:
    try:
        return model._meta.get_field("service").related_model is Service
    except FieldDoesNotExist:
        return False
