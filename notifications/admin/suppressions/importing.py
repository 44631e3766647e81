"""Import suppressions from a CSV file or a spreadsheet. All rows are stored, or none."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from config import audit, formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.invalid import InvalidValue
from notifications.admin.suppressions.forms import ImportForm
from notifications.bulk_tables import files
from notifications.bulk_tables.tables import UnreadableTable
from notifications.models import Service, SuppressionSource
from notifications.submission.suppressions import listing, tables
from notifications.submission.suppressions.tables import CheckedTable

_ABOUT = (
    "Nothing more is sent to the recipients in the file, until you lift their suppressions. Recipients who are "
    "suppressed by hand already stay as they are. If a row has an error, nothing is imported."
)


def answer(model_admin: ConsoleModelAdmin, request: HttpRequest, services: QuerySet[Service]) -> HttpResponse:
    """Show the form, or import the file."""
    is_posted = request.method == "POST"
    form = ImportForm(*([request.POST, request.FILES] if is_posted else []), request=request, services=services)
    checked = CheckedTable()
    if is_posted and form.is_valid():
        try:
            chunks = form.cleaned_data["file"].chunks()
            checked = tables.check(files.read(chunks, limits=files.IN_A_REQUEST, expected=tables.RECIPIENTS).table)
        except (InvalidValue, UnreadableTable) as error:
            form.add_error("file", str(error))
        else:
            if not checked.with_errors:
                done = f"{formats.counted(_store(request, form, checked), 'recipient')} added."
                return model_admin.action_done(request, model_admin.list_url(), done)
            rows = formats.counted(checked.with_errors, "row")
            form.add_error("file", f"Nothing was imported: {rows} cannot be read. Correct the file and send it again.")
    context = {
        **model_admin.page_context(request, "Import suppressions"),
        "form": form,
        "explanation": [_ABOUT],
        "button": "Import file",
        "errors": checked.errors,
        "more": checked.with_errors - len(checked.errors),
    }
    return TemplateResponse(request, "admin/notifications/suppression_import.html", context)


def _store(request: HttpRequest, form: ImportForm, checked: CheckedTable) -> int:
    service, author = form.service, audit.author(request)
    rows = [
        listing.new(
            service,
            row.recipient,
            source=SuppressionSource.IMPORT,
            created_by=author,
            note=row.note,
            expires_at=row.expires_at,
        )
        for row in checked.rows
    ]
    return listing.add_many(service, rows, audit.person(request))
