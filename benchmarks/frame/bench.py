"""Run alternating rounds, print one JSON line for each figure, and a table of all figures."""

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent.parent
TIMES = 3  # factor for the number of rounds if other work on the machine lasts longer than a round


@dataclass(slots=True, kw_only=True)
class Bench:
    """A run of figures.

    rounds: the number of measurements
    seconds: the load in each measurement
    lines: what was printed for each figure
    """

    rounds: int = 3
    seconds: float = 5
    lines: list[dict[str, object]] = field(default_factory=list)

    def with_more_rounds(self) -> Self:
        """Return a Bench with TIMES as many rounds and the same table, for short rounds, which other work distorts."""
        return replace(self, rounds=TIMES * self.rounds)

    def interleave(self, **measures: Callable[[], T]) -> dict[str, list[T]]:
        """Measure all in each round, so that other work on the machine affects them equally."""
        found: dict[str, list[T]] = {name: [] for name in measures}
        for number in range(self.rounds):
            # Every second round is reversed, so that no measurement always follows the same one.
            for name in list(measures)[:: -1 if number % 2 else 1]:
                found[name].append(measures[name]())
        return found

    def show(
        self,
        figure: str,
        values: Sequence[float],
        unit: str,
        *,
        against: tuple[str, Sequence[float]] | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
        **more: object,
    ) -> None:
        """Print one figure and add it to the table.

        values: one for each round; printed as median, minimum and maximum
        against: the name and the values of the comparison in the same rounds; the ratio is the median of all rounds
        at_least, at_most: the target of the ratio if there is one, else of the value
        more: further values of the line
        """
        line: dict[str, object] = {"figure": figure, **_spread("value", values), "unit": unit}
        judged = statistics.median(values)
        if against is not None:
            name, others = against
            ratios = [value / other for value, other in zip(values, others, strict=True)]
            judged = statistics.median(ratios)
            line |= {"ratio_to": name, **_spread("ratio", ratios), **_spread("ratio_to_value", others)}
        reached = _reached(judged, at_least, at_most)
        if reached is not None:
            line |= {"target": f">= {at_least}" if at_least is not None else f"<= {at_most}", "reached": reached}
        print(json.dumps(line | more), flush=True)
        self.lines.append(line)

    def show_machine(self) -> None:
        """Print the machine, the interpreter, the commit and the load of the machine."""
        about = {
            "machine": platform.platform(),
            "processor": _first("/proc/cpuinfo", "model name"),
            "cores": os.cpu_count(),
            "memory": _first("/proc/meminfo", "MemTotal"),
            "load": os.getloadavg()[0],
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "commit": commit(),
            "rounds": self.rounds,
        }
        print(json.dumps(about), flush=True)

    def show_table(self) -> None:
        heads = ("figure", "median", "min … max", "unit", "against", "ratio", "target", "reached")
        rows = [_row(line) for line in self.lines]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for row in (heads, tuple("-" * width for width in widths), *rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), flush=True)


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {
        name: _rounded(statistics.median(values)),
        f"{name}_min": _rounded(min(values)),
        f"{name}_max": _rounded(max(values)),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _reached(value: float, at_least: float | None, at_most: float | None) -> bool | None:
    if at_least is not None:
        return value >= at_least
    return None if at_most is None else value <= at_most


def _row(line: dict[str, object]) -> tuple[str, ...]:
    ratio = f"{line['ratio']} ({line['ratio_min']} … {line['ratio_max']})" if "ratio" in line else ""
    against = f"{line['ratio_to']} {line['ratio_to_value']}" if "ratio_to" in line else ""
    reached = {True: "yes", False: "NO", None: ""}[line.get("reached")]  # type: ignore[index]  # a bool or nothing
    words = (line["figure"], line["value"], f"{line['value_min']} … {line['value_max']}", line["unit"])
    return (*map(str, words), against, ratio, str(line.get("target", "")), reached)


def _first(file: str, name: str) -> str:
    lines = Path(file).read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")


def commit() -> str:
    output = [
        subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
    ]
    return f"{output[0]} with changes" if output[1] else output[0]
