"""The tiles of a dashboard and its preview. Source: docs/reference/dashboards.md §2, §4."""

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import translation

from config.accounts import scope
from config.audit import changes
from config.invalid import InvalidValue
from datasets.admin import dashboard_tabs
from datasets.admin.access import may_see_of, reads_some, saved_queries_of
from datasets.admin.dashboard_forms import PlaceForm, TileForm
from datasets.admin.ready_made_pages import ReadyMadePages
from datasets.dashboards import page, placing, publishing
from datasets.dashboards.choices import ReaderChoice, UnknownChoice
from datasets.dashboards.frame import frame
from datasets.dashboards.limits import MAX_TILES
from datasets.models import Dashboard, Tile


class DashboardPages(ReadyMadePages):
    """The pages of one dashboard. Owners of data sets and of dashboards may use them."""

    row_actions = {
        **ReadyMadePages.row_actions,
        "tiles": "tiles",
        "add-tile": "add_tile",
        "tile": "change_tile",
        "preview": "preview",
    }
    read_only_actions = frozenset({"preview"})

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return reads_some(request) or scope.once(
                request, "has_dashboards", lambda: self.get_queryset(request).exists()
            )
        return self.get_queryset(request).filter(pk=obj.pk).exists()

    has_change_permission = has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return reads_some(request)

    def row_url(self, obj: Any) -> str:
        """Return the URL of the tiles instead of the settings."""
        return self.url_of("tiles", obj)

    def tab(self, request: HttpRequest, row: Dashboard, current: str, **context: Any) -> TemplateResponse:
        title = f"{row.title}: {dashboard_tabs.TITLES[current].lower()}"
        shown = {**self.page_context(request, title, row), "tabs": dashboard_tabs.of(row, current), **context}
        return TemplateResponse(request, f"admin/datasets/dashboard/{current}.html", shown)

    def tiles(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Show the tiles in their order, with buttons that move them."""
        if request.method == "POST":
            form = PlaceForm(request.POST)
            tile = row.tiles.filter(pk=form.cleaned_data["tile"]).first() if form.is_valid() else None
            if tile is None:
                raise Http404
            placing.move(tile, form.cleaned_data["place"])
            self.audit(request, "changed", row, after={"order_of_tiles": list(row.tiles.values_list("pk", flat=True))})
            return HttpResponseRedirect(f"{self.row_url(row)}#tile-{tile.pk}")
        found = list(publishing.tiles_of(row))
        lines = [{"tile": one, "before": place - 1, "after": place + 1} for place, one in enumerate(found)]
        return self.tab(request, row, "tiles", lines=lines, last=len(found) - 1, is_full=len(found) >= MAX_TILES)

    def add_tile(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Add a tile as the last one."""
        tile = Tile(dashboard=row)
        form = TileForm(request.POST or None, instance=tile, queries=saved_queries_of(request))
        if request.method == "POST" and form.is_valid():
            try:
                placing.append(form.save(commit=False))
            except InvalidValue as error:
                return self.error_page(request, row, "Add tile", str(error))
            self.audit(request, "changed", row, after={"tile": changes.snapshot(tile)})
            return self.action_done(request, self.row_url(row), "The tile is added.")
        explanation = ["A tile shows the answer of a saved query, or a text."]
        return self.action_page(request, row, "Add tile", "Add tile", explanation, form=form)

    def change_tile(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Change or remove the tile that the URL names."""
        pk = request.GET.get("tile", "")
        tile = row.tiles.filter(pk=pk).first() if pk.isascii() and pk.isdigit() and len(pk) < 19 else None
        if tile is None:
            raise Http404
        before = changes.snapshot(tile)
        if request.method == "POST" and "remove" in request.POST:
            tile.delete()
            self.audit(request, "changed", row, before={"tile": before})
            return self.action_done(request, self.row_url(row), "The tile is removed.")
        form = TileForm(request.POST or None, instance=tile, queries=saved_queries_of(request))
        if request.method == "POST" and form.is_valid():
            form.save()
            was, now = changes.difference(before, changes.snapshot(tile))
            if now:
                self.audit(request, "changed", row, before={"tile": was}, after={"tile": now})
            return self.action_done(request, self.row_url(row), "The tile is saved.")
        title = f"Change tile {tile.title}".rstrip()
        template = "admin/datasets/dashboard/tile.html"
        return self.action_page(request, row, title, "Save tile", form=form, template=template)

    def preview(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Show the page as readers will see it, with the data sets that this person may see."""
        try:
            choice = ReaderChoice.of(row, request.GET)
        except UnknownChoice as error:
            raise Http404 from error
        may_see, is_shown = may_see_of(request), partial(publishing.shows, row)
        found = list(publishing.tiles_of(row))
        with translation.override(choice.language):
            shown = page.of(row, choice, found=found, may_show=lambda *read: is_shown(*read) or may_see(*read))
            context = {**frame(row, choice, dashboard_tabs.url(row, "preview")), "page": shown, "is_preview": True}
            context |= {"csv_links": False, "is_indexed": False, "back_url": self.row_url(row)}
            return TemplateResponse(request, "dashboards/dashboard.html", context).render()
