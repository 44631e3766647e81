"""The tab of the schema: its mode, its text, and how new records differ from it.

Source: docs/reference/console.md §2.15.
"""

import json
from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config import audit
from config.console.theme import RadioSelect, Textarea
from config.invalid import InvalidValue
from config.rest import strict_json
from config.rest.strict_json import UnreadableJSON
from datasets.admin.data_set_pages import DataSetPages
from datasets.models import DataSet, FieldDrift
from datasets.records.schemas.documents import MAX_SCHEMA_BYTES, Schema, parse_schema
from datasets.store import fields_seen, schemas

_DAYS = 30
_LISTED = 200
_MODES = (
    ("off", "Do not check records"),
    ("warn", "Store records that do not fit, and count them"),
    ("enforce", "Refuse records that do not fit"),
)


class SchemaForm(forms.Form):
    """The mode, and the schema as JSON; an empty text means the learned schema."""

    mode = forms.ChoiceField(label="New records", choices=_MODES, widget=RadioSelect)
    text = forms.CharField(
        label="Schema (JSON Schema 2020-12)",
        required=False,
        max_length=MAX_SCHEMA_BYTES,
        widget=Textarea(attrs={"rows": 20, "spellcheck": "false", "autocomplete": "off", "class": "ds-json"}),
        help_text="Leave empty to use the learned schema. It is then kept as it is now, until you change it.",
    )

    def clean_text(self) -> Schema | None:
        text: str = self.cleaned_data["text"].strip()
        if not text:
            return None
        try:
            return parse_schema(strict_json.loads(text.encode(), skip_mark=True, storable=True))
        except UnicodeEncodeError:
            raise forms.ValidationError("Enter text without lone surrogates.") from None
        except UnreadableJSON as error:
            place = f" at {error.place}" if error.place else ""
            raise forms.ValidationError(f"Enter valid JSON. There is an error{place}.") from error
        except InvalidValue as error:
            raise forms.ValidationError(str(error)) from error


class SchemaPages(DataSetPages):
    """The tab of the schema."""

    row_actions = {"schema": "schema"}

    def schema(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        fields_seen.refresh(data_set)
        row = schemas.current(data_set)
        form = SchemaForm(request.POST if request.method == "POST" else None)
        form.initial = {"mode": data_set.schema_mode, "text": _pretty(row.given)}
        if form.is_valid():
            given, mode = form.cleaned_data["text"], form.cleaned_data["mode"]
            try:
                schemas.set_schema(data_set, given, mode, by=audit.person(request))
            except InvalidValue as error:
                form.add_error("text", str(error))
            else:
                return self.action_done(request, self.url_of("schema", data_set), "The schema is saved.")
        context: dict[str, Any] = {"form": form, "learned": _pretty(row.learned), "learned_at": row.learned_at}
        return self.tab(request, data_set, "schema", **context, **_drift(data_set))


def _drift(data_set: DataSet) -> dict[str, Any]:
    """Return the differences of the last days, newest first."""
    since = timezone.now().date() - timedelta(days=_DAYS)
    return {"drifts": FieldDrift.objects.filter(data_set=data_set, day__gt=since)[:_LISTED], "drift_days": _DAYS}


def _pretty(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2) if text else ""
