"""The pages that empty a data set, bring its records back, and delete them for good.

Source: docs/reference/console.md §2.15.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse

from config import audit, formats
from config.console.admin import ShownOnceAdmin
from config.console.typed_name import TypedNameForm
from datasets import store
from datasets.errors import NothingToUndo
from datasets.models import DataSet
from datasets.store.empty import KEPT


class EmptyingPages(ShownOnceAdmin):
    """The actions of one data set that remove and restore all of its records."""

    row_actions = {"empty": "empty_out", "undo-emptying": "undo_emptying", "forget": "forget_emptied"}
    protected_actions = frozenset({"empty", "forget"})

    def empty_out(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        if request.method != "POST" and not data_set.record_count:
            nothing = f"{data_set} has no records: there is nothing to remove."
            return self.error_page(request, data_set, f"Empty {data_set}", nothing)
        form = TypedNameForm(request.POST or None, wanted=str(data_set))
        if request.method == "POST" and form.is_valid():
            removed = store.empty(data_set, by=audit.person(request))
            removal = f"{formats.number(removed)} {'was' if removed == 1 else 'were'} removed"
            message = f"{data_set} now contains 0 records: {removal}. You can undo this for 24 hours."
            return self.action_done(request, self.row_url(data_set), message)
        records = formats.counted(data_set.record_count, "record")
        return self.action_page(
            request,
            data_set,
            f"Empty {data_set}",
            f"Empty {records}",
            [
                f"This removes {records} of {data_set}{_newest(data_set)}.",
                "The URL, settings and tokens stay.",
                "You can bring the records back for 24 hours. Then they are deleted.",
            ],
            form=form,
            is_destructive=True,
        )

    def undo_emptying(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        title = f"Undo emptying {data_set}"
        kept = store.undoable(data_set.pk).first()
        if kept is None:
            return self.error_page(request, data_set, title, str(NothingToUndo()))
        if request.method == "POST":
            number = store.undo(data_set, by=audit.person(request))
            message = f"Brought back {formats.counted(number, 'record')} of {data_set}."
            return self.action_done(request, self.row_url(data_set), message)
        records = formats.counted(kept.records, "record")
        return self.action_page(
            request,
            data_set,
            title,
            f"Bring back {records}",
            [
                f"{data_set} was emptied {formats.on(kept.emptied_at)}. This brings back {records}.",
                "Records that were written since then stay. Where the _id is the same, the newer record stays.",
            ],
        )

    def forget_emptied(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        title = f"Delete the kept records of {data_set}"
        if not store.undoable(data_set.pk).exists():
            return self.error_page(request, data_set, title, "There are no kept records.")
        form = TypedNameForm(request.POST or None, wanted=str(data_set))
        if request.method == "POST" and form.is_valid():
            number = store.forget_emptied(data_set, by=audit.person(request))
            records = formats.counted(number, "kept record")
            return self.action_done(
                request, self.row_url(data_set), f"The next clean-up deletes {records} of {data_set}."
            )
        explanation = ["This deletes the records that Undo would bring back. Nobody can restore them afterwards."]
        return self.action_page(
            request, data_set, title, "Delete kept records for good", explanation, form=form, is_destructive=True
        )


def kept_context(data_set: DataSet) -> dict[str, Any]:
    """Return the last emptying that can be undone, as the overview shows it."""
    kept = store.undoable(data_set.pk).first()
    if kept is None:
        return {"emptied": None}
    return {
        "emptied": kept,
        "kept_records": formats.counted(kept.records, "record"),
        "emptied_at": formats.spoken(kept.emptied_at),
        "kept_until": formats.spoken(kept.emptied_at + KEPT),
    }


def _newest(data_set: DataSet) -> str:
    newest = data_set.records.order_by("-timestamp").values_list("timestamp", flat=True).first()
    return f", the newest from {formats.spoken(newest)}" if newest else ""
