"""what a reader chooses in the URL of a dashboard: range, filter, language and frame.

Each value comes from a closed list, because each combination is computed and kept.
Source: docs/reference/dashboards.md §3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from datasets.dashboards import conditions
from datasets.dashboards.ranges import AS_SAVED, RANGES, asked
from datasets.models import Dashboard
from datasets.saved_queries.answering import View
from datasets.saved_queries.question import Question

LANGUAGES = ("en", "cy")


class UnknownChoice(ValueError):
    """The address has a range, a filter or a language that this dashboard does not offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderChoice:
    """range: one of RANGES; filter: a value of its filter, or blank; key: the token of the link, or blank"""

    range: str = AS_SAVED
    filter: str = ""
    language: str = "en"
    is_embedded: bool = False
    key: str = ""

    @classmethod
    def of(cls, dashboard: Dashboard, parameters: Mapping[str, str]) -> "ReaderChoice":
        """Return the choice of an address. Raises UnknownChoice. Other parameters have no effect."""
        found = cls(
            range=parameters.get("range", AS_SAVED),
            filter=parameters.get("filter", ""),
            language=parameters.get("lang", "en") or "en",
            is_embedded=parameters.get("embed") == "true",
            key=dashboard.link_token if parameters.get("key") else "",
        )
        offered = ["", *(dashboard.filter_values if dashboard.filter_field else ())]
        if found.range not in RANGES or found.filter not in offered or found.language not in LANGUAGES:
            raise UnknownChoice
        return found

    def query(self, **changed: str) -> str:
        """Return the query string of this choice with changes, or an empty text. Values by default are left out."""
        one = replace(self, **changed)  # type: ignore[arg-type]  # only texts are changed
        pairs = {
            "range": one.range,
            "filter": one.filter,
            "lang": one.language if one.language != "en" else "",
            "embed": "true" if one.is_embedded else "",
            "key": one.key,
        }
        found = urlencode({name: value for name, value in pairs.items() if value})
        return f"?{found}" if found else ""

    def view(self, question: Question, filter_field: str) -> View:
        """Return what this choice means for the question of a tile."""
        where = conditions.is_one_of(filter_field, [self.filter]) if self.filter and filter_field else ""
        return View(range=asked(self.range, question), where=where)
