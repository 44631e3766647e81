"""The sandbox: wait for messages, and choose what happens next."""

from datetime import timedelta
from typing import Annotated

import typer

from signalbox.commands.running import REFUSED, client, show, show_rows

app = typer.Typer(
    name="sandbox", help="Messages that were not really sent, and what happens next.", no_args_is_help=True
)
rules_app = typer.Typer(name="rules", help="Rules that choose outcomes before messages are sent.", no_args_is_help=True)
app.add_typer(rules_app)
Id = Annotated[str, typer.Argument(help="The id of the message.")]
Outcome = Annotated[str, typer.Argument(help="Such as hard-bounce, complaint or reply.")]
Seconds = Annotated[int, typer.Option(help="How much later it happens.")]
Reply = Annotated[str, typer.Option(help="The text of a reply.")]


@app.command()
def wait(
    to: Annotated[str, typer.Option(help="The recipient.")],
    contains: Annotated[str, typer.Option(help="A part of the subject or text.")] = "",
    seconds: Annotated[int, typer.Option(min=1, max=30, help="How long to wait.")] = 10,
) -> None:
    """Wait for a message and print it. Example: signalbox sandbox wait --to ana@example.org"""
    with client() as signalbox:
        found = signalbox.sandbox.messages(to, wait=seconds)["messages"]
    match = next((one for one in found if contains in f"{one['subject'] or ''}\n{one['text']}"), None)
    if match is None:
        typer.echo(f"No message to {to} matches within {seconds} s.", err=True)
        raise typer.Exit(REFUSED)
    subject = f"{match['subject']}\n\n" if match["subject"] else ""
    show(match, f"{subject}{match['text']}")


@app.command()
def outcome(message: Id, outcome: Outcome, seconds: Seconds = 0, reply: Reply = "") -> None:
    """Choose what happens next to one message. Example: signalbox sandbox outcome ID hard-bounce"""
    with client() as signalbox:
        done = signalbox.sandbox.choose_outcome(message, outcome, seconds=seconds, reply=reply)
    show(done, f"The status of the message is {done['status']}.")


@app.command()
def release(message: Id, to: Annotated[str, typer.Option(help="A member of the team.")]) -> None:
    """Send one message for real to a member of the team. Example: signalbox sandbox release ID --to team@example.org"""
    with client() as signalbox:
        show(signalbox.sandbox.release(message, to), f"The message was sent to {to}.")


@app.command()
def clock(
    days: Annotated[float, typer.Option()] = 0,
    hours: Annotated[float, typer.Option()] = 0,
    minutes: Annotated[float, typer.Option()] = 0,
    service: Annotated[str | None, typer.Option(help="The id of the only service that moves.")] = None,
) -> None:
    """Move the test clock. Example: signalbox sandbox clock --days 3"""
    try:
        seconds = int(timedelta(days=days, hours=hours, minutes=minutes).total_seconds())
    except (OverflowError, ValueError) as error:
        raise typer.BadParameter("The time is not a number, or is too large") from error
    with client() as signalbox:
        show(signalbox.sandbox.advance_clock(seconds, service), f"The clock moved by {timedelta(seconds=seconds)}.")


@rules_app.command("list")
def list_rules() -> None:
    """List the rules, newest first. Example: signalbox sandbox rules list"""
    with client() as signalbox:
        rows = signalbox.sandbox.rules()["rules"]
    show_rows(rows, ("id", "outcome", "recipient", "channel", "template_id", "seconds"), nothing="No rules.")


@rules_app.command("add")
def add_rule(
    outcome: Outcome,
    to: Annotated[str | None, typer.Option(help="A recipient, or a pattern such as *@fail.test.")] = None,
    template: Annotated[str | None, typer.Option(help="The id of a template.")] = None,
    seconds: Seconds = 0,
    reply: Reply = "",
) -> None:
    """Add a rule. Example: signalbox sandbox rules add hard-bounce --to "*@fail.test" """
    with client() as signalbox:
        made = signalbox.sandbox.add_rule(outcome, to=to, template_id=template, seconds=seconds, reply=reply)
    show(made, f"Rule {made['id']} is added.")


@rules_app.command("remove")
def remove_rule(rule: Annotated[str, typer.Argument(help="The id of the rule.")]) -> None:
    """Remove a rule. Example: signalbox sandbox rules remove ID"""
    with client() as signalbox:
        signalbox.sandbox.remove_rule(rule)
    show({"removed": rule}, "The rule is removed.")
