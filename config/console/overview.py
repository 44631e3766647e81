"""What the overview shows; each area registers its part, so that `config` imports neither.

Source: Staff console §2.1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from config.console import scope
from config.console.clean_up import state


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the way to a first message or record; it ticks itself. No url: others have to do it.

    other: address and label of a second way to do it.
    """

    title: str
    explanation: str
    is_done: bool
    url: str
    button: str
    other: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One area's part of the overview; they stand by `position`.

    template: draws what `figures` returns, a few cheap queries over counters
    steps: the checklist, shown while one of them is still to be done
    """

    title: str
    position: int
    template: str
    is_open_to: Callable[[HttpRequest], bool]
    figures: Callable[[HttpRequest], Mapping[str, Any]]
    steps: Callable[[HttpRequest], list[Step]]


_panels: dict[str, Panel] = {}


def register(panel: Panel) -> None:
    _panels[panel.title] = panel


def shown(request: HttpRequest) -> list[dict[str, object]]:
    """Return the figures of each panel this person may see, and its steps while one of them is still to be done."""
    found: list[dict[str, object]] = []
    for panel in sorted(_panels.values(), key=lambda panel: panel.position):
        if not panel.is_open_to(request):
            continue
        steps = panel.steps(request)
        is_finished = all(step.is_done for step in steps)
        found.append(
            {
                "title": panel.title,
                "template": panel.template,
                "figures": panel.figures(request),
                "steps": [] if is_finished else steps,
            }
        )
    return found


def clean_up(request: HttpRequest) -> dict[str, object]:
    """Return when clean-up last came to an end, which rules failed, and whether that is too long ago."""
    return {"last": state.last(), "may_open": scope.is_operator(request)}
