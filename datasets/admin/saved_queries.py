"""Pages of saved queries: made by choosing, with the result beside the form.

Source: docs/reference/saved-queries.md §2.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.console import cells
from config.console.admin import Button, ConsoleModelAdmin
from config.console.admin.columns import column
from config.invalid import InvalidValue
from datasets.admin import examples, publishing, service_forms, tabs
from datasets.admin.access import (
    ManagersAndOwners,
    author,
    data_sets_of,
    mark,
    parts_of,
    readable_by,
    reads_some,
    saved_queries_of,
)
from datasets.admin.saved_query_forms import SavedQueryForm
from datasets.charts import drawing
from datasets.dashboards import uses
from datasets.errors import DataSetError
from datasets.models import ChartKind, DataSet, SavedQuery
from datasets.saved_queries import answering, binding, grid, limits, showing
from datasets.saved_queries.answer import Number
from datasets.saved_queries.wording import Unit

_DIGITS = 19  # more are no id of a row
_MOST_OTHERS = 200
_GROUPS = (
    ("", ("name", "description")),
    ("What", ("measure_field", "measure_method", "split", "period")),
    ("When", ("range_kind", "range_number", "range_unit", "start_at", "end_at", "compare", "moving")),
    ("As a share", ("divide_by", "divide_field", "divide_method")),
    ("How it looks", ("chart", "unit", "decimals", "limit")),
    ("Conditions and time zone", ("where", "measure_where", "divide_where", "time_zone")),
    ("Readers", ("is_public",)),
    ("Another data set", ("stored_in", "stored_every")),
)
_FIELDS = tuple(name for _, names in _GROUPS for name in names)


@admin.register(SavedQuery)
class SavedQueryAdmin(ManagersAndOwners, ConsoleModelAdmin):
    empty = "No saved queries about your data sets yet. A saved query keeps a question, with its chart and its own URL."
    list_display = ("name", "data_set", "shown_as", "readers", "created")
    list_filter = (("data_set", admin.RelatedOnlyFieldListFilter), "is_public")
    list_select_related = ("data_set__group", "data_set__type")
    search_fields = ("name", "description")
    form = SavedQueryForm
    fieldsets = tuple((title or None, {"fields": names}) for title, names in _GROUPS)
    may_delete = True
    change_form_template = add_form_template = "admin/datasets/saved_query_form.html"
    list_pages = {"preview": "preview"}

    def get_queryset(self, request: HttpRequest) -> QuerySet[SavedQuery]:
        return saved_queries_of(request).order_by("name", "pk")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return reads_some(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is not None and self.has_change_permission(request, obj)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Refuse if a dashboard shows the query, and name it."""
        query: Any = self._row_or_404(request, object_id)
        if not self.has_delete_permission(request, query):
            raise PermissionDenied
        try:
            uses.check_unused(query)
        except InvalidValue as error:
            return self.error_page(request, query, f"Delete {query}", str(error))
        return super().delete_view(request, object_id, extra_context)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask for the data set first, because the fields to choose from are those of its records."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        data_set = self._asked_for(request)
        if data_set is None:
            sets = readable_by(request).select_related("group", "type")
            page = {**self.page_context(request, self.add_title()), "data_sets": sets}
            return TemplateResponse(request, "admin/datasets/saved_query_data_set.html", page)
        try:
            among = saved_queries_of(request) if mark(request, data_set).is_read_in_part else None
            limits.check_number_of_queries(data_set, among=among)
        except InvalidValue as error:
            page = {**self.page_context(request, "Add saved query"), "error": str(error)}
            return TemplateResponse(request, "admin/action.html", page)
        return super().add_view(request, form_url, extra_context)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        own = obj.data_set if obj is not None else self._asked_for(request)
        allowed = readable_by(request)
        known = {**publishing.of_request(request), **service_forms.of_request(request)}
        known |= {"data_set": own, "others": _others(allowed, own), "allowed": allowed}
        kwargs["form"] = type(SavedQueryForm.__name__, (SavedQueryForm,), known)
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Ask for services only if the person reads statistics of Signalbox in part."""
        first, *others = super().get_fieldsets(request, obj)
        if not parts_of(request).exists():
            return [first, *others]
        return [(None, {"fields": (*_GROUPS[0][1], "of_services")}), *others]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "stored_in":
            kwargs["queryset"] = data_sets_of(request).filter(is_of_product=False).select_related("group", "type")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = author(request)
        super().save_model(request, obj, form, change)
        binding.bind(obj, readable_by(request))

    def give_title(self, request: HttpRequest, obj: Any) -> None:
        """Also set the breadcrumbs above a query: its data set."""
        super().give_title(request, obj)
        data_sets = {"title": "Data sets", "link": reverse("admin:datasets_dataset_changelist")}
        obj.crumbs_above = [
            data_sets,
            {"title": str(obj.data_set), "link": tabs.url(obj.data_set, tabs.first(mark(request, obj.data_set)))},
        ]

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        issue = f"{reverse('admin:datasets_querytoken_add')}?saved_query={obj.pk}"
        return [Button("Issue token…", url=issue)] if not obj.is_public else []

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Show the answer as it is saved, and the URLs of the query."""
        path = reverse("saved_query", args=[obj.public_id, "json"]).removesuffix(".json")
        urls = [(form, f"{settings.DATA_BASE_URL}{path}.{form}") for form in ("json", "csv", "svg", "png")]
        return {"result": _result(obj), "urls": urls, "tokens": obj.tokens.live()}

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        obj = kwargs.get("obj")
        data_set = obj.data_set if obj else self._asked_for(request)
        of = {"data_set": data_set.pk} | ({"saved_query": obj.pk} if obj else {}) if data_set else {}
        preview = f"{self.url_of('preview')}?{urlencode(of)}" if data_set else ""
        return super().render_change_form(
            request, {**context, "data_set": data_set, "preview_url": preview}, *args, **kwargs
        )

    def preview(self, request: HttpRequest) -> HttpResponse:
        """Return the result of the form as it is, as the part of the page beside it. It stores nothing."""
        data_set = self._asked_for(request)
        if data_set is None or request.method != "POST":
            raise PermissionDenied
        allowed = readable_by(request)
        known = {"data_set": data_set, "others": _others(allowed, data_set), "allowed": allowed, "is_preview": True}
        known |= service_forms.of_request(request)
        stored = _named(request, "saved_query", self.get_queryset(request).filter(data_set=data_set))
        unsaved = SavedQuery(data_set=data_set, question=stored.question if stored else {})
        unsaved.services = stored.services if stored else []
        form = type(SavedQueryForm.__name__, (SavedQueryForm,), known)(request.POST, instance=unsaved)
        form.fields["name"].required = False
        if not form.is_valid():
            errors = [str(error) for found in form.errors.values() for error in found]
            return TemplateResponse(
                request, "admin/datasets/query_result.html", {"result": QueryResult(error=errors[0])}
            )
        shown = form.save(commit=False)
        shown.name = shown.name or "Result"
        result = _result(shown, binding.sets_of(shown, allowed))
        return TemplateResponse(request, "admin/datasets/query_result.html", {"result": result})

    def _asked_for(self, request: HttpRequest) -> DataSet | None:
        found: DataSet | None = _named(request, "data_set", readable_by(request).select_related("group", "type"))
        return found

    shown_as = column("Shown as", lambda query: query.get_chart_display())
    readers = column("Readers", lambda query: cells.chip("Everybody", "accent") if query.is_public else "Token")
    created = column("Created", lambda query: cells.moment(query.created_at), ordering="created_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """What the page shows beside the form. number, before: of a query that shows a number; commands: the same by API"""

    error: str = ""
    picture: str = ""
    number: str = ""
    before: str = ""
    titles: tuple[str, ...] = ()
    heading: str = ""
    rows: tuple[tuple[str, list[str]], ...] = ()
    is_cut: bool = False
    commands: tuple[str, ...] = ()


def _result(saved_query: SavedQuery, sets: list[DataSet] | None = None) -> QueryResult:
    """Return the result of a query, or the sentence that states why it has none. sets: for one that is not saved"""
    now = timezone.now()
    try:
        question = answering.question_of(saved_query)
        sets = answering.data_sets_of(saved_query) if sets is None else sets
        answer = answering.compute(saved_query, now=now, sets=sets)
    except DataSetError as error:
        return QueryResult(error=str(error))
    table, unit = grid.of(answer, question, saved_query.name), Unit.of(saved_query, question)
    chart = showing.chart(saved_query, answer)
    last = answer.rows[-1] if answer.rows and saved_query.chart == ChartKind.NUMBER else None
    return QueryResult(
        picture=drawing.both_sizes(chart) if chart else "",
        number=_written(last.value, unit) if last else "",
        before=_written(last.previous, unit) if last and question.compare else "",
        titles=tuple(column.name for column in table.columns),
        heading=table.heading,
        rows=tuple(table.cells(unit)),
        is_cut=table.is_cut,
        commands=tuple(
            examples.query(data_set, urlencode(question.pairs(measure, now=now)))
            for measure, data_set in zip(question.measures, sets, strict=True)
        ),
    )


def _named(request: HttpRequest, name: str, rows: QuerySet[Any]) -> Any:
    """Return the row whose id is a parameter of the URL, or None."""
    pk = request.GET.get(name, "")
    return rows.filter(pk=pk).first() if pk.isascii() and pk.isdigit() and len(pk) < _DIGITS else None


def _written(value: Number | None, unit: Unit) -> str:
    return "–" if value is None else unit.written(value)


def _others(allowed: QuerySet[DataSet], own: DataSet | None) -> tuple[str, ...]:
    """Return the paths of the other data sets of this person."""
    if own is None:
        return ()
    others = allowed.exclude(pk=own.pk).select_related("group", "type")
    return tuple(str(one) for one in others[:_MOST_OTHERS])
