"""What surrounds the tiles of a page: the choices of range and filter, the other language, and addresses.

Source: docs/reference/dashboards.md §3, §4.
"""

from typing import Any

from django.utils.translation import gettext

from datasets.dashboards.choices import ReaderChoice
from datasets.dashboards.ranges import AS_SAVED, THIS_YEAR
from datasets.models import Dashboard, Visibility


def frame(dashboard: Dashboard, choice: ReaderChoice, page_url: str) -> dict[str, Any]:
    """Return the context of the page around its tiles. page_url: of the page without parameters"""
    ranges = [
        (AS_SAVED, gettext("As published")),
        ("last-30-days", gettext("Last 30 days")),
        ("last-3-months", gettext("Last 3 months")),
        ("last-12-months", gettext("Last 12 months")),
        (THIS_YEAR, gettext("This year")),
    ]
    other = "cy" if choice.language == "en" else "en"
    return {
        "dashboard": dashboard,
        "choice": choice,
        "page_url": page_url,
        "own_query": choice.query(),
        "csv_links": True,
        "ranges": [(name, title, name == choice.range) for name, title in ranges],
        "filters": [(value, value == choice.filter) for value in dashboard.filter_values]
        if dashboard.filter_field
        else [],
        "chosen": ", ".join(
            [title for name, title in ranges if name == choice.range] + [choice.filter] * bool(choice.filter)
        ),
        "other_language": other,
        "other_query": choice.query(language=other),
        "is_indexed": dashboard.visibility == Visibility.PUBLIC and choice.query() in ("", "?lang=cy"),
    }
