"""Copying a template, within its service or to another one. Source: docs/reference/console.md §2.4."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from config.console.checking import checked
from config.console.theme import Select, TextInput
from notifications.admin import permissions
from notifications.admin.service_rows import posted
from notifications.admin.templates.comparing import ComparingAdmin
from notifications.admin.templates.drafts import editor_of
from notifications.models import Role, Service, Template
from notifications.submission.templates import changing
from notifications.validation import names

_LONGEST_NAME = 255


class CopyForm(forms.Form):
    """The service that gets the copy, and the name there."""

    service: "forms.ModelChoiceField[Service]" = forms.ModelChoiceField(
        queryset=Service.objects.none(), label="Service", empty_label="Select a service", widget=Select
    )
    name = forms.CharField(max_length=_LONGEST_NAME, widget=TextInput, help_text="Recipients never see it.")

    def __init__(self, *args: Any, template: Template, services: QuerySet[Service], **kwargs: Any) -> None:
        initial = {"service": template.service_id, "name": f"Copy of {template.name}"[:_LONGEST_NAME]}
        super().__init__(*args, **{"initial": initial, **kwargs})
        self.template = template
        self.fields["service"].queryset = services  # type: ignore[attr-defined]  # a ModelChoiceField has one

    def clean_name(self) -> str:
        return checked(names.parse_name, self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        """Refuse a name that a template of the same type has there: `provision` finds templates by name and type."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        service, name = cleaned.get("service"), cleaned.get("name")
        if service is None or name is None:
            return cleaned
        there = service.templates.filter(type=self.template.type, archived_at=None)
        if names.is_taken(name, there.values_list("name", flat=True)):
            kind = self.template.get_type_display().lower()
            self.add_error("name", f"{service.name} already has a template with this name ({kind}). Change the name.")
        return cleaned


class CopyingAdmin(ComparingAdmin):
    """The page that copies a template. The person may edit templates in both services."""

    def copy(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Make a template of the published version, with version 1."""
        services = permissions.services_with(request, Role.EDIT_TEMPLATES).filter(active=True).order_by("name")
        form = CopyForm(posted(request), template=template, services=services)
        if request.method == "POST" and form.is_valid():
            service, name = form.cleaned_data["service"], form.cleaned_data["name"]
            copy = changing.copy(template, service, editor_of(request), name=name)
            return self.action_done(request, self.row_url(copy), f"Copied to {service.name} as “{copy.name}”.")
        return self.action_page(
            request,
            template,
            f"Copy {template.name}",
            "Copy template",
            [
                f"The copy is a new template with its own ID. Its version 1 has the text of version "
                f"{template.current_version}, and it has the same example values, tags and options.",
                "Later changes of one do not change the other.",
            ],
            form=form,
        )
