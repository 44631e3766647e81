"""Send one template to every row of a table."""

import csv as csv_format
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from signalbox.commands.files import read_text
from signalbox.commands.running import client, show, show_checks, show_rows

app = typer.Typer(name="bulk", help="Send one template to every row of a table.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="The id of the bulk send.")]


@app.command()
def send(
    file: Annotated[Path, typer.Argument(help="A CSV file. The first row names the columns; - reads standard input.")],
    template: Annotated[str, typer.Option(help="The id of the template.")],
    name: Annotated[str | None, typer.Option(help="The name of the bulk send; without it, that of the file.")] = None,
    at: Annotated[str | None, typer.Option(help="When to start, such as 2026-11-20T09:00:00Z.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check every row and send nothing.")] = False,
) -> None:
    """Send to all rows, or to none if a row is wrong. Example: signalbox bulk send people.csv --template ID"""
    text = read_text(file)
    with client() as signalbox:
        made = signalbox.send_bulk(template, csv=text, name=name or file.stem, scheduled_for=at, dry_run=dry_run)
    if dry_run:
        show_checks(made)
        return
    data = made["data"]
    show(made, f"Bulk send {data['id']} with {data['notification_count']} messages is {data['job_status']}.")


@app.command()
def status(bulk_send: Id) -> None:
    """Show the progress of a bulk send. Example: signalbox bulk status ID"""
    with client() as signalbox:
        found = signalbox.get_bulk_send(bulk_send)
    counts = ", ".join(f"{one['count']} {one['status']}" for one in found["statistics"]) or "none yet"
    show(found, f"{found['data']['job_status']}. Messages: {counts}. Rows that wait: {found['rows']['waiting']}.")


@app.command()
def pause(bulk_send: Id) -> None:
    """Pause a bulk send. Example: signalbox bulk pause ID"""
    _change(bulk_send, "pause")


@app.command()
def resume(bulk_send: Id) -> None:
    """Continue a paused bulk send. Example: signalbox bulk resume ID"""
    _change(bulk_send, "resume")


@app.command()
def cancel(bulk_send: Id) -> None:
    """Cancel the rows that are no messages yet. Example: signalbox bulk cancel ID"""
    _change(bulk_send, "cancel")


@app.command()
def results(
    bulk_send: Id, state: Annotated[str | None, typer.Option(help="Only rows in this state, such as message.")] = None
) -> None:
    """Print the rows with the statuses of their messages, as CSV. Example: signalbox bulk results ID > results.csv"""
    rows: list[dict[str, Any]] = []
    with client() as signalbox:
        after = None
        while page := signalbox.get_bulk_rows(bulk_send, state, after)["rows"]:
            rows += page
            after = page[-1]["row"]
    columns = ("row", "state", "to", "reference", "notification_id", "status")
    if sys.stdout.isatty():
        show_rows(rows, columns, nothing="No rows.")
        return
    from signalbox.commands.running import state as chosen

    if chosen.is_json:
        show(rows)
        return
    writer = csv_format.DictWriter(sys.stdout, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)


def _change(bulk_send: str, action: str) -> None:
    with client() as signalbox:
        changed = signalbox.change_bulk_send(bulk_send, action)
    show(changed, f"The bulk send is {changed['data']['job_status']}.")
