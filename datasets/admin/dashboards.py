"""The list of dashboards, and their settings. Source: docs/reference/dashboards.md §1."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from config.console import cells
from config.console.admin.columns import column
from datasets.admin import dashboard_tabs, owners
from datasets.admin.access import author, manages_all
from datasets.admin.dashboard_forms import DashboardForm
from datasets.admin.dashboard_publishing import DashboardPublishing
from datasets.models import Dashboard, Visibility

_TEXTS = ("title", "title_cy", "summary", "summary_cy")
_SETTINGS = ("filter_field", "filter_values", "embed_hosts", "owners", "add_owner")
_TONES = {Visibility.PUBLIC: "good", Visibility.LINK: "warn", Visibility.STAFF: "accent"}
_STATES = {
    Visibility.PRIVATE: "Not published",
    Visibility.STAFF: "For staff",
    Visibility.LINK: "With the link",
    Visibility.PUBLIC: "Public",
}


@admin.register(Dashboard)
class DashboardAdmin(DashboardPublishing):
    empty = "You have no dashboards yet. A dashboard shows figures and charts of your data sets, and can be published."
    list_display = ("title", "path", "state", "number_of_tiles", "published", "owned_by")
    search_fields = ("title", "slug")
    form = DashboardForm
    add_fields = (*_TEXTS, "slug", "owners", "add_owner")
    fields = (*_TEXTS, *_SETTINGS)
    opens_new_row = True
    may_delete = True
    next_step = "Now add tiles."
    change_form_template = add_form_template = "admin/datasets/dashboard/settings.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Dashboard]:
        rows = Dashboard.objects.all() if manages_all(request) else Dashboard.objects.filter(owners=request.user.pk)
        return rows.annotate(tile_count=Count("tiles", distinct=True)).prefetch_related("owners")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        known = {"editor": request.user, "manages_all": manages_all(request)}
        kwargs["form"] = type(DashboardForm.__name__, (DashboardForm,), known)
        return super().get_form(request, obj, change=change, **kwargs)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        row = kwargs.get("obj")
        extra: dict[str, Any] = {} if row is None else {"tabs": dashboard_tabs.of(row, "change")}
        if manages_all(request):  # owners must not see the names of other accounts
            extra["accounts"] = owners.accounts()
        return super().render_change_form(request, {**context, **extra}, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        for name in ("filter_values", "embed_hosts"):  # of declared fields, which the form does not store
            if name in form.cleaned_data:
                setattr(obj, name, form.cleaned_data[name])
        if not change:
            obj.created_by = author(request)
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the owners and record the change in the audit."""
        before = _names(form.instance)
        super().save_related(request, form, formsets, change)
        after = _names(form.instance)
        if before != after:
            self.audit(request, "changed", form.instance, before={"owners": before}, after={"owners": after})

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        super().response_add(request, obj, post_url_continue)
        return HttpResponseRedirect(self.row_url(obj))

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Redirect people who removed themselves as owners, because they cannot see the dashboard any more."""
        if self.has_view_permission(request, obj):
            return super().response_change(request, obj)
        return self.action_done(request, reverse("admin:index"), f"You are no longer an owner of {obj.title}.")

    path = column("URL", lambda row: cells.code(f"/dashboards/{row.slug}"), ordering="slug")
    state = column("Readers", lambda row: cells.chip(_STATES[row.visibility], _TONES.get(row.visibility, "")))
    number_of_tiles = column("Tiles", lambda row: row.tile_count, ordering="tile_count")
    published = column("Published", lambda row: cells.moment(row.published_at), ordering="published_at")
    owned_by = column("Owners", lambda row: ", ".join(_names(row)) or "–")


def _names(row: Dashboard) -> list[str]:
    return sorted(owner.username for owner in row.owners.all())
