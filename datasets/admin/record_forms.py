"""The forms that change, delete and restore one record. They are opened by POST, because an `_id` may be personal."""

import json
from typing import Any

from django import forms

from config.console.checking import validator
from config.console.theme import Textarea, TextInput
from config.rest.strict_json import UnreadableJSON
from datasets import records
from datasets.errors import MAX_REASON, DataSetError, RecordsRejected
from datasets.models import DataSet, RecordValue
from datasets.records import ParsedRecord, elements
from datasets.records.schemas.fitting import SchemaFit
from datasets.store import schemas
from datasets.validation import parse_reason

MAX_IN_FORM = 100_000  # characters of a record; longer ones are changed by API


class RecordReasonForm(forms.Form):
    """place: of the record, as the list of records has it; step: `save` if the form was filled in"""

    open = forms.CharField(widget=forms.HiddenInput)
    step = forms.CharField(initial="save", widget=forms.HiddenInput)
    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        validators=[validator(parse_reason)],
        widget=TextInput(attrs={"autocomplete": "off"}),
        help_text="It stays in the audit, so do not enter personal data.",
    )


class RestoreForm(RecordReasonForm):
    """kept: the id of the earlier value"""

    kept = forms.UUIDField(widget=forms.HiddenInput)


class ChangeRecordForm(RecordReasonForm):
    """The whole record as JSON. tag: the entity tag of the record when the form was opened"""

    tag = forms.CharField(widget=forms.HiddenInput(attrs={"data-start": ""}))
    value = forms.CharField(
        label="The record as JSON",
        max_length=MAX_IN_FORM,
        widget=Textarea(attrs={"rows": 16, "spellcheck": "false", "autocomplete": "off", "class": "ds-json"}),
        help_text="It replaces the whole record. Fields that you leave out are removed.",
    )
    field_order = ("open", "step", "tag", "value", "reason")

    def __init__(self, *args: Any, data_set: DataSet, record_id: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data_set, self.record_id = data_set, record_id
        self.record: ParsedRecord | None = None

    def clean_value(self) -> str:
        text: str = self.cleaned_data["value"]
        self.record = parse_record(text, self.data_set, self.record_id, fits=schemas.fit_of(self.data_set))
        return text


def parse_record(text: str, data_set: DataSet, record_id: str | None, *, fits: SchemaFit | None) -> ParsedRecord:
    """Return the record of a text field. Raises ValidationError.

    record_id: of the record that it replaces, or None for a new record; fits: the rule of the schema, if one is checked
    """
    try:
        value = elements.parse(text.encode())
        rule = data_set.auto_ids or ()
        if record_id is not None:
            return records.check_one(value, record_id=record_id, auto_ids=rule, fits=fits)
        [record] = records.check([value], auto_ids=rule, fits=fits)
        return record
    except UnicodeEncodeError:
        raise forms.ValidationError("Enter text without lone surrogates.") from None
    except UnreadableJSON as error:
        place = f" at {error.place}" if error.place else ""
        raise forms.ValidationError(f"Enter valid JSON. There is an error{place}.") from error
    except RecordsRejected as error:
        raise forms.ValidationError(
            [f"{one.field or 'The record'} {one.message}." for one in error.rejections]
        ) from error
    except DataSetError as error:
        raise forms.ValidationError(str(error)) from error


def as_json(value: RecordValue) -> str:
    return json.dumps(value.fields(), ensure_ascii=False, indent=2)
