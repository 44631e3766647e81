"""What all commands share: the client, the output, the values of arguments, and errors with their exit codes."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from signalbox.client import Signalbox
from signalbox.commands import profiles
from signalbox.commands.files import read_object
from signalbox.errors import ConnectionFailed, SignalboxError

DEBUG = "SIGNALBOX_DEBUG"  # a variable: show the traceback of an error that nobody expected
DONE, REFUSED, WRONG_USE, NO_CONNECTION, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass
class State:
    """What the options before the command choose."""

    profile: str | None = None
    url: str | None = None
    timeout: float | None = None
    is_json: bool = False


state = State()


def client() -> Signalbox:
    profile = profiles.find(state.profile, state.url)
    return Signalbox(
        profile.url,
        profile.secret("key"),
        data_token=profile.secret("data_token"),
        sandbox_token=profile.secret("sandbox_token"),
        timeout_seconds=state.timeout,
    )


def show(value: Any, sentence: str | None = None) -> None:
    """Print a result: JSON with --json, else the sentence, or the names and values of the result."""
    if state.is_json:
        typer.echo(as_json(value))
    elif sentence is not None:
        typer.echo(_cell(sentence))
    elif isinstance(value, Mapping):
        for name, one in value.items():
            typer.echo(f"{name}: {_cell(one)}")
    else:
        typer.echo(_cell(value))


def show_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, nothing: str) -> None:
    """Print rows: JSON with --json, a table on a terminal, else lines with tabs."""
    if state.is_json:
        typer.echo(as_json(list(rows)))
    elif not rows:
        typer.echo(nothing, err=True)
    elif sys.stdout.isatty():
        table = Table(*columns, box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(_cell(row.get(name)) for name in columns))
        Console().print(table, markup=False)
    else:
        for row in rows:
            typer.echo("\t".join(_cell(row.get(name)) for name in columns))


def show_checks(dry_run: Mapping[str, Any]) -> None:
    """Print the result of a dry run. Exit code 1 if it would be refused."""
    errors = [error for check in dry_run["checks"] for error in check["errors"]]
    lines = [f"{error['message']} {error.get('fix') or ''}".strip() for error in errors]
    show(dry_run, "\n".join(lines) if lines else "It would be sent.")
    if not dry_run["accepted"]:
        raise typer.Exit(REFUSED)


def as_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON that the terminal, or the file behind `>`, can hold."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    return json.dumps(value, ensure_ascii=not is_unicode, indent=indent)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # A text that people have sent must not control the terminal.
    return "".join(one if one.isprintable() or one == "\n" else " " for one in text)


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, and yield the function that moves it."""
    is_shown = sys.stderr.isatty() and not state.is_json
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not is_shown, transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda number: bar.advance(task, number)


def counted(number: int, singular: str, plural: str) -> str:
    """Return the number with the words that go with it.

    >>> counted(1, "record is", "records are"), counted(0, "record is", "records are")
    ('1 record is', '0 records are')
    """
    return f"{number} {singular if number == 1 else plural}"


def values_of(pairs: Iterable[str], file: Path | None = None) -> dict[str, Any]:
    """Return the values of a file and of `name=value` arguments. A repeated name makes a list."""
    found: dict[str, Any] = {}
    if file is not None:
        found = read_object(file)
    given: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{pair!r} must be name=value")
        given.setdefault(name, []).append(value)
    return found | {name: many[0] if len(many) == 1 else many for name, many in given.items()}


def run(app: Callable[[], object]) -> int:
    """Run the command line, and return the exit code. An error is a sentence and what to do."""
    try:
        app()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else REFUSED
    except ConnectionFailed as error:
        return _failed(error, NO_CONNECTION)
    except SignalboxError as error:
        return _failed(error, REFUSED)
    except OSError as error:
        return _failed(SignalboxError(_sentence(error)), REFUSED)
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        return INTERRUPTED
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        fix = f"Check the URL and the version of the service. {DEBUG}=1 shows where it happened."
        return _failed(SignalboxError(f"Something is not as expected ({type(error).__name__})", fix=fix), REFUSED)
    return DONE


def _failed(error: SignalboxError, code: int) -> int:
    if state.is_json:
        body = {"error": error.message, "fix": error.fix, "docs": error.docs}
        typer.echo(as_json(body), err=True)
        return code
    for line in (error.message, error.fix, error.docs):
        if line:
            typer.echo(_cell(line), err=True)
    return code


def _sentence(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"
