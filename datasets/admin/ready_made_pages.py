"""*Add a key figure*: two forms in plain words that make the saved queries and tiles of one of the four figures.

Source: docs/reference/dashboards.md §8.
"""

from django.http import HttpRequest, HttpResponse

from config.console.admin import ConsoleModelAdmin
from config.invalid import InvalidValue
from datasets.admin.access import author, data_sets_of
from datasets.admin.ready_made_forms import KeyFieldsForm, ReadyMadeForm
from datasets.dashboards import ready_made
from datasets.dashboards.ready_made import TEXTS, Kind
from datasets.models import Dashboard, DataSet, FieldSeen
from datasets.store import fields_seen

_TITLE = "Add a key figure"
_MOST_SAMPLED = 10  # the newest data sets without fields, which the page samples; the clock samples the others


class ReadyMadePages(ConsoleModelAdmin):
    """The page that adds a key figure to a dashboard."""

    row_actions = {"ready-made": "add_ready_made"}

    def add_ready_made(self, request: HttpRequest, row: Dashboard) -> HttpResponse:
        """Ask for the figure and its data sets, then for their fields, and add two tiles."""
        unknown = data_sets_of(request).filter(pk__in=fields_seen.stale(), fields_seen=None)
        for data_set in unknown.order_by("-pk")[:_MOST_SAMPLED]:
            fields_seen.refresh(data_set)
        chosen = ReadyMadeForm(request.GET if "kind" in request.GET else None, sets=data_sets_of(request))
        if not chosen.is_valid():
            return self._choose(request, row, chosen)
        kind = Kind(chosen.cleaned_data["kind"])
        data_set, cost_set = chosen.cleaned_data["data_set"], chosen.cleaned_data["cost_set"]
        empty = [one for one in (data_set, cost_set) if one is not None and not _has_fields(one)]
        if empty:
            chosen.add_error(None, f"{empty[0]} has no records yet. Write its first record, then try again.")
            return self._choose(request, row, chosen)
        form = KeyFieldsForm(request.POST or None, kind=kind, data_set=data_set, cost_set=cost_set)
        if request.method == "POST" and form.is_valid():
            try:
                tiles = ready_made.add(form.described(), row, by=author(request))
            except InvalidValue as error:
                return self.error_page(request, row, _TITLE, str(error))
            for query in (tile.saved_query for tile in tiles if tile.saved_query is not None):
                self.audit(request, "created", query, after={"question": query.question})
            self.audit(request, "changed", row, after={"tiles": [tile.title for tile in tiles]})
            number = next(tile.saved_query for tile in tiles if tile.saved_query is not None)
            done = f"{TEXTS[kind].title} is added: a number and a chart. {ready_made.now_of(number)}"
            return self.action_done(request, self.row_url(row), done)
        title = f"Add {TEXTS[kind].title.lower()}"
        explanation = [TEXTS[kind].about, f"It is calculated from {_named(data_set, cost_set)}."]
        return self.action_page(request, row, title, "Add key figure", explanation, form=form)

    def _choose(self, request: HttpRequest, row: Dashboard, form: ReadyMadeForm) -> HttpResponse:
        explanation = ["You answer a few questions. The dashboard gets a number, and a chart of the months."]
        template = "admin/datasets/dashboard/ready_made.html"
        return self.action_page(request, row, _TITLE, "Continue", explanation, form=form, template=template)


def _has_fields(data_set: DataSet) -> bool:
    """Return whether the fields of the records are known. Look for them if no page has done so yet."""
    fields_seen.refresh(data_set)
    return FieldSeen.objects.filter(data_set=data_set).exists()


def _named(data_set: DataSet, cost_set: DataSet | None) -> str:
    return str(data_set) if cost_set is None or cost_set == data_set else f"{data_set} and {cost_set}"
