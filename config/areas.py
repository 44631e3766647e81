"""The registry of the parts that each area adds to shared pages, commands and jobs. Its `apps.py` registers them.

    areas.register("notifications", REVOKE_KEYS, SWITCHER, PANEL, …)

`areas.parts(Panel)` returns the parts of one type. So `config` imports neither area.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

Part = TypeVar("Part")


@dataclass(slots=True)
class DocumentErrors:
    """The errors of a document: one line each, with the JSON path."""

    lines: list[str] = field(default_factory=list)

    def add(self, path: str, message: str) -> None:
        self.lines.append(f"{path}: {message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """The requested demo data. The same seed creates the same data; factor: multiplies the amount."""

    seed: int = 1
    factor: int = 1


USUAL = DemoOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """The result of creating an area's demo data.

    variables: name → value for `.demo.env`, such as NOTIFY_API_KEY; lines: lines to print
    """

    variables: dict[str, str]
    lines: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of a health check. `fix` is blank if the check has passed."""

    name: str
    seen: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """A check of `manage.py doctor` and the deep check. needs_tables: it is skipped without the database."""

    name: str
    look: Callable[[], Finding]
    needs_tables: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """The number of due items of one queue, and the age of the oldest."""

    queue: str
    number: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pausable:
    """Something that operators can pause. kind, name: labels of the metric, such as "channel" and "email"."""

    kind: str
    name: str
    is_paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """One area's part of the shared commands.

    provision: applies the value of `provision_key` inside the caller's transaction and returns it completed;
               it adds errors to DocumentErrors, and then the caller rolls back.
    demo:      creates missing demo data; its argument is the content of `.demo.env`, name → value.
    wipe:      removes the demo data only.
    tries:     name of a `manage.py try` target → function that calls the API and returns the line to print.
    sweeps:    name → function that catches up with missed work and returns how many rows it handled.
               `manage.py sweep` also runs the retention rules, see config/jobs/rules.py.
    health_checks: checks in addition to those of the platform.
    backlogs:  due items by queue.
    pausables: what operators can pause, and whether it is paused.
    """

    area: str
    provision_key: str
    provision: Callable[[object, DocumentErrors], object]
    demo: Callable[[dict[str, str], DemoOptions], DemoResult]
    wipe: Callable[[], None]
    tries: dict[str, Callable[[str, dict[str, str]], str]] = field(default_factory=dict)
    sweeps: dict[str, Callable[[], int]] = field(default_factory=dict)
    health_checks: tuple[HealthCheck, ...] = ()
    backlogs: Callable[[], Iterable[Backlog]] = tuple
    pausables: Callable[[], Iterable[Pausable]] = tuple


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvisionKey:
    """Another key of a `manage.py provision` document. It is applied after those of `Commands`.

    apply: as `Commands.provision`
    """

    key: str
    apply: Callable[[object, DocumentErrors], object]


_parts: dict[str, tuple[object, ...]] = {}


def register(area: str, *parts: object) -> None:
    """Register all parts of an area or of the console."""
    _parts[area] = parts


def parts(kind: type[Part]) -> list[Part]:
    """Return the parts of one type, of the areas that are installed, in the order of AREAS."""
    return [part for parts in _parts.values() for part in parts if isinstance(part, kind)]


def commands() -> list[Commands]:
    return parts(Commands)
