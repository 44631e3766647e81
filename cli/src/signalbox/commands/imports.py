"""Import files into data sets in the background of the service, with settings."""

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from signalbox.commands.data import Path_
from signalbox.commands.files import read_object
from signalbox.commands.running import INTERRUPTED, REFUSED, client, show, show_rows

app = typer.Typer(name="imports", help="Import files with settings, in the background.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="IMPORT", help="The id of the import.")]
Settings = Annotated[Path, typer.Option("--settings", help="A JSON file with settings.", exists=True, dir_okay=False)]
WAITING = {"reading", "running"}
SECONDS_BETWEEN_READS = 1.0


@app.command()
def start(
    data_set: Path_,
    file: Annotated[Path, typer.Argument(help="A .csv, .xlsx, .ods, .ndjson, .json or .parquet file.")],
    settings: Annotated[
        Path | None, typer.Option("--settings", help="A JSON file with settings.", exists=True, dir_okay=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check all rows and store nothing.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is finished or asks a question.")] = False,
) -> None:
    """Import a file. Example: signalbox imports start demo/visits visits.xlsx --settings settings.json --wait

    With --wait, Ctrl C stops the waiting only. Exit code 1 if the import asks questions, is paused or has failed.
    """
    given = read_object(settings) if settings else None
    with client() as signalbox:
        target = signalbox.data_set(data_set)
        found = target.start_import(file.read_bytes(), filename=file.name, settings=given, dry_run=dry_run)
        try:
            while wait and found["state"] in WAITING:
                time.sleep(SECONDS_BETWEEN_READS)
                found = target.get_import(found["id"])
        except KeyboardInterrupt:
            show(found, f"The import goes on. See it: signalbox imports get {data_set} {found['id']}")
            raise typer.Exit(INTERRUPTED) from None
    show(found, _sentence(found))
    if wait and found["state"] != "finished":
        raise typer.Exit(REFUSED)


@app.command("list")
def list_(data_set: Path_) -> None:
    """List the newest imports of the last 7 days. Example: signalbox imports list demo/visits"""
    with client() as signalbox:
        found = signalbox.data_set(data_set).get_imports()["data"]
    rows = [{**one, "file": one["file"]["name"], "stored": one["rows"]["stored"]} for one in found]
    show_rows(rows, ["id", "state", "file", "stored", "created_at"], nothing="No imports in the last 7 days.")


@app.command("get")
def get_(data_set: Path_, import_id: Id) -> None:
    """Show an import with its questions and errors. Example: signalbox imports get demo/visits IMPORT"""
    with client() as signalbox:
        show(signalbox.data_set(data_set).get_import(import_id))


@app.command()
def answer(data_set: Path_, import_id: Id, settings: Settings) -> None:
    """Answer the questions of an import.

    Example: signalbox imports answer demo/visits IMPORT --settings answers.json
    """
    with client() as signalbox:
        found = signalbox.data_set(data_set).change_import(import_id, settings=read_object(settings))
    show(found, _sentence(found))


@app.command()
def pause(data_set: Path_, import_id: Id) -> None:
    """Pause a running import. Example: signalbox imports pause demo/visits IMPORT"""
    _set_state(data_set, import_id, "paused")


@app.command()
def resume(data_set: Path_, import_id: Id) -> None:
    """Continue a paused import. Example: signalbox imports resume demo/visits IMPORT"""
    _set_state(data_set, import_id, "running")


@app.command()
def cancel(data_set: Path_, import_id: Id) -> None:
    """Cancel an import; stored rows stay. Example: signalbox imports cancel demo/visits IMPORT"""
    with client() as signalbox:
        found = signalbox.data_set(data_set).cancel_import(import_id)
    show(found, _sentence(found))


@app.command()
def rejected(
    data_set: Path_,
    import_id: Id,
    ndjson: Annotated[bool, typer.Option("--ndjson", help="NDJSON instead of CSV.")] = False,
) -> None:
    """Print the rejected rows with their reasons.

    Example: signalbox imports rejected demo/visits IMPORT > rejected.csv
    """
    with client() as signalbox:
        for block in signalbox.data_set(data_set).rejected_rows(import_id, "ndjson" if ndjson else "csv"):
            sys.stdout.buffer.write(block)


def _set_state(data_set: str, import_id: str, state: str) -> None:
    with client() as signalbox:
        found = signalbox.data_set(data_set).change_import(import_id, state=state)
    show(found, _sentence(found))


def _sentence(found: dict[str, Any]) -> str:
    rows = found["rows"]
    parts = [f"{found['id']} is {found['state']}: {rows['stored']} rows stored, {rows['rejected']} rejected."]
    if found["questions"]:
        parts.append(f"It asks {len(found['questions'])} questions: see them with `signalbox imports get`.")
    if found["message"]:
        parts.append(found["message"])
    return " ".join(parts)
