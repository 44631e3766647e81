"""Read, change and delete single records of data sets."""

from typing import Annotated

import typer

from signalbox.commands.data import Path_
from signalbox.commands.files import STANDARD_INPUT, read_object
from signalbox.commands.running import client, counted, show

app = typer.Typer(name="records", help="Read, change and delete single records.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="ID", help="The _id of the record.")]
Reason = Annotated[str | None, typer.Option(help="Why, for the audit.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check it and change nothing.")]
IfMatch = Annotated[
    str | None, typer.Option(help="Do it only if the record still has this ETag, see `records get --etag`.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command("get")
def get_(
    data_set: Path_,
    record_id: Id,
    etag: Annotated[bool, typer.Option("--etag", help="Print `etag` and `record`, for --if-match.")] = False,
) -> None:
    """Show one record. Example: signalbox records get demo/visits 20261120T09-web"""
    with client() as signalbox:
        record = signalbox.data_set(data_set).get_record(record_id)
    show({"etag": record.etag, "record": record} if etag else record)


@app.command()
def change(
    data_set: Path_, record_id: Id, reason: Reason = None, if_match: IfMatch = None, dry_run: DryRun = False
) -> None:
    """Replace one record by the JSON object on standard input.

    Example: signalbox records change demo/visits 20261120T09-web --reason "counted twice" < record.json
    """
    record = read_object(STANDARD_INPUT)
    with client() as signalbox:
        target = signalbox.data_set(data_set)
        answer = target.change_record(record_id, record, reason=reason, if_match=if_match, dry_run=dry_run)
    show(answer, f"{record_id} {'can be' if dry_run else 'is'} changed.")


@app.command()
def delete(
    data_set: Path_,
    record_id: Id,
    reason: Reason = None,
    if_match: IfMatch = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Delete one record. Example: signalbox records delete demo/visits 20261120T09-web --yes"""
    if not (yes or dry_run) and not typer.confirm(f"Delete {record_id} of {data_set}?"):
        raise typer.Exit(1)
    with client() as signalbox:
        target = signalbox.data_set(data_set)
        answer = target.delete_record(record_id, reason=reason, if_match=if_match, dry_run=dry_run)
    show(answer, f"{record_id} {'can be' if dry_run else 'is'} deleted.")


@app.command("delete-where")
def delete_where(
    data_set: Path_,
    where: Annotated[str, typer.Argument(metavar="CONDITION", help="Which records.")],
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Delete the records that match a condition, and ask with their number first.

    Example: signalbox records delete-where demo/visits 'channel = "fax"' --reason "never existed"
    """
    with client() as signalbox:
        target = signalbox.data_set(data_set)
        found = target.delete_records(where, dry_run=True)
        if dry_run:
            show(found, f"{counted(found['removed'], 'record matches', 'records match')}.")
            return
        if not yes and not typer.confirm(f"Delete {counted(found['removed'], 'record', 'records')} of {data_set}?"):
            raise typer.Exit(1)
        answer = target.delete_records(where, reason=reason)
    show(answer, f"{counted(answer['removed'], 'record is', 'records are')} deleted.")
