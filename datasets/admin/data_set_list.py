"""The list of data sets: its columns, filters, and retention for many at once. Source: Staff console §2.14."""

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
from django.utils.timesince import timesince

from config.console import cells
from config.console.admin import ShownOnceAdmin, many_rows
from config.console.admin.many_rows import Chosen
from config.console.started_from import FIELD
from datasets import store
from datasets.admin import freshness, retention
from datasets.admin.retention import RetentionForm
from datasets.models import AccessToken, DataSet, DataSetDay

_WEEK = timedelta(days=7)
_CHANGED_MEANWHILE = (
    "Somebody has changed how long one of these data sets keeps its records since you looked, or this was not looked "
    "at first. Below is what each keeps now; save again to put yours in its place."
)
_YES_NO = (("yes", "Yes"), ("no", "No"))


class YesNoFilter(admin.SimpleListFilter):
    """A filter by something that is no column: `condition` says what Yes is."""

    condition = Q()

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return _YES_NO

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.filter(self.condition)
        return queryset.exclude(self.condition) if self.value() == "no" else queryset


class HasRefusals(YesNoFilter):
    title = "refused in 7 days"
    parameter_name = "refusals"
    condition = Q(refused__gt=0)


class HasRetention(YesNoFilter):
    title = "retention"
    parameter_name = "retention"
    condition = Q(retention_days__isnull=False) | Q(max_records__isnull=False)


class DataSetList(ShownOnceAdmin):
    """What the list shows; who may see which rows is for the admin."""

    list_display = (
        "located",
        "stored",
        "last_write",
        "state",
        "writes",
        "refused",
        "retention_in_words",
        "tokens_in_words",
        "owned_by",
    )
    list_display_links = None
    list_filter = (
        ("group", admin.RelatedOnlyFieldListFilter),
        ("type", admin.RelatedOnlyFieldListFilter),
        ("owners", admin.RelatedOnlyFieldListFilter),
        HasRefusals,
        HasRetention,
    )
    search_fields = ("group__name", "type__name")
    actions = ("set_retention",)
    empty = "No data sets yet. A data set keeps time-stamped records under one address."

    def counted(self, data_sets: QuerySet[DataSet]) -> QuerySet[DataSet]:
        """Add the figures of the columns, each by a query of its own: joins would multiply them."""
        week = DataSetDay.objects.filter(data_set=OuterRef("pk"), day__gt=timezone.now().date() - _WEEK)
        by_set = week.order_by().values("data_set")
        tokens = AccessToken.objects.live().filter(data_set=OuterRef("pk")).order_by().values("data_set")
        ending = tokens.filter(expires_at__isnull=False)
        return data_sets.annotate(
            writes=_or_none(by_set.annotate(found=Sum("writes"))),
            refused=_or_none(by_set.annotate(found=Sum("refused"))),
            live=_or_none(tokens.annotate(found=Count("pk"))),
            ending=_or_none(ending.annotate(found=Count("pk"))),
        ).prefetch_related("owners")

    @admin.action(description="Set retention…")
    def set_retention(self, request: HttpRequest, chosen: QuerySet[DataSet]) -> HttpResponse:
        """Ask, say what would go now from each set, and save when that has been seen."""
        sets = Chosen(request, chosen.order_by("group__name", "type__name"))
        is_sent = "step" in request.POST and sets.is_confirmed
        form = RetentionForm(request.POST if is_sent else None)
        previews: list[retention.Line] = []
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

    @admin.display(description="Records", ordering="record_count")
    def stored(self, data_set: DataSet) -> str:
        return cells.number(data_set.record_count)

    @admin.display(description="Last write", ordering="last_write_at")
    def last_write(self, data_set: DataSet) -> SafeString | str:
        return ago(data_set.last_write_at)

    @admin.display(description="State")
    def state(self, data_set: DataSet) -> SafeString:
        return cells.chip(*freshness.shown(data_set))

    @admin.display(description="Writes, 7 d", ordering="writes")
    def writes(self, data_set: Any) -> str:
        return cells.number(data_set.writes)

    @admin.display(description="Refused, 7 d", ordering="refused")
    def refused(self, data_set: Any) -> str:
        return cells.number(data_set.refused)

    @admin.display(description="Retention")
    def retention_in_words(self, data_set: DataSet) -> str:
        return retention.in_words(data_set.retention_days, data_set.max_records)

    @admin.display(description="Tokens")
    def tokens_in_words(self, data_set: Any) -> str:
        return f"{data_set.live} live" + (f", {data_set.ending} ending" if data_set.ending else "")

    @admin.display(description="Owners")
    def owned_by(self, data_set: DataSet) -> str:
        return ", ".join(str(owner) for owner in data_set.owners.all()) or "–"


def ago(at: Any) -> SafeString | str:
    """Return how long ago something was, the moment itself on hover."""
    if at is None:
        return "Never"
    since = f"{timesince(at, depth=1)} ago" if timezone.now() - at >= timedelta(minutes=1) else "just now"
    utc = f"{at:%Y-%m-%d %H:%M:%S} UTC"
    return format_html('<time class="sb-moment" title="{}">{}</time>', utc, since)


def _or_none(found: QuerySet[Any]) -> Coalesce:
    return Coalesce(Subquery(found.values("found"), output_field=IntegerField()), 0)
