"""The list of data sets, with the action that sets the retention of several.

Source: docs/reference/console.md §2.14.
"""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.admin import ShownOnceAdmin, many_rows
from config.console.admin.columns import column
from config.console.admin.filters import yes_no_filter
from config.console.admin.many_rows import Chosen
from config.console.started_from import FIELD
from datasets import store
from datasets.admin import retention
from datasets.admin.overview_tab import freshness_chip
from datasets.admin.retention import RetentionForm
from datasets.models import AccessToken, DataSet, DataSetDay
from datasets.models.data_set import INCOMPLETE

_WEEK = timedelta(days=7)
_CHANGED_MEANWHILE = (
    "The retention of one of these data sets has changed since you opened this page, or you have not seen the preview. "
    "Check the current retention below, then save again to replace it."
)


HAS_WRITE_ERRORS = yes_no_filter("refused in 7 days", "refusals", Q(refused__gt=0))
HAS_RETENTION = yes_no_filter("retention", "retention", Q(retention_days__isnull=False) | Q(max_records__isnull=False))
IS_LATE = yes_no_filter("late", "late", Q(late_since__isnull=False))
IS_INCOMPLETE = yes_no_filter("public without description, licence or contact", "incomplete", INCOMPLETE)


class DataSetList(ShownOnceAdmin):
    """The columns, filters and actions of the list."""

    list_display = (
        "located",
        "stored",
        "last_write",
        "state",
        "writes",
        "refused",
        "retention_text",
        "tokens_text",
        "owned_by",
    )
    list_display_links = None
    list_filter = (
        ("group", admin.RelatedOnlyFieldListFilter),
        ("type", admin.RelatedOnlyFieldListFilter),
        ("owners", admin.RelatedOnlyFieldListFilter),
        IS_LATE,
        HAS_WRITE_ERRORS,
        HAS_RETENTION,
        IS_INCOMPLETE,
    )
    search_fields = ("group__name", "type__name")
    actions = ("set_retention",)
    empty = "No data sets yet. A data set keeps time-stamped records under one URL."
    empty_for_readers = "You own no data set. Ask a person who manages data sets to add you as an owner."

    def counted(self, data_sets: QuerySet[DataSet]) -> QuerySet[DataSet]:
        """Add the counts of the columns by subqueries, because joins would multiply them."""
        week = DataSetDay.objects.filter(data_set=OuterRef("pk"), day__gt=timezone.now().date() - _WEEK)
        by_set = week.order_by().values("data_set")
        tokens = AccessToken.objects.live().filter(data_set=OuterRef("pk")).order_by().values("data_set")
        ending = tokens.filter(expires_at__isnull=False)
        return data_sets.annotate(
            writes=_or_zero(by_set.annotate(found=Sum("writes"))),
            refused=_or_zero(by_set.annotate(found=Sum("refused"))),
            live=_or_zero(tokens.annotate(found=Count("pk"))),
            ending=_or_zero(ending.annotate(found=Count("pk"))),
        ).prefetch_related("owners")

    @admin.action(description="Set retention…")
    def set_retention(self, request: HttpRequest, chosen: QuerySet[DataSet]) -> HttpResponse:
        """Show the form, then what each data set would lose, then save."""
        sets = Chosen(request, chosen.order_by("group__name", "type__name"))
        is_sent = "step" in request.POST and sets.is_confirmed
        form = RetentionForm(request.POST if is_sent else None)
        previews: list[retention.RetentionPreview] = []
        total = 0
        started_from = ""
        if is_sent and form.is_valid():
            arguments = {name: form.cleaned_data[name] for name in retention.NAMES}
            with transaction.atomic():
                started_from = retention.kept_now(sets.pks)
                if request.POST["step"] == "save" and request.POST.get(FIELD) == started_from:
                    return many_rows.take(
                        request, retention.KIND, sets.pks, way_back=self.list_url(), arguments=arguments
                    )
            if request.POST["step"] == "save":
                form.add_error(None, _CHANGED_MEANWHILE)
            previews = [retention.line(each, form) for each in sets.shown]
            total = store.would_remove(sets.rows, days=arguments["retention_days"], newest=arguments["max_records"])
        context = {
            **self.page_context(request, "Set retention"),
            "chosen": sets,
            "form": form,
            "previews": previews,
            "total": total,
            "started_from": started_from,
        }
        return TemplateResponse(request, "admin/datasets/set_retention.html", context)

    @admin.display(description="Data set", ordering="group__name")
    def located(self, data_set: DataSet) -> SafeString:
        url = reverse("admin:datasets_dataset_overview", args=[data_set.pk])
        return format_html('<a class="sb-link" href="{}">{}</a>', url, data_set)

    stored = column("Records", lambda one: formats.number(one.record_count), ordering="record_count")
    last_write = column("Last write", lambda one: ago(one.last_write_at), ordering="last_write_at")
    state = column("State", freshness_chip)
    writes = column("Writes, 7 days", lambda one: formats.number(one.writes), ordering="writes")
    refused = column("Refused, 7 days", lambda one: formats.number(one.refused), ordering="refused")
    retention_text = column("Retention", lambda one: retention.in_words(one.retention_days, one.max_records))
    owned_by = column("Owners", lambda one: ", ".join(str(owner) for owner in one.owners.all()) or "–")

    @admin.display(description="Tokens")
    def tokens_text(self, data_set: Any) -> str:
        return f"{data_set.live} valid" + (f", {data_set.ending} with an end date" if data_set.ending else "")


def ago(at: Any) -> SafeString | str:
    """Return how long ago the moment was, with the moment as a tooltip."""
    if at is None:
        return "Never"
    return cells.timed(at, formats.ago(at))


def _or_zero(found: QuerySet[Any]) -> Coalesce:
    return Coalesce(Subquery(found.values("found"), output_field=IntegerField()), 0)
