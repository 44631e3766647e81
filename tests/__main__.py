"""Run the whole suite: `python -m tests [arguments of pytest]`.

The suite runs on SQLite and the file queue. At the same time, the tests that use a database or a running service run on
PostgreSQL and Redis: on the servers in TEST_DATABASE_URL and TEST_REDIS_URL (or DATABASE_URL and REDIS_URL), in new
databases, or else on temporary servers if the programs are installed. Without arguments, style, types and layers are
checked beside the tests. With CI=true a skipped test is a failure.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from tests.servers import ROOT, PrivatePostgres, PrivateRedis, postgres_database

NO_TESTS_COLLECTED = 5  # pytest's exit code
FIELD_KEY = "ZmllbGQta2V5LWZvci1taWdyYXRpb25zLW9ubHktMzI="
# Processes of each run on two cores: tests often wait for processes, sockets and clocks. Each process takes 6 to 15 s
# of CPU time before its first test. A given PostgreSQL server may allow only PostgreSQL's default of 100 connections.
WORKERS, WORKERS_ON_POSTGRESQL = "3", "2"
# All processes end with the run. Tests that end a server start their own.
SHORT_LIVED = {"synchronous_commit": "off", "wal_level": "minimal", "max_wal_senders": "0", "autovacuum": "off"}
# Each run sets the variables of the stores itself. Without bytecode files, each process would compile the suite.
NOT_PASSED_ON = {"DATABASE_URL", "REDIS_URL", "VAR_DIR", "PYTHONDONTWRITEBYTECODE"}


CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",))
DURATIONS = ROOT / ".durations.txt"  # of all tests of the last run, the longest first
SHOWN_DURATIONS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of pytest: its exit code, its counts, the names of the failed tests, and the seconds of each test."""

    name: str
    code: int
    passed: int
    skipped: int
    failures: list[str]
    seconds: dict[str, float]

    @property
    def failed(self) -> int:
        return len(self.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of one run.

    variables: the environment variables that name them
    arguments: further arguments of pytest
    output: a file for what pytest prints while another run prints, too
    """

    name: str
    workers: str
    variables: dict[str, str]
    arguments: tuple[str, ...] = ()
    output: Path | None = None


def run(stores: Stores, arguments: list[str], folder: Path) -> Run:
    """Run the tests in parallel, without those marked `alone`."""
    parallel = ["-n", stores.workers, "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone"]
    return pytest(stores.name, [*parallel, *arguments], folder, stores, stores.output)


def run_alone(stores: Stores, arguments: list[str], folder: Path) -> Run:
    """Run the tests marked `alone` one after another, beside nothing but the same tests on other stores."""
    return pytest(f"{stores.name}, alone", ["-m", "alone", *arguments], folder, stores, stores.output)


def pytest(name: str, arguments: list[str], folder: Path, stores: Stores, output: Path | None = None) -> Run:
    report = folder / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", f"--junit-xml={report}", *stores.arguments, *arguments]
    with output.open("w") if output else contextlib.nullcontext() as written:
        print(f"\n=== {name}", file=written, flush=True)
        done = subprocess.run(command, cwd=ROOT, env=stores.variables, stdout=written, stderr=written, check=False)
    passed = skipped = 0
    failures = []
    seconds = {}
    if report.exists():
        for test in ElementTree.parse(report).iter("testcase"):  # noqa: S314  written by pytest
            test_name = f"{test.get('classname')}::{test.get('name')}"
            seconds[test_name] = float(test.get("time", 0))
            if test.find("failure") is not None or test.find("error") is not None:
                failures.append(test_name)
            elif test.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return Run(name=name, code=done.returncode, passed=passed, skipped=skipped, failures=failures, seconds=seconds)


def check() -> list[str]:
    """Run the tools that check style, types and layers. Return the output of those that fail."""
    failed = []
    for tool in CHECKS:
        command = [Path(sys.executable).parent / tool[0], *tool[1:]]
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode:
            failed.append(f"=== {' '.join(tool)}\n{done.stdout}")
    return failed


def compile_tests() -> None:
    """Compile the tests once, in two processes. Otherwise each test process compiles all of them, for 8 s of CPU time.

    Files that cannot be imported fail later in the runs.
    """
    variables = {key: value for key, value in os.environ.items() if key not in NOT_PASSED_ON}
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--quiet"]
    areas = (["tests/notifications"], ["tests", "--ignore=tests/notifications"])
    quiet = subprocess.DEVNULL
    for area in [subprocess.Popen([*command, *area], cwd=ROOT, env=variables, stdout=quiet) for area in areas]:
        area.wait()


@contextlib.contextmanager
def migrated(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Migrate one database, which services under test copy. Yield its path or URL, or "" if that failed."""
    variables = {"ENVIRONMENT": "test", "SECRET_KEY": "x" * 50, "FIELD_KEYS": FIELD_KEY, "VAR_DIR": str(folder)}
    with contextlib.ExitStack() as closing:
        database = str(folder / "migrated.sqlite3")
        url = f"sqlite:///{database}"
        if "DATABASE_URL" in environment:
            database = f"signalbox_migrated_{os.getpid()}"
            url = closing.enter_context(postgres_database(environment["DATABASE_URL"], database))
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        variables = environment | variables | {"DATABASE_URL": url, "REDIS_URL": ""}
        done = subprocess.run(command, cwd=ROOT, env=variables, check=False)
        yield "" if done.returncode else database


def main(arguments: list[str]) -> int:
    missing: list[str] = []
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="signalbox-suite-")))
        compile_tests()
        base = {key: value for key, value in os.environ.items() if key not in NOT_PASSED_ON}
        stores = [Stores(name="SQLite", workers=WORKERS, variables=base)]
        if servers := _servers(closing, missing):
            second = Stores(
                name=" and ".join(["PostgreSQL", *(["Redis"] if "REDIS_URL" in servers else [])]),
                workers=WORKERS_ON_POSTGRESQL,
                variables=base | servers,
                arguments=("--stores-only",),
                output=folder / "second run.txt",
            )
            stores.append(second)
        runs: list[Run] = []
        with ThreadPoolExecutor() as pool:
            checking = None if arguments else pool.submit(check)
            stores = list(pool.map(partial(_with_migrated, closing, folder), stores))
            for part in (run, run_alone):
                runs += pool.map(partial(part, arguments=arguments, folder=folder), stores)
                for one in stores:
                    if one.output:
                        print(one.output.read_text(), flush=True)
            failed_checks = checking.result() if checking else []
    show_durations(runs)
    return conclude(runs, missing, failed_checks)


