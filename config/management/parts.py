"""What each area contributes to the shared commands, registered in its `apps.py`.

So `config` imports neither area, and `manage.py provision` can apply both parts of a document in one transaction.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.core.management import CommandError

from config.management.sealed_columns import SealedColumn


@dataclass(slots=True)
class Faults:
    """What is wrong with a document: one line each, in the order found, each naming its JSON path."""

    lines: list[str] = field(default_factory=list)

    def add(self, path: str, message: str) -> None:
        self.lines.append(f"{path}: {message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWish:
    """What demo data is asked for. One seed always makes the same; factor: how many times as much as usual."""

    seed: int = 1
    factor: int = 1


USUAL = DemoWish()


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """What an area's demo data leaves for `.demo.env` and for the printed lines.

    variables: name → value, such as NOTIFY_API_KEY; lines: finished lines for the screen, such as the one on the key.
    """

    variables: dict[str, str]
    lines: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of `manage.py doctor`: what was looked at, what was seen, and what to do. No fix: all is well."""

    name: str
    seen: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What `manage.py doctor` looks at, under this name. needs_tables: without the database it is not looked at."""

    name: str
    look: Callable[[], Finding]
    needs_tables: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What is due in one queue and has not been done, and how long the oldest of it has been due."""

    queue: str
    number: int
    oldest_seconds: float


class Refused(CommandError):
    """A command will not do it: one line that says why and what to do. Exit code 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One area's part of the shared commands.

    provision: applies the value under `provision_key` inside the caller's transaction and returns it completed;
               what is wrong goes into Faults, and then the caller stores nothing.
    demo:      makes the demo data that is not there yet; given what `.demo.env` already holds, name → value.
    wipe:      removes the demo data, and nothing else.
    tries:     name of a `manage.py try` target → function that does it over HTTP and returns the line to print.
    sweeps:    name → function that catches up with what was missed and returns how many rows it dealt with. What
               removes is a rule of clean-up, see config/console/clean_up/rules.py, and `manage.py sweep` runs both.
    checkups:  what `manage.py doctor` looks at beside the platform; each by itself.
    backlogs:  what is due and has not been done, by queue
    sealed:    the columns of encrypted values.
    """

    area: str
    provision_key: str
    provision: Callable[[object, Faults], object]
    demo: Callable[[dict[str, str], DemoWish], DemoResult]
    wipe: Callable[[], None]
    tries: dict[str, Callable[[str, dict[str, str]], str]] = field(default_factory=dict)
    sweeps: dict[str, Callable[[], int]] = field(default_factory=dict)
    checkups: tuple[Checkup, ...] = ()
    backlogs: Callable[[], Iterable[Backlog]] = tuple
    sealed: tuple[SealedColumn, ...] = ()


_parts: dict[str, Part] = {}


def register(part: Part) -> None:
    _parts[part.area] = part


def registered() -> list[Part]:
    """Return the parts of the areas that are installed, in the order of AREAS."""
    return list(_parts.values())
