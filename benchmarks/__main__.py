"""Run the named figures, or all, one after the other: `python -m benchmarks [P1 P3 …] [--rounds 3] [--seconds 5]`.

Each figure runs in its own process, which stops its servers, for at most MINUTES. The exit code is 1 if a figure does
not finish. A missed target is shown in the table and does not change the exit code. Ratios that are more than 10 %
worse than the last ones in `benchmarks/history.jsonl` are listed below the table; `--keep` adds those of this run to
the file, for the version in `config/version.py`.
"""

import argparse
import importlib
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from benchmarks.frame import history
from benchmarks.frame.bench import Bench, commit
from config.version import VERSION

FOLDER = Path(__file__).parent
MINUTES = 30  # the longest fills a table with ten million rows
STOP_SECONDS = 60  # for a figure to stop its servers


def figures() -> dict[str, str]:
    """Return the module of each figure by its number: P1 → benchmarks.p1_post_message."""
    found = sorted(FOLDER.glob("p[0-9]*_*.py"), key=lambda path: int(path.stem.partition("_")[0][1:]))
    return {path.stem.partition("_")[0].upper(): f"benchmarks.{path.stem}" for path in found}


def main() -> None:
    known = figures()
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(known))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="seconds of load in each measurement, at most 20")
    parser.add_argument("--keep", action="store_true", help="add the ratios to benchmarks/history.jsonl")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # one figure, in this process
    given = parser.parse_args()
    named = [name.upper() for name in given.figures] or list(known)
    unknown = [name for name in named if name not in known]
    if unknown:
        parser.error(f"{', '.join(unknown)}: choose from {', '.join(known)}")

    if given.here:
        _be(known[named[0]], Bench(rounds=given.rounds, seconds=given.seconds), is_kept=given.keep)
        return
    options = ["--here", "--rounds", str(given.rounds), "--seconds", str(given.seconds)]
    options += ["--keep"] if given.keep else []
    failed = [name for name in named if not _run([sys.executable, "-m", "benchmarks", name, *options])]
    if failed:
        sys.exit(f"These figures did not finish: {', '.join(failed)}")


def _be(module: str, bench: Bench, *, is_kept: bool) -> None:
    signal.signal(signal.SIGTERM, _leave)  # otherwise the started servers would keep running
    bench.show_machine()
    importlib.import_module(module).main(bench)
    bench.show_table()
    for sentence in history.worse(bench.lines):
        print(sentence, flush=True)
    if is_kept:
        history.keep(bench.lines, version=VERSION, commit=commit())


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(1)


def _run(command: list[str]) -> bool:
    # An installation has bytecode files. Without them, each command compiles its modules, which takes a second of CPU.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    figure = subprocess.Popen(command, env=variables)
    try:
        return figure.wait(MINUTES * 60) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        figure.terminate()
        with suppress(subprocess.TimeoutExpired):
            figure.wait(STOP_SECONDS)
        figure.kill()


if __name__ == "__main__":
    main()
