"""Prove that the service survives the loss of any one part: `python -m benchmarks.scaleout [CASE …]`, as root.

The servers of `deploy` run from a Debian root file system, each on its own machine: a network namespace with an address
of 127.0.1.0/24. 20 emails a second go through HAProxy while a case breaks one part. The table at the end has a line for
each case, and the exit code is 1 if one is not green.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from benchmarks.scaleout import contained, debian
from benchmarks.scaleout.cases import CASES
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict


def main() -> None:
    given = _arguments()
    debian.root(given.cache)  # while there is a network
    folder = contained.enter(keep=given.keep)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    verdicts = []
    try:
        began = time.monotonic()
        stand = Stand(debian.root(given.cache), folder, given.previous)
        stand.start_application()
        print(f"The stand runs after {time.monotonic() - began:.0f} s. Logs: {folder}", flush=True)
        for name in given.cases:
            verdicts.append(_run(name, stand))
    finally:
        _show(verdicts)
    if len(verdicts) < len(given.cases) or not all(verdict.is_green for verdict in verdicts):
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaleout", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--cache", type=Path, default=debian.CACHE, help="folder of the Debian root file system")
    parser.add_argument(
        "--from", dest="previous", metavar="REVISION", help="S9 upgrades from it; default: the latest tag"
    )
    parser.add_argument("--keep", action="store_true", help="keep the logs of a green run")
    given = parser.parse_args()
    given.cases = [name.upper() for name in given.cases] or list(CASES)
    unknown = [name for name in given.cases if name not in CASES]
    if unknown:
        parser.error(f"{', '.join(unknown)}: choose from {', '.join(CASES)}")
    return given


def _run(name: str, stand: Stand) -> Verdict:
    began = time.monotonic()
    try:
        verdict = CASES[name](stand)
    except Exception as error:  # noqa: BLE001  a case that cannot run is a red line, and the others go on
        verdict = Verdict(name)
        verdict.broken.append(f"could not run: {type(error).__name__}: {error}")
    verdict.seen["took s"] = round(time.monotonic() - began)
    verdict.show()
    return verdict


def _show(verdicts: list[Verdict]) -> None:
    print("\n| Case | Result | Seen |\n|---|---|---|")
    for verdict in verdicts:
        seen = ", ".join(f"{name} {value}" for name, value in verdict.seen.items())
        result = "green" if verdict.is_green else "; ".join(verdict.broken)
        print(f"| {verdict.case} | {result} | {seen} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
