"""Look at messages."""

import time
from itertools import islice
from typing import Annotated

import typer

from signalbox.commands.running import client, show, show_rows

app = typer.Typer(name="messages", help="Look at the messages of the service.", no_args_is_help=True)
COLUMNS = ("created_at", "id", "type", "status", "to", "reference")
Status = Annotated[list[str] | None, typer.Option(help="Only messages with this status. Repeat it for several.")]
Kind = Annotated[str | None, typer.Option("--type", help="email or sms.")]


@app.command("list")
def list_(
    status: Status = None,
    kind: Kind = None,
    reference: Annotated[str | None, typer.Option(help="Only messages with this reference.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="The most messages.")] = 50,
) -> None:
    """List the newest messages. Example: signalbox messages list --status permanent-failure"""
    with client() as signalbox:
        found = signalbox.get_all_notifications_iterator(
            status=status, template_type=kind, reference=reference, include_jobs=True
        )
        rows = [_row(one) for one in islice(found, limit)]
    show_rows(rows, COLUMNS, nothing="No messages match.")


@app.command()
def get(message: Annotated[str, typer.Argument(help="The id of the message.")]) -> None:
    """Show one message. Example: signalbox messages get ID"""
    with client() as signalbox:
        show(signalbox.get_notification_by_id(message))


@app.command()
def tail(
    status: Status = None,
    kind: Kind = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time. Without it, Ctrl-C stops.")] = None,
) -> None:
    """Print messages as they are sent. Example: signalbox messages tail --type email"""
    seen: set[str] = set()
    ends_at = None if seconds is None else time.monotonic() + seconds
    with client() as signalbox:
        is_first = True
        while ends_at is None or time.monotonic() < ends_at:
            page = signalbox.get_all_notifications(status=status, template_type=kind)["notifications"]
            new = [one for one in reversed(page) if one["id"] not in seen]
            seen = {one["id"] for one in page} | ({one["id"] for one in new})
            if is_first:
                typer.echo("New messages appear here. Ctrl-C stops.", err=True)
            elif new:
                show_rows([_row(one) for one in new], COLUMNS, nothing="")
            is_first = False
            time.sleep(1)


def _row(message: dict[str, object]) -> dict[str, object]:
    return {**message, "to": message.get("email_address") or message.get("phone_number")}
