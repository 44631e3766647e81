"""The ratios of earlier runs: one JSON line for each figure and run that was kept, in benchmarks/history.jsonl.

A ratio compares two measurements of one run, so it may be compared with those of other machines; seconds may not.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "history.jsonl"
WORSE = 0.1  # of the last ratio: less is noise
_KEPT = ("figure", "ratio", "target")


def worse(lines: Iterable[dict[str, Any]], file: Path = FILE) -> list[str]:
    """Return a sentence for each figure whose ratio is more than 10 % worse than the last one that was kept.

    lines: what `Bench` has printed. A ratio with a target `<=` is worse if it is greater.
    """
    last = {line["figure"]: line for line in _lines(file)}
    return [
        f"{line['figure']}: the ratio is {line['ratio']}. It was {last[line['figure']]['ratio']} in"
        f" {last[line['figure']]['version']} ({last[line['figure']]['commit']})."
        for line in lines
        if "ratio" in line and line["figure"] in last and _is_worse(line, last[line["figure"]]["ratio"])
    ]


def keep(lines: Iterable[dict[str, Any]], *, version: str, commit: str, file: Path = FILE) -> None:
    """Add the figures with a ratio, in place of those of the same version."""
    new = [
        {"version": version, "commit": commit, **{name: line[name] for name in _KEPT if name in line}}
        for line in lines
        if "ratio" in line
    ]
    replaced = {(version, line["figure"]) for line in new}
    others = [line for line in _lines(file) if (line["version"], line["figure"]) not in replaced]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [*others, *new]))


def _is_worse(line: dict[str, Any], last: float) -> bool:
    is_most = str(line.get("target", "")).startswith("<")
    return bool(line["ratio"] > last * (1 + WORSE) if is_most else line["ratio"] < last * (1 - WORSE))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