def _servers(closing: contextlib.ExitStack, missing: list[str]) -> dict[str, str]:
    """Return the URLs of PostgreSQL and Redis by environment variable; start what is not given.

    Nothing is returned without PostgreSQL. missing: gets a line for each server that cannot be started
    """
    stores: dict[str, str] = {}
    for variable, program, server in (
        ("DATABASE_URL", "PostgreSQL", partial(PrivatePostgres, **SHORT_LIVED)),
        ("REDIS_URL", "Redis", PrivateRedis),
    ):
        given = os.environ.get(f"TEST_{variable}") or os.environ.get(variable, "")
        if given.startswith(("postgres", "redis")):
            stores[variable] = given
            continue
        try:
            started = server()
        except FileNotFoundError as error:
            missing.append(f"{program}: {error} is not installed, and {variable} is not set")
        else:
            closing.callback(started.stop)
            stores[variable] = started.url
    return stores if "DATABASE_URL" in stores else {}


def _with_migrated(closing: contextlib.ExitStack, folder: Path, stores: Stores) -> Stores:
    """Return the stores with the variable of the migrated database."""
    database = closing.enter_context(migrated(folder, stores.variables))
    return replace(stores, variables=stores.variables | {"MIGRATED_DATABASE": database})


def show_durations(runs: list[Run]) -> None:
    """Print the longest tests, and write all to a file. A test takes longer beside tests that compute."""
    every = [(seconds, name, one.name) for one in runs for name, seconds in one.seconds.items()]
    lines = [f"{seconds:7.1f} s  {name} ({run_name})" for seconds, name, run_name in sorted(every, reverse=True)]
    DURATIONS.write_text("\n".join(lines) + "\n")
    print(f"\n=== The longest of {len(lines)} tests, {sum(seconds for seconds, _, _ in every):.0f} s in all")
    print("\n".join(lines[:SHOWN_DURATIONS]))


def conclude(runs: list[Run], missing: list[str], failed_checks: list[str]) -> int:
    """Print the tests that did not run, the failures and the sum of all runs. Return the exit code."""
    print()
    for text in failed_checks:
        print(text)
    for line in missing:
        print(f"NOT RUN  {line}")
    for one in runs:
        for failure in one.failures:
            print(f"FAILED   {failure} ({one.name})")
    for one in runs:
        print(f"{one.name}: {one.passed} passed, {one.failed} failed, {one.skipped} skipped")
    passed, failed, skipped = (sum(getattr(one, name) for one in runs) for name in ("passed", "failed", "skipped"))
    strict = os.environ.get("CI") == "true"
    crashed = any(one.code not in {0, NO_TESTS_COLLECTED} for one in runs) or passed + failed == 0
    print(f"{passed} passed, {failed} failed, {skipped + len(missing)} skipped")
    return 1 if crashed or failed_checks or (strict and (missing or skipped)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
