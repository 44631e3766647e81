"""The pages of one record: its value, its earlier values, and the forms that change, delete and restore it.

Source: docs/reference/console.md §2.15.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from config import audit
from config.audit import reads
from config.console.admin import ShownOnceAdmin
from config.encryption import DecryptionFailed
from datasets.admin import records, tabs
from datasets.admin.access import reader_of
from datasets.admin.record_forms import MAX_IN_FORM, ChangeRecordForm, RecordReasonForm, RestoreForm, as_json
from datasets.errors import DataSetError, NoSuchRecord, RecordHasChanged
from datasets.models import DataSet, KeptValue, RecordValue
from datasets.store import one_record
from datasets.store.one_record import RecordEdit

_LISTED = 100
_GONE = "This record no longer exists."
_CHANGED = "Somebody has changed this record since you opened it. Open the record again to see the new value."


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierValue:
    """A kept value as the pages show it. text: "" if FIELD_KEYS cannot decrypt it"""

    kept: KeptValue
    place: str
    record_id: str
    text: str


class RecordPages(ShownOnceAdmin):
    """The pages of single records. The record comes in a POST, because its id may be personal data."""

    row_actions = {
        "record": "record",
        "record-change": "record_change",
        "record-delete": "record_delete",
        "record-restore": "record_restore",
        "kept-values": "kept_values",
    }

    def record(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show one record and its earlier values."""
        place = request.POST.get("open", "")
        record_id = records.id_at(data_set, place)
        reader = reader_of(request, data_set)
        found = records.one(data_set, record_id, reader) if record_id is not None else None
        has_earlier = record_id is not None and not data_set.is_of_product
        earlier = (
            [] if not has_earlier else _earlier(data_set, KeptValue.objects.of_record(data_set.pk, record_id or ""))
        )
        if found or earlier:
            opened = reads.id_of_record(data_set.pk, record_id or "")
            reads.note(request, reads.RECORD, opened, data_set_id=data_set.pk)
        context = {
            **self.page_context(request, f"{data_set}: record", data_set),
            "tabs": tabs.of(data_set, "records"),
            "found": found,
            "place": place,
            "earlier": earlier,
            "fits_form": found is not None and len(found.text) <= MAX_IN_FORM,
            "records_url": self.url_of("records", data_set),
        }
        status = 200 if found or earlier else 404
        return TemplateResponse(request, "admin/datasets/data_set/record.html", context, status=status)

    def kept_values(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """List what was changed and deleted in the last 7 days."""
        found = KeptValue.objects.restorable(data_set.pk)
        earlier = _earlier(data_set, found[: _LISTED + 1])
        context = {
            **self.page_context(request, f"{data_set}: changed and deleted records", data_set),
            "tabs": tabs.of(data_set, "records"),
            "earlier": earlier[:_LISTED],
            "has_more": len(earlier) > _LISTED,
            "records_url": self.url_of("records", data_set),
        }
        return TemplateResponse(request, "admin/datasets/data_set/kept_values.html", context)

    def record_change(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        record_id = records.id_at(data_set, request.POST.get("open", ""))
        if record_id is None:
            return HttpResponseRedirect(self.url_of("records", data_set))
        if _is_sent(request):
            form = ChangeRecordForm(request.POST, data_set=data_set, record_id=record_id)
            if form.is_valid() and form.record is not None:
                tag = form.cleaned_data["tag"]
                edit = RecordEdit(by=audit.person(request), reason=form.cleaned_data["reason"], may_change=tag.__eq__)
                try:
                    one_record.change(data_set, record_id, form.record, edit)
                except DataSetError as error:
                    form.add_error(None, _CHANGED if isinstance(error, RecordHasChanged) else str(error))
                else:
                    return self._done(request, data_set, "changed")
        else:
            try:
                record = one_record.find(data_set, record_id)
            except NoSuchRecord:
                return self._gone(request, data_set)
            initial = {"open": request.POST["open"], "tag": one_record.tag_of(record)}
            initial["value"] = as_json(RecordValue.of(record))
            form = ChangeRecordForm(initial=initial, data_set=data_set, record_id=record_id)
        return self._action(request, data_set, "Change record", form, button="Change record")

    def record_delete(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        record_id = records.id_at(data_set, request.POST.get("open", ""))
        if record_id is None:
            return HttpResponseRedirect(self.url_of("records", data_set))
        form = RecordReasonForm(request.POST) if _is_sent(request) else RecordReasonForm(initial=request.POST.dict())
        if form.is_valid():
            edit = RecordEdit(by=audit.person(request), reason=form.cleaned_data["reason"])
            try:
                one_record.delete(data_set, record_id, edit)
            except NoSuchRecord:
                return self._gone(request, data_set)
            return self._done(request, data_set, "deleted")
        explanation = [f"This deletes the record {record_id} of {data_set}. You can restore it for 7 days."]
        return self._action(
            request,
            data_set,
            "Delete record",
            form,
            button="Delete record",
            explanation=explanation,
            is_destructive=True,
        )

    def record_restore(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        form = RestoreForm(request.POST) if _is_sent(request) else RestoreForm(initial=request.POST.dict())
        kept = _kept(data_set, request.POST.get("kept", ""))
        if kept is None or not kept.text:
            return self.error_page(request, data_set, "Restore record", "This value is no longer kept.")
        if form.is_valid():
            edit = RecordEdit(by=audit.person(request), reason=form.cleaned_data["reason"])
            one_record.restore(data_set, kept.kept, edit)
            return self._done(request, data_set, "restored")
        explanation = [
            f"The record {kept.record_id} of {data_set} gets this value again.",
            "The value that it replaces is kept for 7 days.",
        ]
        return self._action(
            request,
            data_set,
            "Restore record",
            form,
            button="Restore record",
            explanation=explanation,
            shown_text=kept.text,
        )

    def _action(self, request: HttpRequest, data_set: DataSet, title: str, form: Any, **context: Any) -> HttpResponse:
        return self.action_page(
            request,
            data_set,
            title=title,
            form=form,
            failed="Nothing has changed.",
            template="admin/datasets/record_action.html",
            row_url=self.url_of("records", data_set),
            **context,
        )

    def _done(self, request: HttpRequest, data_set: DataSet, verb: str) -> HttpResponse:
        kept = (
            "" if verb == "restored" else " The earlier value is kept for 7 days under “Changed and deleted records”."
        )
        return self.action_done(request, self.url_of("records", data_set), f"The record is {verb}.{kept}")

    def _gone(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        messages.error(request, _GONE)
        return HttpResponseRedirect(self.url_of("records", data_set))


def _is_sent(request: HttpRequest) -> bool:
    return request.POST.get("step") == "save"


def _kept(data_set: DataSet, pk: str) -> EarlierValue | None:
    try:
        found = KeptValue.objects.restorable(data_set.pk).filter(pk=pk)
        return next(iter(_earlier(data_set, found)), None)
    except ValidationError:  # no UUID
        return None


def _earlier(data_set: DataSet, found: Any) -> list[EarlierValue]:
    return [_shown(data_set, kept) for kept in found]


def _shown(data_set: DataSet, kept: KeptValue) -> EarlierValue:
    try:
        value = kept.value()
    except DecryptionFailed:
        return EarlierValue(kept=kept, place="", record_id="", text="")
    place = records.place(data_set, value.record_id)
    return EarlierValue(kept=kept, place=place, record_id=value.record_id, text=as_json(value))
