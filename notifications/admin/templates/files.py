"""The fixed files of a template: each is uploaded once, for one placeholder. Source: docs/reference/files.md §2.3."""

import base64
from typing import Any

from django import forms
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse

from config import audit, formats
from config.console.checking import checked
from config.console.theme import CheckboxInput, TextInput
from config.invalid import InvalidValue
from notifications import errors
from notifications.admin.service_rows import posted
from notifications.admin.templates.copying import CopyingAdmin
from notifications.attachments import intake
from notifications.attachments.intake import CheckedFile
from notifications.attachments.scanning import NoVerdict
from notifications.attachments.validation import DEFAULT_WEEKS, MAX_FILE_BYTES, FileRequest
from notifications.models import Channel, Service, Template
from notifications.models.attachment import MAX_WEEKS
from notifications.submission.templates import fixed_files
from notifications.validation.templates import check_files


class TemplateFileForm(forms.Form):
    """A file for one placeholder. checked: the file, once it is validated and scanned"""

    checked: CheckedFile

    placeholder = forms.CharField(
        max_length=100,
        widget=TextInput,
        help_text="The name in double brackets that the text uses, such as terms for ((terms)).",
    )
    file = forms.FileField(help_text="Up to 2 MB.")
    asks_for_email_address = forms.BooleanField(
        label="Ask recipients for their email address before the download",
        required=False,
        initial=True,
        widget=CheckboxInput,
    )
    weeks = forms.IntegerField(
        label="Weeks to keep the file of each message",
        min_value=1,
        max_value=MAX_WEEKS,
        initial=DEFAULT_WEEKS,
        widget=TextInput(attrs={"type": "number", "min": 1, "max": MAX_WEEKS}),
    )

    def clean_placeholder(self) -> str:
        name: str = self.cleaned_data["placeholder"].strip().removeprefix("((").removesuffix("))")
        checked(check_files, [name])
        return name

    def clean(self) -> dict[str, Any]:
        """Validate and scan the file, as the files of a send."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        data = cleaned["file"].read(MAX_FILE_BYTES + 1)
        request = FileRequest(
            encoded=base64.b64encode(data).decode(),
            filename=cleaned["file"].name,
            asks_for_email_address=cleaned["asks_for_email_address"],
            weeks=cleaned["weeks"],
            is_csv=None,
        )
        try:
            [self.checked] = intake.check([request])
        except errors.NotificationError as error:
            self.add_error("file", "; ".join(one.message for one in error.errors))
        except NoVerdict:
            self.add_error("file", fixed_files.AWAY)
        return cleaned


class FilesAdmin(CopyingAdmin):
    """The page with the files of a template, and the page that removes one."""

    def files(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Show the files, and store an uploaded one. It is used at once."""
        title = f"Files of {template.name}"
        if template.type != Channel.EMAIL:
            return self.error_page(request, template, title, "Only emails can have files.")
        if not template.service.file_contact:
            return self._without_contact(request, template, title)
        template = Template.objects.select_for_update().get(pk=template.pk)
        form = TemplateFileForm(posted(request), request.FILES or None)
        if request.method == "POST" and form.is_valid():
            name = form.cleaned_data["placeholder"]
            try:
                fixed_files.check_changes(template, {name: form.checked})
                fixed_files.add(template, name, form.checked, audit.person(request))
                return self.action_done(request, self.url_of("files", template), f"Added the file for (({name})).")
            except InvalidValue as error:
                form.add_error(None, str(error))
        return self.action_page(
            request,
            template,
            "Add a file",
            "Add file",
            template="admin/notifications/template_files.html",
            form=form,
            files=[
                {"name": name, **options, "size": formats.size(options["size_bytes"])}
                for name, options in sorted(template.fixed_files.items())
            ],
            leave="Back to the template",
        )

    def remove_file(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Delete the file of the placeholder in the parameter `name`, unless a text in use has the placeholder."""
        template = Template.objects.select_for_update().get(pk=template.pk)
        name = request.GET.get("name", "")
        if name not in template.fixed_files:
            raise Http404
        title = f"Remove the file for (({name}))"
        try:
            fixed_files.check_unused(template, name)
        except InvalidValue as error:
            return self.error_page(request, template, title, str(error))
        if request.method == "POST":
            fixed_files.remove(template, name, audit.person(request))
            return self.action_done(request, self.url_of("files", template), f"Removed the file for (({name})).")
        return self.action_page(
            request,
            template,
            title,
            "Remove file",
            ["Messages that are already accepted keep their own copies of the file."],
            is_destructive=True,
        )

    def _without_contact(self, request: HttpRequest, template: Template, title: str) -> HttpResponse:
        """Return the page for a service without a contact. It has a button for people who may add one."""
        service_admin: Any = admin.site.get_model_admin(Service)
        may_add = service_admin.has_view_or_change_permission(request, template.service)
        remedy = ("Open settings", service_admin.url_of("change", template.service)) if may_add else None
        error = "The service has no contact for its download pages. Add one in the settings of the service first."
        return self.error_page(request, template, title, error, remedy=remedy)
