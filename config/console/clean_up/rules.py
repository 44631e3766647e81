"""The rules of clean-up, registered by each area's app: one list for the clock, the page and `manage.py sweep`.

An area registers in its `ready`, so that `config` imports neither:

    rules.register(Rule(name="old-messages", title="Messages", keeps=…, preview=…, remove=…))

Source: Staff console §2.17.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Group(StrEnum):
    """What a rule is about, in the order of the page. TECHNICAL is what the program needs for itself."""

    MESSAGES = "Messages and files"
    DATA_SETS = "Data sets"
    ACCOUNTS = "Accounts and audit"
    TECHNICAL = "Technical data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What a rule would remove now from one service or data set; `label` is its name, or says what it is."""

    label: str
    number: int
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What one batch removed from one service or data set. error: in words for staff, why something of it stayed."""

    label: str
    number: int
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of thing that goes in time.

    name:    one word for addresses and commands, such as `old-messages`; it names the rows of its runs for ever.
    keeps:   how long rows are kept, in words that follow "Kept": "7 days".
    preview: what would go now, changing nothing; nothing that is due, no entry.
    remove:  removes all that is due, a batch at a time, and yields after each one. A batch is a transaction of its own,
             a few milliseconds long, over before the yield: between two of them writers have their turn, progress is
             noted, and the run may end, to begin anew in the next turn. So it starts from what it finds, and twice at
             once does no harm. What fails in one place is yielded as its `error`, and the others go on; an exception
             ends the run.
    every:   how often the clock runs it; None is every night at 03:00 UTC.
    aged:    as `remove`, for a rule whose age `manage.py sweep --older-than` may choose.
    group:   the part of the page it stands in.
    position: where it stands among the others: those of the areas first.
    permission: of people besides operators who see it, such as "datasets.manage_data_sets".
    """

    name: str
    title: str
    keeps: Callable[[], str]
    preview: Callable[[], Iterable[Due]]
    remove: Callable[[], Iterator[Removed]]
    every: timedelta | None = None
    aged: Callable[[timedelta], Iterator[Removed]] | None = None
    group: Group = Group.TECHNICAL
    position: int = 0
    permission: str = ""


_rules: dict[str, Rule] = {}


def register(*rules: Rule) -> None:
    for rule in rules:
        _rules[rule.name] = rule


def registered() -> list[Rule]:
    """Return the rules of the console and of the areas that are installed."""
    return sorted(_rules.values(), key=lambda rule: rule.position)


def named(name: str) -> Rule | None:
    return _rules.get(name)
