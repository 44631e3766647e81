"""Send one message, and preview a template."""

from pathlib import Path
from typing import Annotated, Any

import typer

from signalbox._sending import prepare_upload
from signalbox.commands.running import client, show, show_checks, values_of

app = typer.Typer(name="send", help="Send one message from a template.", no_args_is_help=True)

To = Annotated[str, typer.Option(help="The recipient.")]
Template = Annotated[str, typer.Option(help="The id of the template.")]
Value = Annotated[list[str] | None, typer.Option(help="name=value for a placeholder. Repeat a name for a list.")]
Values = Annotated[Path | None, typer.Option(help="A JSON file with values; - reads standard input.")]
Reference = Annotated[str | None, typer.Option(help="Your own reference, without personal data.")]
At = Annotated[str | None, typer.Option(help="When to send it, such as 2026-11-20T09:00:00Z.")]
Files = Annotated[list[str] | None, typer.Option("--file", help="placeholder=path of a file to send by a link.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check everything and send nothing.")]


@app.command()
def email(
    to: To,
    template: Template,
    value: Value = None,
    values: Values = None,
    reference: Reference = None,
    at: At = None,
    file: Files = None,
    dry_run: DryRun = False,
) -> None:
    """Send an email. Example: signalbox send email --to ana@example.org --template ID --value name=Ana"""
    personalisation = values_of(value or [], values) | _files(file or [])
    with client() as signalbox:
        sent = signalbox.send_email_notification(
            to, template, personalisation, reference, scheduled_for=at, dry_run=dry_run
        )
    _show(sent, "email")


@app.command()
def sms(
    to: To,
    template: Template,
    value: Value = None,
    values: Values = None,
    reference: Reference = None,
    at: At = None,
    dry_run: DryRun = False,
) -> None:
    """Send a text. Example: signalbox send sms --to "07700 900123" --template ID --value code=4711"""
    with client() as signalbox:
        personalisation = values_of(value or [], values)
        sent = signalbox.send_sms_notification(
            to, template, personalisation, reference, scheduled_for=at, dry_run=dry_run
        )
    _show(sent, "text")


def add_preview(parent: typer.Typer) -> None:
    """Add the command `preview` beside `send`."""

    @parent.command()
    def preview(
        template: Annotated[str, typer.Argument(help="The id of the template.")],
        value: Value = None,
        values: Values = None,
    ) -> None:
        """Show the filled text of a template. Example: signalbox preview ID --value name=Ana"""
        with client() as signalbox:
            found = signalbox.post_template_preview(template, values_of(value or [], values))
        subject = f"{found['subject']}\n\n" if found.get("subject") else ""
        show(found, f"{subject}{found['body']}")


def _files(pairs: list[str]) -> dict[str, Any]:
    found = {}
    for name, path in values_of(pairs).items():
        with open(path, "rb") as file:
            found[name] = prepare_upload(file)
    return found


def _show(sent: dict[str, Any], kind: str) -> None:
    if "id" in sent:
        show(sent, f"Sent {kind} {sent['id']}.")
        return
    show_checks(sent)
