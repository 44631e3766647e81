"""The page that deletes records by a condition, and the background job that does it.

Source: docs/reference/console.md §2.15.
"""

import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse

from config import formats
from config.console.admin import many_rows
from config.console.checking import validator
from config.console.theme import Textarea, TextInput
from config.databases import statements
from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from datasets.admin.access import data_sets_of_user
from datasets.admin.data_set_pages import DataSetPages
from datasets.errors import MAX_REASON, InvalidQuery
from datasets.models import DataSet
from datasets.queries import filters, parameters, time_limit
from datasets.queries.readers import ALL
from datasets.queries.where.conditions import MAX_CHARACTERS
from datasets.store import matching
from datasets.validation import parse_reason

KIND = "delete-records"
_BOUNDS = parameters.Bounds(default_limit=1, max_limit=1)
_COUNTED = 1_000_000  # matching records; the page states "more than" beyond
_SCAN_SECONDS = 300
_FEWEST = 500  # records in a batch, because each searches the data set from the last `_id` on


class DeletingForm(forms.Form):
    """The condition and the reason. step: `save` once the number of records was shown"""

    where = forms.CharField(
        label="Condition",
        max_length=MAX_CHARACTERS,
        widget=Textarea(attrs={"rows": 3, "spellcheck": "false", "autocomplete": "off", "class": "ds-json"}),
        help_text='Such as channel = "fax" and count > 5. It is the parameter where of the API.',
    )
    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        validators=[validator(parse_reason)],
        widget=TextInput(attrs={"autocomplete": "off"}),
        help_text="It stays in the audit, so do not enter personal data.",
    )

    def clean_where(self) -> str:
        where: str = self.cleaned_data["where"]
        try:
            _matching(where)
        except InvalidQuery as error:
            raise forms.ValidationError(str(error)) from error
        return where


class ConfirmedForm(DeletingForm):
    """The same, confirmed with the name of the data set. wanted: this name"""

    name = forms.CharField(widget=TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted
        self.fields["name"].label = f"Enter {wanted} to confirm"
        for name in ("where", "reason"):
            self.fields[name].widget = forms.HiddenInput()

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.wanted:
            raise forms.ValidationError(f"Enter {self.wanted} to confirm. Nothing has changed.")
        return self.wanted


class DeletingPages(DataSetPages):
    """The page that deletes records by a condition."""

    row_actions = {"delete-where": "delete_where"}
    protected_actions = frozenset({"delete-where"})

    def delete_where(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Ask for a condition, then show how many records match, then start the job."""
        form = DeletingForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self._page(request, data_set, form, button="Count records", explanation=_EXPLANATION)
        where, reason = form.cleaned_data["where"], form.cleaned_data["reason"]
        number = self._counted(data_set, form, where)
        if number is None:
            return self._page(request, data_set, form, button="Count records", explanation=_EXPLANATION)
        if number == 0:
            form.add_error("where", "No record matches this condition.")
            return self._page(request, data_set, form, button="Count records", explanation=_EXPLANATION)
        confirmed = ConfirmedForm(request.POST if "name" in request.POST else None, wanted=str(data_set))
        if confirmed.is_valid():
            arguments = {"name": str(data_set), "where": where, "reason": reason, "after": ""}
            way_back = self.url_of("records", data_set)
            job = many_rows.new_job(
                request, KIND, rows=[str(data_set.pk)], total=number, arguments=arguments, way_back=way_back
            )
            return many_rows.in_background(request, job)
        confirmed.initial = {"where": where, "reason": reason}
        records = formats.counted(number, "record")
        shown = f"more than {records}" if number > _COUNTED else records
        return self._page(
            request,
            data_set,
            confirmed,
            button=f"Delete {shown}",
            explanation=[f"This deletes {shown} of {data_set}. They cannot be restored."],
            shown_text=where,
            is_destructive=True,
            job_id=uuid.uuid4(),
        )

    def _counted(self, data_set: DataSet, form: DeletingForm, where: str) -> int | None:
        """Return how many records match, or None with an error of the form if the search takes too long."""
        try:
            with time_limit.limited():
                return len(matching.ids_of(data_set, _matching(where), _COUNTED + 1))
        except InvalidQuery as error:
            form.add_error("where", str(error))
            return None

    def _page(self, request: HttpRequest, data_set: DataSet, form: forms.Form, **context: Any) -> HttpResponse:
        return self.action_page(
            request,
            data_set,
            title=f"Delete records of {data_set}",
            form=form,
            failed="Nothing was deleted.",
            template="admin/datasets/record_action.html",
            row_url=self.url_of("records", data_set),
            **context,
        )


_EXPLANATION = ("Delete all records that match a condition. First you see how many there are.",)


def _matching(where: str) -> matching.Matching:
    """Return the condition as a filter. Raises InvalidQuery."""
    query = parameters.parse(urlencode({"where": where}), data_set_id=0, bounds=_BOUNDS, reader=ALL)
    return partial(filters.passing, query=query)


def _work(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Delete the matching records in the order of their ids. The id of the last one is an argument of the run."""
    matches = _matching(run.arguments["where"])
    while True:
        data_set = _data_set(run)
        if data_set is None:
            return
        with statements.allowed(_SCAN_SECONDS):
            ids = matching.ids_of(data_set, matches, max(pace.at_once, _FEWEST), after=run.arguments.get("after", ""))
        if not ids:
            return
        removed = sum(matching.delete(data_set.pk, matches, ids))
        run.arguments = {**run.arguments, "after": ids[-1]}
        BulkJobRun.objects.filter(pk=run.pk).update(arguments=run.arguments)
        yield Batch(passed=min(len(ids), run.total - run.position), number=removed)


def _data_set(run: BulkJobRun) -> DataSet | None:
    """Return the data set if the person may still change it."""
    if run.by is None:
        return None
    return data_sets_of_user(run.by).select_related("group", "type").filter(pk__in=run.rows).first()


def _at_end(run: BulkJobRun) -> None:
    """Record the whole deletion, and forget the last `_id`, which may be personal data."""
    data_set = DataSet.objects.select_related("group", "type").filter(pk__in=run.rows).first()
    if data_set is not None:
        matching.note_deletion(data_set, run.changed, by=run.actor, reason=run.arguments.get("reason", ""))
    run.arguments = {**run.arguments, "after": ""}
    BulkJobRun.objects.filter(pk=run.pk).update(arguments=run.arguments)


DELETE_RECORDS = BulkJob(name=KIND, verb="Delete", noun="record", done="deleted", work=_work, at_end=_at_end)
