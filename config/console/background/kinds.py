"""What can be done to many rows, registered by the admin that offers it: one list for pages and workers.

    kinds.register(Kind(name="revoke-keys", verb="Revoke", noun="API key", done="revoked", batch=over_rows(revoke)))

Source: Staff console §1.2 T11.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from config.console import cells
from config.console.models import BackgroundStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a batch came to: how many rows had their turn, how many of them it changed, and whether any are left."""

    passed: int
    changed: int
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One thing that can be done to many rows.

    name:  one word, which names the rows of its steps for ever.
    verb, noun, done: "Revoke", "API key", "revoked": the title is "Revoke 12 480 API keys".
    batch: does about so many rows of a step, in its caller's transaction, which also moves the step's position. It
           begins at that position or from what it finds, so a batch that was rolled back is done again.
    after: a sentence that follows when it is over.
    """

    name: str
    verb: str
    noun: str
    done: str
    batch: Callable[[BackgroundStep, int], Batch]
    after: str = ""

    def title(self, step: BackgroundStep) -> str:
        return f"{self.verb} {self.counted(step.total)}{_from(step)}"

    def told(self, step: BackgroundStep) -> str:
        """Say what has been done."""
        return f"{self.counted(step.changed)} {self.done}{_from(step)}. {self.after}".rstrip()

    def counted(self, number: int) -> str:
        return f"{cells.number(number)} {self.noun}{'' if number == 1 else 's'}"


def over_rows(change: Callable[[BackgroundStep, Sequence[str]], int]) -> Callable[[BackgroundStep, int], Batch]:
    """Return a batch that gives the step's own rows to `change`, some at a time; it returns how many it changed."""

    def batch(step: BackgroundStep, at_once: int) -> Batch:
        some = step.rows[step.position : step.position + at_once]
        changed = change(step, some) if some else 0
        return Batch(passed=len(some), changed=changed, is_last=step.position + len(some) >= len(step.rows))

    return batch


_kinds: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    for kind in kinds:
        _kinds[kind.name] = kind


def named(name: str) -> Kind | None:
    return _kinds.get(name)


def _from(step: BackgroundStep) -> str:
    name = step.arguments.get("name")
    return f" from {name}" if name else ""
