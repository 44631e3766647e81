"""The forms of imports: choose a file, and the settings that a person changes on the page of an import."""

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest

from config.console.theme import Select, TextInput
from config.web.body_limits import MIB, PAGE_WITH_FILES_BYTES
from datasets.imports import details
from datasets.imports.reading import settings as import_settings
from datasets.models import DataImport, DataSet, SavedImportSettings

Json = dict[str, Any]  # Any: JSON
TYPES = {
    "text": "Text",
    "integer": "Whole number",
    "number": "Number",
    "boolean": "Yes or no",
    "date": "Date",
    "time": "Date and time",
    "json": "JSON",
}
EMPTY = {"absent": "No field", "null": "null", "text": "Empty text"}
_MEBIBYTES = min(PAGE_WITH_FILES_BYTES, settings.IMPORT_MAX_BYTES) // MIB
_OF_FILE = ("decimal", "thousands", "zone", "empty")
_SHOWN_COLUMNS = 200


class ImportFileForm(forms.Form):
    """Choose a file and saved settings."""

    file = forms.FileField(
        label="File",
        help_text=f"CSV, .xlsx, .ods, NDJSON, JSON or Parquet, at most {_MEBIBYTES} MB. Import a larger file by API.",
    )
    saved = forms.ChoiceField(
        label="Saved settings",
        required=False,
        widget=Select,
        help_text="Saved with an earlier file.",
    )

    def __init__(self, *args: Any, data_set: DataSet, **options: Any) -> None:
        super().__init__(*args, **options)
        names = SavedImportSettings.objects.filter(data_set=data_set).values_list("name", flat=True)
        own: Any = self.fields["saved"]
        own.choices = [("", "None"), *((name, name) for name in names)]
        if not names:
            del self.fields["saved"]


class ImportSettingsForm(forms.Form):
    """Settings of the whole file."""

    decimal = forms.CharField(
        label="Decimal mark", required=False, max_length=1, widget=TextInput, help_text="Such as . or ,"
    )
    thousands = forms.CharField(
        label="Thousands mark", required=False, max_length=1, strip=False, widget=TextInput, help_text="Empty for none."
    )
    zone = forms.CharField(
        label="Time zone", required=False, max_length=60, widget=TextInput, help_text="Such as Europe/Berlin."
    )
    empty = forms.ChoiceField(label="Blank cells are", required=False, widget=Select, choices=EMPTY.items())
    save_as = forms.CharField(
        label="Save these settings as",
        required=False,
        max_length=60,
        widget=TextInput,
        help_text="For the next file of this data set.",
    )


def columns_of(run: DataImport) -> list[Json]:
    """Return the columns of the file for the page, in its order, with their settings.

    PostgreSQL does not keep the order of the settings.
    """
    names = {name: place for place, name in enumerate(details.of(run).names)}

    def place_of(key: str) -> int:
        return int(key[1:]) - 1 if key[:1] == "#" and key[1:].isdecimal() else names.get(key, len(names))

    found = []
    columns = run.settings.get("columns", {})
    for place, key in enumerate(sorted(columns, key=place_of)[:_SHOWN_COLUMNS]):
        own = columns[key]
        leaves_out = bool(own.get("leave_out"))
        found.append({**own, "place": place, "key": key, "to": own.get("to", ""), "leave_out": leaves_out})
    return found


def patch_of(run: DataImport, request: HttpRequest, form: ImportSettingsForm) -> Json:
    """Return what a person has answered and changed, as a merge patch of the settings."""
    patch: Json = {}
    for place, question in enumerate(details.of(run).questions):
        chosen = request.POST.get(f"question-{place}", "")
        if chosen.isascii() and chosen.isdigit() and int(chosen) < len(question["choices"]):
            patch = _joined(patch, question["choices"][int(chosen)]["settings"])
    for column in columns_of(run):
        if f"to-{column['place']}" in request.POST and (changed := _changed(column, request)):
            patch = _joined(patch, {"columns": {column["key"]: changed}})
    for name in _OF_FILE:
        value = form.cleaned_data.get(name)
        if name in form.fields and value != run.settings.get(name, "") and (value or name == "thousands"):
            patch[name] = value
    if name := form.cleaned_data["save_as"].strip():
        patch["save_as"] = name
    return patch


def _changed(column: Json, request: HttpRequest) -> Json:
    place = column["place"]
    leaves_out = f"leave-{place}" in request.POST
    if leaves_out or column["leave_out"]:
        return {"leave_out": leaves_out} if leaves_out != column["leave_out"] else {}
    changed = {}
    for name in ("to", "type", "form"):
        value = request.POST.get(f"{name}-{place}", "").strip()
        if value != (column.get(name) or "") and (value or name == "form"):
            changed[name] = value or None
    if changed.get("type") not in {None, "date", "time"} and "form" not in changed and column.get("form"):
        changed["form"] = None
    return changed


def _joined(patch: Json, more: Json) -> Json:
    """Return both patches as one. Nulls stay, because they remove settings."""
    result = dict(patch)
    for name, value in more.items():
        own = result.get(name)
        result[name] = _joined(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return result


def initial_of(run: DataImport) -> Json:
    given = import_settings.merged(run.settings, {})
    return {name: given.get(name, "") for name in (*_OF_FILE, "save_as")}
