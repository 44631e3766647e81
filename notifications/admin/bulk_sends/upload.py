"""The first step of a bulk send: choose a template, then upload a file or paste cells.

Source: docs/reference/console.md §3.4.
"""

import hashlib
import io
import uuid
from typing import Any, BinaryIO

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone

from config import audit, formats
from config.console import shown_once
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.pages import file_response
from config.console.shown_once import AlreadyShown
from config.spreadsheets import csv_line
from notifications import errors
from notifications.admin import permissions
from notifications.admin.bulk_sends import drafts, reading
from notifications.admin.templates import choice
from notifications.bulk_tables import files, mapping
from notifications.bulk_tables.columns import EMAIL_ADDRESS, PHONE_NUMBER
from notifications.bulk_tables.tables import UnreadableTable
from notifications.bulk_tables.uploads import ReadAs
from notifications.models import (
    BulkSend,
    BulkState,
    BulkTable,
    BulkTablePart,
    Channel,
    KeyType,
    MessageOrigin,
    Role,
    TemplateVersion,
)
from notifications.models.bulk_table import PART_BYTES
from notifications.rendering import placeholders
from notifications.submission import policy
from notifications.submission.templates import TemplateText, fixed_files

NOTHING = "Choose a file, or paste cells from a spreadsheet."
BOTH = "Choose a file or paste cells, not both."
SENT_TWICE = "You sent this form twice. The table was uploaded once."
_EXAMPLES = {EMAIL_ADDRESS: "ana@example.com", PHONE_NUMBER: "07700 900123"}
_MAX_NAME_CHARACTERS = 255


class UploadForm(forms.Form):
    """A file or pasted cells."""

    file = forms.FileField(
        label="File",
        required=False,
        error_messages={"empty": reading.EMPTY},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.xlsm,.ods"}),
        help_text="CSV, TSV, Excel (.xlsx or .xlsm) or OpenDocument (.ods), at most 25 MiB and 100,000 rows.",
    )
    pasted = forms.CharField(
        label="Cells from a spreadsheet",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "sb-mono"}),
        help_text="Select the cells with the column names, copy them and paste them here.",
    )

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        is_pasted = bool(cleaned.get("pasted", "").strip())
        if "file" in self.errors or "pasted" in self.errors:
            return cleaned
        if not cleaned.get("file") and not is_pasted:
            self.add_error("file", NOTHING)
        if cleaned.get("file") and is_pasted:
            self.add_error("file", BOTH)
        return cleaned

    @property
    def name(self) -> str:
        """Return the name of the bulk send: that of the file."""
        file = self.cleaned_data["file"]
        return file.name[:_MAX_NAME_CHARACTERS] if file else f"Pasted on {formats.full(timezone.now())}"

    def content(self) -> BinaryIO:
        file = self.cleaned_data["file"]
        return file if file else io.BytesIO(self.cleaned_data["pasted"].encode())


