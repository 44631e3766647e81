"""The pages of rejected records: the list, the download, and the form that tries one again.

Source: docs/reference/console.md §2.15.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse

from config import formats
from config.audit import reads
from config.console.admin import many_rows
from config.console.pages import file_response
from config.console.theme import Textarea
from config.databases.streaming import streamed
from config.encryption import DecryptionFailed
from datasets import store
from datasets.admin.data_set_pages import DataSetPages
from datasets.admin.record_forms import MAX_IN_FORM, parse_record
from datasets.admin.retrying import KIND
from datasets.models import DataSet, RejectedRecord
from datasets.records import ParsedRecord, moments
from datasets.records.keeping import RejectedElement

_PAGE = 50
_SHOWN = 120  # characters of a record in the list
_UNREADABLE = RejectedElement(0, [(None, "cannot be decrypted with the current keys")], "")
_GONE = "This rejected record is no longer kept."
_NONE = "There are no rejected records."
_NDJSON = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRejection:
    """One rejected record in the list."""

    row: RejectedRecord
    field: str
    reason: str
    more: int
    text: str


class TryAgainForm(forms.Form):
    """The corrected record. `record` is the valid one."""

    value = forms.CharField(
        label="The record as JSON",
        max_length=MAX_IN_FORM,
        widget=Textarea(attrs={"rows": 16, "spellcheck": "false", "autocomplete": "off", "class": "ds-json"}),
        help_text="Correct it here. A stored record with the same _id is replaced.",
    )

    def __init__(self, *args: Any, data_set: DataSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data_set = data_set
        self.record: ParsedRecord | None = None

    def clean_value(self) -> str:
        text: str = self.cleaned_data["value"]
        self.record = parse_record(text, self.data_set, None, fits=store.schemas.fit_of(self.data_set))
        return text


class RejectedPages(DataSetPages):
    """The tab of rejected records."""

    row_actions = {
        "rejected": "rejected",
        "rejected-record": "rejected_record",
        "rejected-retry": "rejected_retry",
        "rejected-download": "rejected_download",
        "rejected-delete": "rejected_delete",
    }
    protected_actions = frozenset({"rejected-download"})

    def rejected(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        waiting = RejectedRecord.objects.waiting(data_set.pk)
        total = waiting.count()
        rows = list(_after(waiting, request.GET.get("after", ""))[: _PAGE + 1])
        return self.tab(
            request,
            data_set,
            "rejected",
            rows=[_listed(row) for row in rows[:_PAGE]],
            after=rows[_PAGE - 1].pk if len(rows) > _PAGE else "",
            total=formats.counted(total, "rejected record"),
        )

    def rejected_record(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show one rejected record with its reasons, and store it once it is corrected."""
        title = "Try again"
        row = _row(data_set, request.GET.get("id", ""))
        if row is None:
            return self.error_page(request, data_set, title, _GONE)
        element = _element(row)
        reads.note(request, reads.RECORD, row.pk, data_set_id=data_set.pk)
        reasons = [f"{field or 'The record'} {message}." for field, message in element.reasons]
        if not element.text:
            reasons.append("The record itself is not kept, because it is too long. Send it again.")
            return self.error_page(request, data_set, title, " ".join(reasons))
        form = TryAgainForm(request.POST if request.method == "POST" else None, data_set=data_set)
        form.initial = {"value": _pretty(element.text)}
        if form.is_valid() and form.record is not None:
            if not store.partly.retry(data_set, {row.pk: form.record}):
                return self.error_page(request, data_set, title, _GONE)
            self.audit(request, "retried_record", data_set, after={"record": str(row.pk)})
            return self.action_done(request, self.url_of("rejected", data_set), "The record is stored.")
        return self.action_page(
            request,
            data_set,
            title,
            "Try again",
            [f"Sent {formats.on(row.at)}, number {row.index} of its request.", *reasons],
            form=form,
            failed="The record was not stored.",
            template="admin/datasets/record_action.html",
            row_url=self.url_of("rejected", data_set),
        )

    def rejected_download(self, request: HttpRequest, data_set: DataSet) -> HttpResponse | StreamingHttpResponse:
        """Send all rejected records as NDJSON, with their reasons."""
        number = RejectedRecord.objects.waiting(data_set.pk).count()
        if request.method != "POST":
            return self.action_page(
                request,
                data_set,
                "Download rejected records",
                f"Download {formats.counted(number, 'rejected record')}",
                ["The file has one JSON object on each line: the reasons, and the record as it was sent."],
                error="" if number else _NONE,
                row_url=self.url_of("rejected", data_set),
            )
        self.audit(request, "downloaded_rejected_records", data_set, after={"records": number})
        return file_response(f"{data_set.name}_rejected.ndjson", _lines(data_set.pk), content_type=_NDJSON)

    def rejected_retry(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Store all rejected records that are valid now."""
        waiting = RejectedRecord.objects.waiting(data_set.pk).order_by("at", "index")
        pks = [str(pk) for pk in waiting.values_list("pk", flat=True)]
        way_back = self.url_of("rejected", data_set)
        if request.method == "POST":
            arguments = {"data_set": data_set.pk, "name": str(data_set)}
            self.audit(request, "retried_rejected_records", data_set, after={"records": len(pks)})
            return many_rows.take(request, KIND, pks, way_back=way_back, arguments=arguments)
        return self.action_page(
            request,
            data_set,
            "Try rejected records again",
            f"Try {formats.counted(len(pks), 'rejected record')} again",
            [
                "This stores the rejected records that are valid now, such as after a change of the schema.",
                "The others stay rejected. A stored record with the same _id is replaced.",
            ],
            error="" if pks else _NONE,
            row_url=way_back,
            job_id=uuid.uuid4(),
        )

    def rejected_delete(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        waiting = RejectedRecord.objects.waiting(data_set.pk)
        number = waiting.count()
        records = formats.counted(number, "rejected record")
        if request.method == "POST":
            waiting.order_by().delete()
            self.audit(request, "deleted_rejected_records", data_set, before={"records": records})
            messages.success(request, f"{records} of {data_set} deleted.")
            return HttpResponseRedirect(self.url_of("rejected", data_set))
        return self.action_page(
            request,
            data_set,
            "Delete rejected records",
            f"Delete {records}",
            [f"This deletes {records} of {data_set}. Stored records stay. It cannot be undone."],
            error="" if number else _NONE,
            is_destructive=True,
            row_url=self.url_of("rejected", data_set),
        )


def _row(data_set: DataSet, pk: str) -> RejectedRecord | None:
    try:
        return RejectedRecord.objects.waiting(data_set.pk).filter(pk=uuid.UUID(pk)).first()
    except ValueError:
        return None


def _after(waiting: QuerySet[RejectedRecord], pk: str) -> QuerySet[RejectedRecord]:
    """Return the rows that follow one of them."""
    try:
        last = waiting.filter(pk=uuid.UUID(pk)).first()
    except ValueError:
        return waiting
    if last is None:
        return waiting
    return waiting.filter(Q(at__lt=last.at) | Q(at=last.at, index__gt=last.index))


def _element(row: RejectedRecord) -> RejectedElement:
    try:
        return row.element()
    except DecryptionFailed:
        return _UNREADABLE


def _listed(row: RejectedRecord) -> ListedRejection:
    element = _element(row)
    field, reason = element.reasons[0]
    more = len(element.reasons) - 1
    return ListedRejection(row=row, field=field or "", reason=reason, more=more, text=element.text[:_SHOWN])


def _pretty(text: str) -> str:
    """Return the record with line breaks, or as it was sent if it holds what JSON cannot repeat."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2, allow_nan=False)
    except ValueError:
        return text


def _lines(data_set_id: int) -> Iterator[str]:
    for row in streamed(RejectedRecord.objects.waiting(data_set_id), chunk_size=50):
        element = _element(row)
        reasons = [{"field": field, "message": message} for field, message in element.reasons]
        head = json.dumps(
            {"at": moments.write(row.at), "index": row.index, "errors": reasons}, ensure_ascii=False
        ).removesuffix("}")
        record = element.text.replace("\n", " ").replace("\r", " ") or "null"  # line ends are only between values
        yield f'{head}, "record": {record}}}\n'
