"""What the overview shows; each area registers its part, so that `config` imports neither.

Source: Staff console §2.1.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number that one cheap query gives. `detail` says what it counts and since when."""

    label: str
    value: int
    detail: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the way to a first message or record; it ticks itself."""

    title: str
    explanation: str
    is_done: bool
    url: str
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One area's part of the overview, for people who hold `permission`; they stand by `position`."""

    title: str
    position: int
    permission: str
    figures: Callable[[], list[Figure]]
    steps: Callable[[], list[Step]]


_panels: dict[str, Panel] = {}


def register(panel: Panel) -> None:
    _panels[panel.title] = panel


def shown(request: HttpRequest) -> list[dict[str, object]]:
    """Return the figures of each panel this person may see, and its steps while one of them is still to be done."""
    found: list[dict[str, object]] = []
    for panel in sorted(_panels.values(), key=lambda panel: panel.position):
        if not request.user.has_perm(panel.permission):
            continue
        steps = panel.steps()
        is_finished = all(step.is_done for step in steps)
        found.append({"title": panel.title, "figures": panel.figures(), "steps": [] if is_finished else steps})
    return found
