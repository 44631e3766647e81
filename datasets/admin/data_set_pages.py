"""The pages of one data set, one for each tab. Source: docs/reference/console.md §2.15."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse

from config import formats
from config.audit.models import AuditEvent
from config.console import audit_sentences
from config.console.admin import ShownOnceAdmin, many_rows
from config.console.pages import file_response
from config.jobs import bulk
from datasets.admin import chart, emptying, exports, overview_tab, owners, record_list, retention, tabs, tokens_tab
from datasets.admin.access import author, manages_all, reader_of, tokens_of
from datasets.admin.chart import ChartForm
from datasets.admin.record_list import RecordsForm
from datasets.admin.retention import GuardedRetentionForm
from datasets.errors import Busy, InvalidQuery, QueryTooLarge
from datasets.models import DataSet, KeptValue
from datasets.queries import time_limit

_EVENTS = 200


class DataSetPages(ShownOnceAdmin):
    """The pages of one data set."""

    row_actions = {
        "overview": "overview",
        "state": "state_now",
        "records": "records",
        "chart": "chart",
        "tokens": "tokens_page",
        "retention": "retention",
        "export": "export",
        "activity": "activity",
    }
    protected_actions = frozenset({"export"})

    def tab(self, request: HttpRequest, data_set: DataSet, current: str, **context: Any) -> TemplateResponse:
        title = tabs.TITLES[current]
        page = {
            **self.page_context(request, f"{data_set}: {title.lower()}", data_set),
            "data_set": data_set,
            "tabs": tabs.of(data_set, current),
            **context,
        }
        return TemplateResponse(request, f"admin/datasets/data_set/{current}.html", page)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        data_set = kwargs.get("obj")
        extra: dict[str, Any] = {} if data_set is None else {"tabs": tabs.of(data_set, "change")}
        if manages_all(request):  # owners must not see the names of other accounts
            extra["accounts"] = owners.accounts()
        return super().render_change_form(request, {**context, **extra}, *args, **kwargs)

    def overview(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        return self.tab(
            request, data_set, "overview", **overview_tab.context(data_set), **emptying.kept_context(data_set)
        )

    def state_now(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Return the part of the page of a new data set that waits for the first record."""
        return TemplateResponse(request, "admin/datasets/first_record.html", {"original": data_set})

    def records(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show records, newest first. Filters come in a POST, so that no id is in a URL."""
        form = RecordsForm(request.POST)  # also without a filter, because only a form with data can have errors
        fields = record_list.chosen_fields(data_set, author(request), form)
        shown = {"form": form, "fields": fields, "offered": record_list.offered(data_set, fields)}
        shown["page"] = record_list.found(data_set, form, fields, reader_of(request, data_set))
        shown["has_kept"] = not data_set.is_of_product and KeptValue.objects.restorable(data_set.pk).exists()
        return self.tab(request, data_set, "records", **shown)

    def chart(self, request: HttpRequest, data_set: DataSet) -> HttpResponse | StreamingHttpResponse:
        form = ChartForm(request.GET or None, data_set=data_set)
        found = chart.draw(data_set, form, reader_of(request, data_set))
        if found and request.GET.get("format") == "csv":
            return file_response(f"{data_set.name}_chart.csv", found.csv())
        return self.tab(request, data_set, "chart", form=form, chart=found)

    def tokens_page(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        return self.tab(request, data_set, "tokens", **tokens_tab.context(data_set, tokens_of(request)))

    def retention(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show what new rules would delete, with a button that saves them."""
        form = GuardedRetentionForm(request.POST if request.method == "POST" else None, instance=data_set)
        kept = retention.in_words(data_set.retention_days, data_set.max_records)
        preview = None
        if request.method == "POST" and form.is_valid():
            if request.POST.get("step") == "save":
                arguments = {name: form.cleaned_data[name] for name in retention.NAMES}
                job = many_rows.new_job(request, retention.KIND, rows=[str(data_set.pk)], total=1, arguments=arguments)
                bulk.do_now(job)
                if job.changed:
                    messages.success(request, f"Saved. The clean-up runs {retention.next_run()}.")
                return HttpResponseRedirect(self.url_of("retention", data_set))
            try:
                with time_limit.limited(), transaction.atomic():  # a savepoint, because the page reads more
                    preview = retention.line(data_set, form)
            except QueryTooLarge as error:
                form.add_error(None, str(error))
        shown = {"form": form, "preview": preview, "kept": kept, "next_run": retention.next_run()}
        return self.tab(request, data_set, "retention", **shown)

    def export(self, request: HttpRequest, data_set: DataSet) -> HttpResponse | StreamingHttpResponse:
        """Stream all records as a file and record the download in the audit."""
        form = request.POST.get("form", "")
        if request.method == "POST" and form in exports.FORMS:
            try:
                with transaction.atomic():  # a savepoint, because the page reads more
                    answer = exports.stream(data_set, form, reader_of(request, data_set))
            except (InvalidQuery, Busy) as error:
                messages.error(request, str(error))
            else:
                self.audit(request, "exported", data_set, after={"name": str(data_set), "format": form})
                return answer
        number = "" if data_set.is_read_in_part else formats.counted(data_set.record_count, "record")
        return self.tab(request, data_set, "export", forms=exports.FORMS, number=number)

    def activity(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        lines = audit_sentences.lines(AuditEvent.objects.filter(data_set_id=data_set.pk)[:_EVENTS])
        days = [day for day in overview_tab.days(data_set) if day.writes or day.refused or day.without_token]
        return self.tab(request, data_set, "activity", lines=lines, days=list(reversed(days)))

    def may_write(self, request: HttpRequest, word: str) -> bool:
        """Run reads without a transaction, because on SQLite each transaction takes the write lock."""
        return request.method not in {"GET", "HEAD"} and word not in {"records", "record", "imports", "import"}
