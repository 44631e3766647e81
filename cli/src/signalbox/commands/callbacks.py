"""Pass callbacks of the sandbox on to a program on this machine."""

import time
from typing import Annotated

import typer

from signalbox.commands.running import client, show
from signalbox.errors import InvalidRequest

app = typer.Typer(name="callbacks", help="Receive callbacks on this machine.", no_args_is_help=True)


@app.command()
def listen(
    to: Annotated[str, typer.Option(help="The URL of your program, such as http://127.0.0.1:5000/callbacks.")],
    hook: Annotated[str, typer.Option(help="The name of the webhook of the sandbox.")] = "listen",
    seconds: Annotated[float | None, typer.Option(help="Stop after this time. Without it, Ctrl-C stops.")] = None,
) -> None:
    """Pass calls of a webhook on, and check their signatures. Example: signalbox callbacks listen --to http://127.0.0.1:5000/

    Set the URL that it prints as the URL of a callback. The service must reach your program.
    """
    with client() as signalbox:
        url = signalbox.sandbox.set_hook(hook)["url"]
        seen = {call["id"] for call in signalbox.sandbox.hook_calls(hook)["calls"]}
        typer.echo(f"Callbacks to {url} go to {to}. Ctrl-C stops.", err=True)
        ends_at = None if seconds is None else time.monotonic() + seconds
        while ends_at is None or time.monotonic() < ends_at:
            calls = [one for one in signalbox.sandbox.hook_calls(hook)["calls"] if one["id"] not in seen]
            for call in reversed(calls):
                seen.add(call["id"])
                try:
                    answer = str(signalbox.sandbox.repeat_hook_call(hook, call["id"], to)["status"])
                except InvalidRequest as error:
                    answer = error.message
                result = {
                    "id": call["id"],
                    "signature": call["signature"],
                    "answer": answer,
                    "body": call["body"],
                    "encoding": call["encoding"],
                }
                show(result, f"{call['received_at']} signature {call['signature']}, answer {answer}")
            time.sleep(0.2)
