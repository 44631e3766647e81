"""The questions of an import: what only a person can decide. Source: docs/reference/imports.md §4."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]  # Any: JSON
MAX_CHOICES = 12
_MAX_CHARACTERS = 300

CODES = ("encoding", "sheet", "hidden", "header", "columns", "totals", "dates", "numbers", "timestamp")


class Alternative(NamedTuple):
    """One answer. settings: what to merge into the settings of the import"""

    label: str
    settings: Mapping[str, Any]


def question(code: str, message: str, choices: Iterable[Alternative], *, column: str | None = None) -> Json:
    """Return a question as the API shows it."""
    return {
        "code": code,
        "column": column,
        "message": message[:_MAX_CHARACTERS],
        "choices": [
            {"label": choice.label[:_MAX_CHARACTERS], "settings": dict(choice.settings)}
            for choice in list(choices)[:MAX_CHOICES]
        ],
    }


def of_column(key: str, **settings: object) -> Json:
    """Return the settings of one column."""
    return {"columns": {key: settings}}
