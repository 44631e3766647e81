"""Pages to create, change, empty and delete data sets. Source: docs/reference/console.md §2.14 to §2.16."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from config.console.admin import Button
from config.console.shown_once import Secret, Snippet
from config.console.typed_name import TypedNameForm
from config.invalid import InvalidValue
from datasets import tokens
from datasets.admin import examples, publishing, tabs
from datasets.admin.access import ManagersAndOwners, author, data_sets_of, manages_all, part_of, parts_of
from datasets.admin.data_set_forms import DataSetForm, NewDataSetForm
from datasets.admin.data_set_list import DataSetList
from datasets.admin.data_set_pages import DataSetPages
from datasets.admin.deleting import DeletingPages
from datasets.admin.emptying import EmptyingPages
from datasets.admin.imports import ImportPages
from datasets.admin.record_pages import RecordPages
from datasets.admin.rejected_pages import RejectedPages
from datasets.admin.schema_pages import SchemaPages
from datasets.dashboards import uses
from datasets.errors import FilledBySignalbox
from datasets.models import DataGroup, DataSet, DataType

EXPLANATION = "Copy the token now. It is stored as a hash only, so no page can show it again."
_WRITING = frozenset(EmptyingPages.row_actions) | {
    *("record-change", "record-delete", "record-restore", "delete-where", "imports", "import", "rejected-retry"),
}
PARTIAL = frozenset({*tabs.PARTIAL, "record"})  # the pages that show the records about some services
_OPEN = ("description", "licence", "contact", "units")
_SETTINGS = ("owners", "add_owner", "public", "realtime", "personal", "auto_ids", "expected_every_seconds", *_OPEN)
_AT_FIRST = ("owners", "add_owner", "retention_days", "max_records", *_SETTINGS[2:])


@admin.register(DataSet)
class DataSetAdmin(
    ManagersAndOwners,
    EmptyingPages,
    RecordPages,
    RejectedPages,
    SchemaPages,
    DeletingPages,
    ImportPages,
    DataSetPages,
    DataSetList,
):
    secret_template = "admin/datasets/made.html"  # noqa: S105  it waits for the first record
    may_delete = True
    row_actions = {
        **DataSetPages.row_actions,
        **RecordPages.row_actions,
        **RejectedPages.row_actions,
        **SchemaPages.row_actions,
        **DeletingPages.row_actions,
        **EmptyingPages.row_actions,
        **ImportPages.row_actions,
        "remove": "remove",
    }
    protected_actions = DataSetPages.protected_actions.union(
        EmptyingPages.protected_actions, RejectedPages.protected_actions, DeletingPages.protected_actions, {"remove"}
    )
    add_form_template = "admin/datasets/new_data_set.html"
    change_form_template = "admin/datasets/data_set_change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataSet]:
        return self.counted(data_sets_of(request).select_related("group", "type"))

    def row_of_action(self, request: HttpRequest, word: str, object_id: str) -> Model:
        """Also return statistics that the person reads in part, for the pages that show no more than this part."""
        try:
            return super().row_of_action(request, word, object_id)
        except (Http404, PermissionDenied):
            part = part_of(request, object_id) if word in PARTIAL else None
            if part is None:
                raise
            return part

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        return obj.is_read_in_part or super().may_do(request, word, obj)

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        """Offer the statistics that the person reads in part. The list has counts of all services."""
        parts = parts_of(request).select_related("group", "type")
        return [Button(f"{one} of your services", url=tabs.url(one, "records")) for one in parts]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return manages_all(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Disable the admin's own page. `remove` asks for the name and checks under the write lock."""
        return False

    def blocking_error(self, request: HttpRequest, word: str, obj: Any) -> str:
        """Refuse to write the statistics of Signalbox, as the API does."""
        writes = word in _WRITING or (word == "schema" and request.method == "POST")
        return str(FilledBySignalbox()) if obj.is_of_product and writes else ""

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Redirect from the admin's page for deleting to `remove`."""
        if request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        return HttpResponseRedirect(self.url_of("remove", self._row_or_404(request, object_id)))

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        """Return the buttons of the settings, which delete records or an empty data set."""
        if obj.is_of_product:
            return []
        if not obj.record_count:
            return [Button("Delete data set…", "remove", tone="ending")]
        by_condition = Button("Delete records by a condition…", "delete-where", tone="ending")
        return [by_condition, Button("Empty…", "empty", tone="ending")]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: type[DataSetForm] = NewDataSetForm if obj is None else DataSetForm
        known = {
            "editor": request.user,
            "manages_all": manages_all(request),
            **publishing.of_request(request),
        }
        kwargs["form"] = type(form.__name__, (form,), known)
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("group_name", "type_name", *_AT_FIRST)
        return ("located", *_SETTINGS)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Make the path read-only, because callers have the URL."""
        return () if obj is None else ("located",)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        extra = {
            "groups": DataGroup.objects.values_list("name", flat=True),
            "types": DataType.objects.values_list("name", flat=True),
            "url_form": examples.url_form(),
        }
        return super().add_view(request, form_url, {**extra, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = author(request)
        super().save_model(request, obj, form, change)
        if not change:
            token, obj.secret = tokens.issue(obj, ["write"], by=author(request))
            self.audit(request, "issued", token, after={"name": token.prefix, "scopes": token.scopes})

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the owners and record the change in the audit."""
        before = _names(form.instance.owners.all())
        super().save_related(request, form, formsets, change)
        after = _names(form.instance.owners.all())
        if before != after:
            self.audit(request, "changed", form.instance, before={"owners": before}, after={"owners": after})

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Redirect people who removed themselves as owners, because they cannot see the data set any more."""
        if self.has_view_permission(request, obj):
            return super().response_change(request, obj)
        return self.action_done(request, reverse("admin:index"), f"You are no longer an owner of {obj}.")

    def row_url(self, obj: Any) -> str:
        """Return the URL of the first tab instead of the settings."""
        return self.url_of(tabs.first(obj), obj)

    def secret_of(self, request: HttpRequest, obj: Any) -> Secret:
        """Describe the first token of a new data set."""
        return Secret(
            kind="Write token",
            name=str(obj),
            value=obj.secret,
            explanation=EXPLANATION,
            parts=(Snippet("URL", examples.url(obj)), Snippet("Name", obj.name)),
            snippets=(Snippet("Write one record", examples.write(obj, obj.secret)),),
            where_next=("Go to the data set", self.row_url(obj)),
        )

    def remove(self, request: HttpRequest, data_set: DataSet) -> HttpResponse:
        """Delete an empty data set. Its URL then returns 404."""
        title = f"Delete {data_set}"
        if request.method == "POST":  # lock the row, because a record may have been written since the page was shown
            list(DataSet.objects.select_for_update().filter(pk=data_set.pk).values_list("pk"))
        if data_set.records.exists():
            error = f"{data_set} has records. Only an empty data set can be deleted."
            remedy = ("Empty it first", self.url_of("empty", data_set))
            return self.error_page(request, data_set, title, error, remedy=remedy)
        try:
            uses.check_unused(data_set)
        except InvalidValue as used:
            return self.error_page(request, data_set, title, str(used))
        form = TypedNameForm(request.POST or None, wanted=str(data_set))
        if request.method == "POST" and form.is_valid():
            name = str(data_set)
            if not self.has_change_permission(request, data_set):
                raise PermissionDenied
            self.delete_model(request, data_set)
            return self.action_done(request, self.list_url(), f"{name} is deleted.")
        explanation = [
            "The data set is empty. Its settings, tokens and statistics are deleted with it.",
            "Requests to its URL then return 404.",
        ]
        return self.action_page(request, data_set, title, title, explanation, form=form, is_destructive=True)


def _names(owners: QuerySet[Any]) -> list[str]:
    return sorted(owners.values_list("username", flat=True))
