"""Decide whether a case is green: nothing lost, nothing twice without an uncertain attempt, and its own limits."""

import json
import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from benchmarks.faults.stand import Answer

MOST_IN_FLIGHT = 40  # two workers with two processes for emails, each with a batch of 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen while a case ran. uncertain: the messages that arrived twice and have an uncertain attempt."""

    answers: list[Answer]
    lost: int
    twice: int
    uncertain: int
    longest_gap: float

    @property
    def statuses(self) -> Counter[int]:
        return Counter(answer.status for answer in self.answers)

    @property
    def accepted(self) -> list[str]:
        return [answer.id for answer in self.answers if answer.status == 201]

    @property
    def refused(self) -> list[Answer]:
        return [answer for answer in self.answers if answer.status != 201]

    @property
    def refused_seconds(self) -> float:
        """Return the time from the first call that was refused to the last answer with a refusal."""
        if not self.refused:
            return 0.0
        first = min(answer.at for answer in self.refused)
        return max(answer.at + answer.seconds for answer in self.refused) - first

    @property
    def slowest(self) -> float:
        return max((answer.seconds for answer in self.answers), default=0.0)

    def row(self) -> dict[str, Any]:
        return {
            "calls": len(self.answers),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "lost": self.lost,
            "twice": self.twice,
            "refused s": round(self.refused_seconds, 1),
            "slowest s": round(self.slowest, 1),
            "median ms": round(1000 * statistics.median(answer.seconds for answer in self.answers)),
            "gap s": round(self.longest_gap, 1),
        }


@dataclass(slots=True)
class Verdict:
    """The result of a case: what it saw, and each rule that did not hold."""

    case: str
    seen: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def is_green(self) -> bool:
        return not self.broken

    def require(self, holds: bool, rule: str) -> None:
        if not holds:
            self.broken.append(rule)

    def require_always(self, seen: Seen) -> None:
        """Check the rules of every case."""
        self.seen |= seen.row()
        foreign = sum(not is_our_envelope(answer) for answer in seen.refused)
        self.require(bool(seen.accepted), "no call was accepted")
        self.require(seen.lost == 0, f"{seen.lost} accepted messages were not handed over within 60 s")
        self.require(seen.twice <= MOST_IN_FLIGHT, f"{seen.twice} messages arrived twice, more than were in flight")
        without = seen.twice - seen.uncertain
        self.require(without == 0, f"{without} messages arrived twice without an uncertain attempt")
        self.require(foreign == 0, f"{foreign} refusals are not in our envelope")

    def require_no_refusal(self, seen: Seen) -> None:
        self.require(not seen.refused, f"{len(seen.refused)} calls were refused")

    def show(self) -> None:
        result = {"case": self.case, "green": self.is_green, **self.seen, "broken": self.broken}
        print(json.dumps(result), flush=True)


def is_our_envelope(answer: Answer) -> bool:
    """Return whether a refusal of the sending API has its documented body."""
    errors = answer.body.get("errors")
    return (
        "status_code" in answer.body
        and isinstance(errors, list)
        and all(set(error) >= {"error", "message"} for error in errors)
    )
