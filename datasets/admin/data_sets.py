"""Data sets: made with their write token, looked into, emptied, deleted when empty. Source: Staff console §2.14."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console import audit, cells
from config.console.admin import ShownOnceAdmin
from config.console.shown_once import Secret, Snippet
from datasets import store, tokens
from datasets.admin import examples, freshness, records
from datasets.admin.access import ManagersAndOwners, author, data_sets_of, manages_all
from datasets.admin.data_set_forms import DataSetForm, NewDataSetForm, TypedNameForm
from datasets.models import AccessToken, DataSet

EXPLANATION = (
    "Only a digest of the token is stored: nobody can read it out of the database, and no page shows it again."
)
_SETTINGS = (
    "owners",
    "public",
    "realtime",
    "auto_ids",
    "retention_days",
    "max_records",
    "expected_every_seconds",
)
_WEEK = timedelta(days=7)


@admin.register(DataSet)
class DataSetAdmin(ManagersAndOwners, ShownOnceAdmin):
    secret_kind = "write token"  # noqa: S105  a word of the page
    list_display = ("address", "stored", "last_write", "state", "refused", "retention", "live_tokens")
    list_filter = ("group", "type", "public")
    search_fields = ("group__name", "type__name")
    may_delete = True
    steps = {"empty": "empty_out", "records": "records"}
    grave_steps = frozenset({"empty"})
    empty = "No data sets yet. A data set keeps time-stamped records under one address."
    change_form_template = "admin/datasets/data_set_change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataSet]:
        week = Q(days__day__gt=timezone.now().date() - _WEEK)
        mine = data_sets_of(request).select_related("group", "type")
        live = AccessToken.objects.live().filter(data_set=OuterRef("pk")).order_by().values("data_set")
        return mine.annotate(
            refused=Coalesce(Sum("days__refused", filter=week), 0),
            live=Coalesce(Subquery(live.annotate(count=Count("pk")).values("count")), 0),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return manages_all(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_empty = obj is None or obj.record_count == 0
        return is_empty and self.has_change_permission(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Ask no further permission: the tokens of a data set go with it."""
        rows, counts, _, protected = super().get_deleted_objects(objs, request)
        return rows, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Look again under the lock that every write takes: a record may have come since the page was shown."""
        DataSet.objects.select_for_update().get(pk=obj.pk)
        if obj.records.exists():
            raise PermissionDenied
        super().delete_model(request, obj)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        kwargs["form"] = NewDataSetForm if obj is None else DataSetForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("group_name", "type_name", *_SETTINGS)
        return ("address", "stored", "last_write", "state", *_SETTINGS)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fix the address: the URL is a contract."""
        return () if obj is None else ("address", "stored", "last_write", "state")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        for name in ("auto_ids", "retention_days", "max_records", "expected_every_seconds"):
            setattr(obj, name, form.cleaned_data[name])
        if not change:
            obj.created_by = author(request)
        super().save_model(request, obj, form, change)
        if not change:
            token, obj.secret = tokens.issue(obj, ["write"], by=author(request))
            self.audit(request, "issued", token, after={"name": token.prefix, "scopes": token.scopes})

    def audit_scope(self, obj: Any) -> dict[str, Any]:
        return {"data_set_id": obj.pk if isinstance(obj, DataSet) else obj.data_set_id}

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        """Describe the first token of a data set that has just been made."""
        return Secret(
            kind="Write token",
            name=str(obj),
            value=obj.secret,
            explanation=EXPLANATION,
            parts=(Snippet(label="Address", text=examples.address(obj)), Snippet(label="Name", text=obj.name)),
            snippets=(Snippet(label="Write one record", text=examples.write(obj, obj.secret)),),
            where_next=("To the data set", self.row_url(obj)),
        )

    def empty_out(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        form = TypedNameForm(request.POST or None, wanted=str(data_set))
        if request.method == "POST" and form.is_valid():
            removed = store.empty(data_set, by=audit.person(request))
            message = f"{removed} records removed: {data_set.name} now contains 0 records"
            return self.step_done(request, self.row_url(data_set), message)
        return self.step_page(
            request,
            data_set,
            title=f"Empty {data_set}",
            button=f"Empty {data_set.record_count} records",
            explanation=[
                f"This removes {data_set.record_count} records from {data_set}. {_newest(data_set)}",
                "The address, settings and tokens stay.",
            ],
            form=form,
            is_grave=True,
        )

    def records(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Show records, newest first; the place to go on from comes in a POST, so that no id stands in an address."""
        page = records.newest(data_set, after=request.POST.get("after", ""))
        template = "admin/datasets/records.html"
        title = f"Records of {data_set}"
        return self.step_page(request, data_set, title=title, button="Older records", template=template, page=page)

    @admin.display(description="Data set", ordering="group__name")
    def address(self, data_set: DataSet) -> str:
        return str(data_set)

    @admin.display(description="Records", ordering="record_count")
    def stored(self, data_set: DataSet) -> str:
        return f"{data_set.record_count:,}".replace(",", " ")

    @admin.display(description="Last write", ordering="last_write_at")
    def last_write(self, data_set: DataSet) -> SafeString | str:
        return cells.moment(data_set.last_write_at, never="Never")

    @admin.display(description="State")
    def state(self, data_set: DataSet) -> SafeString:
        word, tone = freshness.shown(data_set)
        return cells.chip(word, tone)

    @admin.display(description="Refused in 7 days", ordering="refused")
    def refused(self, data_set: Any) -> int:
        return int(data_set.refused)

    @admin.display(description="Kept")
    def retention(self, data_set: DataSet) -> str:
        days = f"{data_set.retention_days} days" if data_set.retention_days else ""
        newest = f"newest {data_set.max_records}" if data_set.max_records else ""
        return ", ".join(filter(None, (days, newest))) or "For ever"

    @admin.display(description="Live tokens")
    def live_tokens(self, data_set: Any) -> int:
        return int(data_set.live)


def _newest(data_set: DataSet) -> str:
    return f"The last write was on {cells.spoken(data_set.last_write_at)}." if data_set.last_write_at else ""