class UploadPage:
    """One request: GET shows the templates or the form, POST stores the table as a draft."""

    def __init__(self, model_admin: ConsoleModelAdmin, request: HttpRequest) -> None:
        self._admin: ConsoleModelAdmin = model_admin
        self._request = request
        self._asked_for = request.GET.get("template", "")
        self._language = request.GET.get("language", "")

    def answer(self) -> HttpResponse:
        if not self._asked_for:
            if not permissions.may(self._request, Role.SEND_MESSAGES):
                raise PermissionDenied
            return self._page(None, **choice.templates(self._request))
        version = self._version()
        if self._request.method != "POST":
            return self._page(version, form=UploadForm())
        form = UploadForm(self._request.POST, self._request.FILES)
        if form.is_valid():
            try:
                policy.check_channel(version.template.service, Channel(version.template.type))
                fixed_files.check_none(self._text(version))
                return HttpResponseRedirect(self._admin.url_of("columns", self._store(form, version)))
            except AlreadyShown:
                return self._admin.action_done(self._request, self._admin.list_url(), SENT_TWICE)
            except errors.NotificationError as error:
                form.add_error(None, error.message)
            except UnreadableTable as error:
                form.add_error("file" if form.cleaned_data["file"] else "pasted", str(error))
        return self._page(version, form=form, status=422)

    def example(self) -> HttpResponseBase:
        """Return a CSV file with the columns that the template needs."""
        lines = csv_line(self._needs(version := self._version())) + csv_line(self._example_row(version))
        return file_response("example.csv", [lines.encode("utf-8-sig")])

    def _version(self) -> TemplateVersion:
        version = choice.newest_version(self._request, self._asked_for)
        if not permissions.may_in(self._request, version.template.service_id, [Role.SEND_MESSAGES]):
            raise PermissionDenied
        if version.template.archived_at or not version.template.service.active:
            raise Http404
        return version

    def _store(self, form: UploadForm, version: TemplateVersion) -> BulkSend:
        """Store the table. Raises AlreadyShown, and Unreadable if a small file cannot be read.

        The file is hashed and read before the transaction, because that may take seconds.
        """
        template, service = version.template, version.template.service
        content = form.content()
        bulk_send = BulkSend(
            service=service,
            origin=MessageOrigin.CONSOLE,
            created_by=audit.author(self._request),
            key_type=KeyType.LIVE,
            name=form.name,
            channel=template.type,
            template=template,
            template_version=version.number,
            language=choice.language_of(self._text(version), version),
            service_name=service.name,
            prefix_sms=service.prefix_sms,
            state=BulkState.DRAFT,
            table_hash=_hash(content),
        )
        table = BulkTable(bulk_send=bulk_send, read_as="" if form.cleaned_data["file"] else ReadAs.PASTED)
        is_read = self._is_read_now(table, content)
        content.seek(0)
        with transaction.atomic():
            shown_once.spend(self._request)
            bulk_send.save()
            table.reading = None if is_read else uuid.uuid4()
            table.save()
            BulkTablePart.objects.store(table, content)
            self._admin.audit(self._request, "uploaded", bulk_send, after={"template": template.name})
            if table.reading:
                arguments = {"bulk_send": str(bulk_send.pk)}
                way_back = self._admin.url_of("columns", bulk_send)
                more = {"arguments": arguments, "total": 1, "way_back": way_back}
                drafts.start(self._request, reading.KIND, table.reading, is_small=False, **more)
        return bulk_send

    def _is_read_now(self, table: BulkTable, file: BinaryIO) -> bool:
        """Read a small file that takes a short time, and return whether it is read. Raises Unreadable."""
        file.seek(0)
        data = file.read(PART_BYTES + 1)
        if not reading.is_small(data):
            return False
        try:
            found = files.read([data], limits=files.IN_A_REQUEST, is_pasted=table.read_as == ReadAs.PASTED)
        except files.TableTookTooLong:
            return False
        reading.read(table, found)
        return True

    def _text(self, version: TemplateVersion) -> TemplateText:
        return choice.text_in(version, self._language)

    def _needs(self, version: TemplateVersion) -> list[str]:
        text = self._text(version)
        names = placeholders.find(text.subject, text.content)
        return mapping.needs(names, is_email=text.type is Channel.EMAIL)

    def _example_row(self, version: TemplateVersion) -> list[str]:
        return [_EXAMPLES.get(need) or f"({need})" for need in self._needs(version)]

    def _page(self, version: TemplateVersion | None, *, status: int = 200, **context: Any) -> HttpResponse:
        page = {
            **self._admin.page_context(self._request, self._admin.add_title()),
            "step": 1,
            **context,
        }
        if version is not None:
            page |= {
                "version": version,
                "template": version.template,
                "service": version.template.service,
                "language": choice.language_of(self._text(version), version),
                "languages": choice.languages(version, self._text(version), {"template": str(version.template_id)}),
                "needs": self._needs(version),
                "example_row": self._example_row(version),
                "nonce": self._request.POST.get(shown_once.FIELD) or shown_once.new_nonce(self._request),
                "nonce_field": shown_once.FIELD,
            }
        return TemplateResponse(self._request, "admin/notifications/bulk_upload.html", page, status=status)


def _hash(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while data := file.read(PART_BYTES):
        digest.update(data)
    return digest.hexdigest()
