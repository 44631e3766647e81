"""The pages that publish a dashboard and close it again. Source: docs/reference/dashboards.md §5."""

from collections import defaultdict
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config import audit, formats
from config.invalid import InvalidValue
from datasets.admin import access, dashboard_tabs
from datasets.admin.access import author
from datasets.admin.dashboard_forms import PublishForm
from datasets.admin.dashboard_pages import DashboardPages
from datasets.dashboards import publishing
from datasets.errors import NoSuchDataSet, SavedQueryInvalid
from datasets.models import Dashboard, DataSet, Visibility
from datasets.saved_queries import answering, small_numbers

_NO_LINK = "This dashboard has no link. Publish it for people with the link first."


class DashboardPublishing(DashboardPages):
    """Publish, unpublish, and the link. Publishing and a new link need a recent sign-in."""

    row_actions = {
        **DashboardPages.row_actions,
        "sharing": "sharing",
        "publish": "publish",
        "unpublish": "unpublish",
        "new-link": "new_link",
    }
    protected_actions = frozenset({"publish", "new-link"})

    def sharing(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Show the readers of the dashboard, and its URL."""
        is_open = row.visibility != Visibility.PRIVATE
        shown: dict[str, Any] = {"is_open": is_open, "public_url": public_url(row) if is_open else ""}
        shown["opened"] = publishing.opened_sets_of(row).select_related("group", "type")
        shown["has_link"] = row.visibility == Visibility.LINK
        return self.tab(request, row, "sharing", **shown)

    def publish(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Ask for the readers, name the data sets that are opened, and publish."""
        title = f"Publish {row.title}"
        try:
            read = publishing.read_by(row)
        except (SavedQueryInvalid, NoSuchDataSet) as error:
            return self.error_page(request, row, title, f"A tile cannot be published. {error}")
        form = PublishForm(
            request.POST or None,
            initial={"visibility": Visibility.PUBLIC if row.visibility == Visibility.PRIVATE else row.visibility},
        )
        if request.method == "POST" and form.is_valid():
            readers = Visibility(form.cleaned_data["visibility"])
            actor, may_publish = audit.person(request), access.may_see_of(request)
            try:
                publishing.publish(row, readers, by=author(request), actor=actor, may_publish=may_publish)
            except InvalidValue as error:
                return self.error_page(request, row, title, str(error))
            return self.action_done(request, dashboard_tabs.url(row, "sharing"), f"{row.title} is published.")
        sets = publishing.each_once(one for _, one in read)
        private = [str(one) for one in sets if not one.public]
        number = formats.counted(row.tiles.count(), "tile")
        explanation = [
            f"Readers see the title, the texts and the figures of {number}, but no single record.",
            f"Figures of these data sets are opened: {formats.listed(private, 'and')}."
            if private
            else "All of its data sets are public already.",
            "The page shows new data by itself. Look at the preview before you publish.",
        ]
        if any(one.personal for one in sets):
            explanation.append(
                f"Readers do not see counts below {small_numbers.HIDE_BELOW} of data sets that are marked as personal, "
                "unless a tile has its own number. The preview shows them until you publish."
            )
            explanation += _comparable(row)
        return self.action_page(
            request,
            row,
            title,
            "Publish dashboard",
            explanation,
            form=form,
            template="admin/datasets/dashboard/publish.html",
            preview_url=dashboard_tabs.url(row, "preview"),
        )

    def unpublish(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        title = f"Unpublish {row.title}"
        if row.visibility == Visibility.PRIVATE:
            return self.error_page(request, row, title, "This dashboard is not published.")
        if request.method == "POST":
            publishing.unpublish(row, actor=audit.person(request))
            message = f"{row.title} is not published any more."
            return self.action_done(request, dashboard_tabs.url(row, "sharing"), message)
        minutes = formats.duration(settings.DATASETS_CACHE_SECONDS)
        explanation = [
            "Readers get the page of an unknown URL.",
            f"Browsers and caches that have the page may show it for another {minutes}.",
            "A link stops working for good. If you publish the dashboard again, it gets another one.",
        ]
        button = "Unpublish dashboard"
        return self.action_page(request, row, title, button, explanation, is_destructive=True)

    def new_link(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        title = f"Create a new link to {row.title}"
        if row.visibility != Visibility.LINK:
            return self.error_page(request, row, title, _NO_LINK)
        if request.method == "POST":
            publishing.rotate_link(row, actor=audit.person(request))
            return self.action_done(request, dashboard_tabs.url(row, "sharing"), "The old link does not work any more.")
        explanation = ["People who have the old link cannot open the dashboard with it any more."]
        return self.action_page(request, row, title, "Create new link", explanation)


def _comparable(row: Dashboard) -> list[str]:
    """Return a sentence for each personal data set that several tiles measure. Each tile hides its own."""
    tiles_of: defaultdict[DataSet, list[str]] = defaultdict(list)
    for tile in publishing.tiles_of(row):
        for one in set(answering.data_sets_of(tile.saved_query)) if tile.saved_query else ():
            if one.personal:
                tiles_of[one].append(f"“{tile.title or tile.saved_query}”")
    return [
        f"{formats.listed(names, 'and')} are about {one}. Each hides its own small counts, but a reader can subtract "
        "one from another, or multiply a share by its total. Remove a tile if that shows a small count."
        for one, names in tiles_of.items()
        if len(names) > 1
    ]


def public_url(row: Dashboard) -> str:
    key = f"?key={row.link_token}" if row.visibility == Visibility.LINK else ""
    return f"{settings.BASE_URL}/dashboards/{row.slug}{key}"
