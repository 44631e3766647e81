"""Write and read data sets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from signalbox._records import read_file
from signalbox.commands.files import STANDARD_INPUT, parse_json, read_object, read_text, replacing
from signalbox.commands.running import INTERRUPTED, as_json, client, counted, progress, show, show_rows
from signalbox.errors import SignalboxError

app = typer.Typer(name="data", help="Write and read records of data sets.", no_args_is_help=True)
Path_ = Annotated[str, typer.Argument(metavar="DATA_SET", help="The path of the data set, such as demo/visits.")]
File = Annotated[Path, typer.Argument(help="A .csv, .json or .ndjson file.")]


@app.command()
def write(data_set: Path_) -> None:
    """Write records from standard input: one JSON object a line, or a list.

    Example: echo '{"_timestamp": "2026-11-20T09:00:00Z", "count": 42}' | signalbox data write demo/visits
    """
    text = read_text(STANDARD_INPUT)
    fix = "Write one JSON object a line, or a list."
    if text.lstrip().startswith("["):
        records = parse_json(text, fix=fix)
    else:
        records = [parse_json(one, fix=fix) for one in text.split("\n") if one.strip()]
    _store(data_set, iter(records))


@app.command("import")
def import_(data_set: Path_, file: File) -> None:
    """Write the records of a file, in batches. Example: signalbox data import demo/visits visits.csv

    After an interruption, run it again: records with an `_id` are replaced, not repeated.
    """
    _store(data_set, read_file(file))


def _store(data_set: str, records: Iterator[Any]) -> None:
    """Write records in batches, and state what is stored, also after an error or Ctrl-C."""
    done = 0
    try:
        with client() as signalbox, progress("Records") as advance:
            target = signalbox.data_set(data_set)
            for batch in _batches(records):
                done += target.write(batch)
                advance(len(batch))
    except KeyboardInterrupt:
        again = "Run the command again: records with an _id are replaced, others are stored once more."
        show({"written": done}, f"Interrupted. At least {_stored(done)}. {again}")
        raise typer.Exit(INTERRUPTED) from None
    except SignalboxError as error:
        written = done + getattr(error, "written", 0)
        error.fix = (
            f"{error.fix or ''} {counted(written, 'record before it is', 'records before it are')} stored.".strip()
        )
        raise
    show({"written": done}, f"{_stored(done)}.")


@app.command()
def query(
    data_set: Path_,
    parameter: Annotated[list[str] | None, typer.Argument(help="name=value of the API; repeat a name.")] = None,
) -> None:
    """Ask a question. Example: signalbox data query demo/visits period=day collect=count:sum"""
    parameters: dict[str, list[str]] = {}
    for pair in parameter or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"{pair!r} must be name=value, such as limit=10")
        parameters.setdefault(name, []).append(value)
    with client() as signalbox:
        rows = signalbox.data_set(data_set).query(**{name: _one(many) for name, many in parameters.items()})
    columns = list(dict.fromkeys(name for row in rows for name in row))
    show_rows(rows, columns, nothing="No rows match.")


@app.command()
def export(
    data_set: Path_,
    file: Annotated[Path, typer.Argument(help="A .csv or .ndjson file. It is complete, or not there.")],
) -> None:
    """Save all records to a file. Example: signalbox data export demo/visits visits.csv"""
    format_ = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson"}.get(file.suffix.lower())
    if format_ is None:
        raise typer.BadParameter("The file must end with .csv or .ndjson")
    with client() as signalbox, progress("Bytes") as advance, replacing(file) as written:
        for block in signalbox.data_set(data_set).download(format_):
            written.write(block)
            advance(len(block))
    show({"file": str(file), "bytes": file.stat().st_size}, f"{file} is complete.")


@app.command()
def empty(data_set: Path_, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Delete all records. Example: signalbox data empty demo/visits --yes"""
    if not yes and not typer.confirm(f"Delete all records of {data_set}?"):
        raise typer.Exit(1)
    with client() as signalbox:
        message = signalbox.data_set(data_set).empty()
    show({"message": message}, message)


@app.command()
def undo(data_set: Path_) -> None:
    """Bring back the records of the last emptying, within 24 hours. Example: signalbox data undo demo/visits"""
    with client() as signalbox:
        answer = signalbox.data_set(data_set).undo()
    show(answer, answer["message"])


@app.command()
def schema(data_set: Path_) -> None:
    """Print the JSON Schema of the records. Example: signalbox data schema demo/visits > schema.json"""
    with client() as signalbox:
        found = signalbox.data_set(data_set).get_schema()
    typer.echo(as_json(found, indent=2))


@app.command("set-schema")
def set_schema(
    data_set: Path_,
    mode: Annotated[str | None, typer.Option(help="off, warn or enforce: for records that do not fit.")] = None,
) -> None:
    """Give the data set the JSON Schema on standard input.

    Example: signalbox data set-schema demo/visits --mode warn < schema.json
    """
    given = read_object(STANDARD_INPUT)
    with client() as signalbox:
        answer = signalbox.data_set(data_set).set_schema(given, mode=mode)
    show(answer, f"{data_set} has the schema.")


def _one(many: list[str]) -> Any:
    return many[0] if len(many) == 1 else many


def _stored(number: int) -> str:
    return f"{counted(number, 'record is', 'records are')} stored"


def _batches(records: Iterator[Any], size: int = 1000) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
