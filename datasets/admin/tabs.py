"""The tabs of one data set, shown on its own pages and those of its tokens. Source: docs/reference/console.md §2.15."""

from django.urls import reverse

from datasets.models import DataSet

TITLES = {
    "overview": "Overview",
    "records": "Records",
    "chart": "Chart",
    "imports": "Import",
    "export": "Export",
    "rejected": "Rejected",
    "schema": "Schema",
    "retention": "Retention",
    "activity": "Activity",
    "tokens": "For developers",
    "change": "Settings",
}


PARTIAL = ("records", "chart", "tokens", "export")  # of statistics of which a person reads a part


def of(data_set: DataSet, current: str) -> list[dict[str, object]]:
    """Return the tabs of the person whose pages show the data set."""
    return [
        {"title": title, "url": url(data_set, word), "is_current": word == current}
        for word, title in TITLES.items()
        if word in PARTIAL or not data_set.is_read_in_part
    ]


def first(data_set: DataSet) -> str:
    return PARTIAL[0] if data_set.is_read_in_part else "overview"


def url(data_set: DataSet, word: str) -> str:
    return reverse(f"admin:datasets_dataset_{word}", args=[data_set.pk])
