"""Recipients who get nothing more."""

from pathlib import Path
from typing import Annotated

import typer

from signalbox.commands.files import read_first_column
from signalbox.commands.running import client, progress, show, show_rows
from signalbox.errors import InvalidRequest

app = typer.Typer(name="suppressions", help="Recipients who get nothing more from the service.", no_args_is_help=True)
COLUMNS = ("created_at", "id", "type", "to", "reason", "expires_at", "note")
Recipient = Annotated[str, typer.Argument(help="An email address or a phone number.")]


@app.command("list")
def list_(reason: Annotated[str | None, typer.Option(help="Only this reason, such as complaint.")] = None) -> None:
    """List all suppressions. Example: signalbox suppressions list --reason complaint"""
    rows: list[dict[str, object]] = []
    with client() as signalbox:
        older_than = None
        while page := signalbox.get_suppressions(reason=reason, older_than=older_than)["suppressions"]:
            rows += [{**one, "to": one.get("email_address") or one.get("phone_number")} for one in page]
            older_than = page[-1]["id"]
    show_rows(rows, COLUMNS, nothing="Nobody is suppressed.")


@app.command()
def add(
    recipient: Recipient,
    note: Annotated[str | None, typer.Option(help="Why. Do not write recipients here.")] = None,
    until: Annotated[str | None, typer.Option(help="The end, such as 2027-01-01T00:00:00Z.")] = None,
) -> None:
    """Suppress a recipient. Example: signalbox suppressions add ana@example.org --note "asked by letter" """
    with client() as signalbox:
        show(signalbox.add_suppression(recipient, note=note, expires_at=until), "The recipient is suppressed.")


@app.command()
def remove(
    recipient: Recipient, reason: Annotated[str | None, typer.Option(help="Why, for a complaint.")] = None
) -> None:
    """Lift all suppressions of a recipient. Example: signalbox suppressions remove ana@example.org"""
    with client() as signalbox:
        found = signalbox.find_suppressions(recipient)["suppressions"]
        for one in found:
            signalbox.remove_suppression(one["id"], reason=reason)
    show({"lifted": len(found)}, f"{len(found)} suppressions are lifted.")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A CSV or text file with a recipient in the first column.")],
) -> None:
    """Suppress all recipients of a file. Repeating it is safe. Example: signalbox suppressions import list.csv"""
    recipients = read_first_column(file)
    refused = []
    with client() as signalbox, progress("Suppressions", len(recipients)) as advance:
        for number, recipient in enumerate(recipients, 1):
            try:
                signalbox.add_suppression(recipient)
            except InvalidRequest as error:
                is_heading = number == 1 and "@" not in recipient and not any(one.isdigit() for one in recipient)
                if not is_heading:
                    refused.append({"line": number, "error": error.message})
            advance(1)
    done = len(recipients) - len(refused)
    lines_of_errors = "".join(f"\nLine {one['line']}: {one['error']}" for one in refused)
    show({"done": done, "refused": refused}, f"{done} recipients are suppressed.{lines_of_errors}")
    if refused:
        raise typer.Exit(1)
