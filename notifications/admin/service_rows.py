"""What the admins of a service's rows share: the service is chosen once, and who made the row is kept."""

from typing import Any, ClassVar

from django.db import models
from django.http import HttpRequest, QueryDict

from config.console import audit
from config.console.admin import ConsoleModelAdmin
from notifications.models import Service


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form was sent with, also if that is nothing: an empty form is refused, not shown afresh."""
    return request.POST if request.method == "POST" else None


class ServiceRowAdmin(ConsoleModelAdmin):
    """Rows that hang on a service."""

    list_filter: ClassVar[Any] = ("service",)
    list_select_related: ClassVar[Any] = ("service",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fix the service once the row is made: its id is a part of keys and answers."""
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else ("service", *fields)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Choose the service by itself where there is but one."""
        only = list(Service.objects.filter(active=True).values_list("pk", flat=True)[:2])
        chosen = {"service": only[0]} if len(only) == 1 else {}
        return {**chosen, **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "service":
            kwargs["queryset"] = Service.objects.filter(active=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = audit.author(request)
        super().save_model(request, obj, form, change)

    def audit_scope(self, obj: models.Model) -> dict[str, Any]:
        return {"service_id": getattr(obj, "service_id", None)}
