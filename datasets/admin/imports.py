"""The pages that import a file into a data set. Source: docs/reference/imports.md; docs/reference/console.md §2.15."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse

from config import audit, formats
from config.console import cells
from config.console.admin import ShownOnceAdmin
from config.console.pages import file_response
from config.jobs import state
from config.page_bodies import takes_files
from datasets.admin import tabs
from datasets.admin.access import author
from datasets.admin.import_forms import (
    TYPES,
    ImportFileForm,
    ImportSettingsForm,
    columns_of,
    initial_of,
    patch_of,
)
from datasets.admin.record_list import OWN
from datasets.errors import DataSetError
from datasets.imports import details, shown, starting
from datasets.imports.files import ImportFileDamaged
from datasets.models import DataImport, DataSet, ImportState
from datasets.models.data_import import OVER, UNFINISHED, WORKING
from datasets.records import moments

Json = dict[str, Any]  # Any: JSON
_LISTED = 50
_PREVIEW_COLUMNS = 30
_TITLES = {
    ImportState.READING: "Reading the file",
    ImportState.NEEDS_ANSWERS: "Check the import",
    ImportState.RUNNING: "Importing",
    ImportState.PAUSED: "Paused",
    ImportState.FINISHED: "Import finished",
    ImportState.FAILED: "Import failed",
    ImportState.CANCELLED: "Import cancelled",
}
TONES = {
    ImportState.READING: "accent",
    ImportState.RUNNING: "accent",
    ImportState.NEEDS_ANSWERS: "warn",
    ImportState.PAUSED: "warn",
    ImportState.FINISHED: "good",
    ImportState.FAILED: "bad",
}


class ImportPages(ShownOnceAdmin):
    """The pages of the imports of one data set. An import is named by `id` in the query."""

    row_actions = {"imports": "imports_page", "import": "import_page", "rejected-rows": "rejected_rows"}

    @takes_files
    def imports_page(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show the form for a file and the imports of the last days. POST starts an import."""
        is_sent = request.method == "POST"
        sent = (request.POST, request.FILES) if is_sent else ()
        form = ImportFileForm(*sent, data_set=data_set)
        if is_sent and form.is_valid():
            try:
                run = self._start(request, data_set, form)
            except (DataSetError, ValidationError) as error:
                form.add_error(None, getattr(error, "message", str(error)))
            else:
                return HttpResponseRedirect(self._import_url(run))
        rows = [
            {"run": run, "url": self._import_url(run), "tone": TONES.get(ImportState(run.state), "")}
            for run in data_set.imports.order_by("-started_at", "-pk")[:_LISTED]
        ]
        return self._import_tab(request, data_set, "imports", "Import", form=form, rows=rows)

    def import_page(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show one import. POST answers its questions, starts, pauses, resumes or cancels it."""
        run = _import_of(request, data_set)
        form = ImportSettingsForm(request.POST if request.method == "POST" else None, initial=initial_of(run))
        if request.method == "POST":
            try:
                self._do(request, run, form)
            except DataSetError as error:
                messages.error(request, str(error))
            return HttpResponseRedirect(self._import_url(run))
        found = details.of(run)
        context = {
            "run": run,
            "form": ImportSettingsForm(initial=initial_of(run)),
            "title_of_state": _TITLES[ImportState(run.state)],
            "tone": TONES.get(ImportState(run.state), ""),
            "questions": found.questions if run.state == ImportState.NEEDS_ANSWERS else [],
            "preview": _preview(found.preview),
            "errors": found.errors,
            "columns": columns_of(run) if run.state == ImportState.NEEDS_ANSWERS else [],
            "types": TYPES.items(),
            "works": run.state in WORKING,
            "is_unfinished": run.state in UNFINISHED,
            "is_over": run.state in OVER,
            "percent": round(run.progress * 100),
            "rows_in_words": formats.counted(run.total, "row"),
            "outcome": _outcome(run),
            "missing": state.missing_processes() if run.state in WORKING else [],
            "imports_url": self.url_of("imports", data_set),
            "rejected_url": f"{self.url_of('rejected-rows', data_set)}?id={run.pk}",
            "records_url": self.url_of("records", data_set),
        }
        return self._import_tab(request, data_set, "import", run.file_name or "Import", **context)

    def rejected_rows(self, request: HttpRequest, data_set: DataSet) -> HttpResponse | StreamingHttpResponse:
        """Download the rejected rows and record it in the audit."""
        run = _import_of(request, data_set)
        content = shown.rejected_csv(run)
        try:
            first = next(content)
        except ImportFileDamaged as error:
            raise Http404 from error
        self.audit(request, "downloaded_rejected_rows", data_set, after={"import": str(run.pk)})
        return file_response(f"rejected-{run.pk}.csv", _from(first, content))

    def _start(self, request: HttpRequest, data_set: DataSet, form: ImportFileForm) -> DataImport:
        sent = form.cleaned_data["file"]
        saved = form.cleaned_data.get("saved")
        given = starting.checked(data_set, starting.saved(data_set, saved) if saved else {})
        starting.check_room(data_set)
        work = Path(settings.IMPORT_WORK_DIR)
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(dir=work, prefix="received-") as folder:
            path = Path(folder) / "file"
            with path.open("wb") as target:
                shutil.copyfileobj(sent.file, target)
            return starting.start(
                data_set, path, given, by=audit.person(request), name=sent.name, waits=True, person=author(request)
            )

    def _do(self, request: HttpRequest, run: DataImport, form: ImportSettingsForm) -> None:
        step = request.POST.get("step", "")
        if step in {"answer", "import", "dry_run"} and request.POST.get("seen") != run.changed_at.isoformat():
            messages.error(request, "The import has changed since this page was shown. Check it again.")
        elif step == "answer":
            if not form.is_valid():
                messages.error(request, "Check the settings of the file.")
            elif patch := patch_of(run, request, form):
                starting.change_settings(run, patch)
                messages.success(request, "Your changes are saved.")
            else:
                messages.info(request, "You have changed nothing.")
        elif step == "import":
            starting.confirm(run, is_dry_run=False)
        elif step == "dry_run":
            starting.confirm(run, is_dry_run=True)
        elif step in _STEPS:
            _STEPS[step](run)

    def _import_url(self, run: DataImport) -> str:
        return f"{self.url_of('import', run.data_set)}?id={run.pk}"

    def _import_tab(
        self, request: HttpRequest, data_set: DataSet, page: str, title: str, **context: Any
    ) -> HttpResponse:
        shared = {
            **self.page_context(request, f"{data_set}: {title}", data_set),
            "data_set": data_set,
            "tabs": tabs.of(data_set, "imports"),
        }
        return TemplateResponse(request, f"admin/datasets/data_set/{page}.html", {**shared, **context})


_STEPS = {"pause": starting.pause, "resume": starting.resume, "cancel": starting.cancel}


def _import_of(request: HttpRequest, data_set: DataSet) -> DataImport:
    """Return the import that the query names, of this data set only. Raises Http404."""
    try:
        found: DataImport | None = data_set.imports.filter(pk=request.GET.get("id", "")).first()
    except ValidationError as error:
        raise Http404 from error
    if found is None:
        raise Http404
    found.data_set = data_set
    return found


def _outcome(run: DataImport) -> str:
    """Return the result of the rows, such as "2 new records and 1 rejected row"."""
    parts = (
        (run.new, "new record", ""),
        (run.replaced, "replaced record", ""),
        (run.rejected, "rejected row", ""),
        (run.left_out, "row left out", "rows left out"),
    )
    return formats.listed([formats.counted(*part) for part in parts if part[0]] or ["no records"], "and")


def _preview(rows: list[Json]) -> Json:
    """Return the first rows as a table: the names of fields, and the cells or the reason of each row."""
    found = dict.fromkeys(name for row in rows for name in row.get("record", {}) if name != "_id")
    names = [*list(found)[: _PREVIEW_COLUMNS - 1], *(["_id"] if found else [])]
    own = [
        {
            "row": row["row"],
            "cells": [_cell(row["record"], name) for name in names] if "record" in row else [],
            "reason": f"{row['column']}: {row['reason']}" if row.get("column") else row.get("reason", ""),
        }
        for row in rows
    ]
    return {"names": [OWN.get(name, name) for name in names], "rows": own}


def _cell(record: Json, name: str) -> str:
    if name not in record:
        return ""
    value = record[name]
    if name == "_timestamp":
        return cells.moment(moments.parse(value))
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _from(first: str, rest: Any) -> Any:  # Any: an iterator of texts
    yield first
    yield from rest
