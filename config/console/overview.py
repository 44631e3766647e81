"""The overview: a panel for each area, and the last clean-up.

Source: docs/reference/console.md §2.1.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from django.http import HttpRequest

from config import areas
from config.accounts import scope
from config.jobs import state


@dataclass(frozen=True, slots=True)
class ChecklistStep:
    """One step of the checklist towards a first message or record.

    url: where to do the step; "" if another person has to do it
    other: URL and label of a second way to do it
    """

    title: str
    explanation: str
    _: KW_ONLY
    is_done: bool
    url: str
    button: str
    other: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One area's part of the overview. Panels are sorted by `position`.

    template: renders the result of `numbers`, which makes a few cheap queries
    steps: the checklist, shown until every step is done
    """

    title: str
    position: int
    template: str
    is_open_to: Callable[[HttpRequest], bool]
    numbers: Callable[[HttpRequest], Mapping[str, Any]]
    steps: Callable[[HttpRequest], list[ChecklistStep]]


def shown(request: HttpRequest) -> list[dict[str, object]]:
    """Return the numbers of each panel this person may see, with its steps unless all are done."""
    found: list[dict[str, object]] = []
    for panel in sorted(areas.parts(Panel), key=lambda panel: panel.position):
        if panel.is_open_to(request):
            steps = panel.steps(request)
            left = [] if all(step.is_done for step in steps) else steps
            found.append({"panel": panel, "numbers": panel.numbers(request), "steps": left})
    return found


def clean_up(request: HttpRequest) -> dict[str, object]:
    """Return the state of the last clean-up, and whether this person may open its page."""
    return {"last": state.last(), "may_open": scope.is_operator(request)}
