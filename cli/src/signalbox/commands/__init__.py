"""The command line `signalbox`."""

import io
import os
import signal
import sys
from typing import Annotated

import typer

from signalbox import __version__
from signalbox._calls import get
from signalbox._wire import base_url, sign
from signalbox.commands import (
    bulk,
    callbacks,
    data,
    imports,
    messages,
    profiles,
    queries,
    records,
    running,
    sandbox,
    sending,
    suppressions,
    templates,
)
from signalbox.commands.files import STANDARD_INPUT, read_text
from signalbox.commands.running import client, show, state
from signalbox.errors import SignalboxError

EPILOG = "Exit codes: 0 done, 1 refused, 2 wrong use, 3 no connection, 130 interrupted."

app = typer.Typer(
    name="signalbox", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None, epilog=EPILOG
)
for part in (sending, messages, bulk, templates, data, records, imports, queries, suppressions, callbacks, sandbox):
    app.add_typer(part.app)
sending.add_preview(app)


@app.callback()
def options(
    profile: Annotated[str | None, typer.Option(help="The profile to use; SIGNALBOX_PROFILE sets it, too.")] = None,
    url: Annotated[str | None, typer.Option(help="The URL of the service; SIGNALBOX_URL sets it, too.")] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.01, max=3600, help="The most seconds to wait for a part of an answer; 30.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON. It may stand after the command, too.")] = False,
) -> None:
    """Use Signalbox from the command line: send messages, and write and read data sets.

    Secrets come from the keyring or from SIGNALBOX_KEY, SIGNALBOX_DATA_TOKEN and SANDBOX_TOKEN, never from arguments.
    """
    state.profile, state.url, state.timeout = profile, url, timeout
    state.is_json = state.is_json or as_json


@app.command()
def login(
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the API key from standard input.")] = False,
) -> None:
    """Store the URL of a service, and an API key in the keyring. Example: signalbox --profile test login"""
    url = base_url(state.url or _asked_url())
    profile = profiles.Profile(name=state.profile or profiles.USUAL, url=url)
    secrets = {"key": read_text(STANDARD_INPUT).strip()} if stdin else _asked_for()
    if stdin or secrets["key"]:
        sign(secrets["key"])  # half a key is found here, not at the first message
    state.url = url
    for kind, secret in secrets.items():
        if secret:
            profile.keep(kind, secret)
    profiles.write({**profiles.read(), profile.name: {"url": url}})
    stored = [kind.replace("_", " ") for kind, secret in secrets.items() if secret]
    show(
        {"profile": profile.name, "url": url, "stored": stored},
        f"{profile.name} is {url}. Try: signalbox templates list",
    )


def _asked_url() -> str:
    answer: str = typer.prompt("URL of the service", default=base_url(profiles.find(None, None).url))
    return answer


def _asked_for() -> dict[str, str]:
    questions = {
        "key": "API key",
        "data_token": "Token of a data set (or nothing)",
        "sandbox_token": "SANDBOX_TOKEN (or nothing)",
    }
    return {
        kind: typer.prompt(text, hide_input=True, default="", show_default=False) for kind, text in questions.items()
    }


@app.command()
def logout() -> None:
    """Delete a profile and its secrets. Example: signalbox --profile test logout"""
    profile = profiles.Profile(name=state.profile or profiles.USUAL, url="")
    profile.forget()
    show({"profile": profile.name}, f"{profile.name} is deleted.")


@app.command()
def openapi() -> None:
    """Print the OpenAPI document of the service. Example: signalbox openapi > openapi.json"""
    with client() as signalbox:
        document = signalbox._run(get("/docs/openapi.json", credentials="none"))
    typer.echo(running.as_json(document, indent=2))


@app.command()
def key() -> None:
    """Show the type, the service and the limits of the API key in use. Example: signalbox key"""
    with client() as signalbox:
        show(signalbox.get_api_key())


@app.command()
def mcp(
    allow_live: Annotated[bool, typer.Option("--allow-live", help="Accept a live key, which sends to anyone.")] = False,
) -> None:
    """Serve tools for assistants by the Model Context Protocol, on standard input and output. Example: signalbox mcp

    Install it with `pipx install './cli[mcp]'`. A live key is refused, templates are only drafted, and results hold no
    secrets.
    """
    try:
        from signalbox import mcp_server
    except ImportError as error:
        raise SignalboxError("The SDK of the protocol is missing", fix="pipx install './cli[mcp]'") from error
    with client() as signalbox:
        mcp_server.build(signalbox, allow_live=allow_live).run()


@app.command()
def version() -> None:
    """Print the version of this program. Example: signalbox version"""
    show({"version": __version__}, __version__)


def main() -> None:
    """Run the command line. `--json` may stand anywhere before `--`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may lack letters
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")  # JSON and CSV are UTF-8 in every locale
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # without a handler, a part of a file would stay behind
            signal.signal(getattr(signal, name), lambda number, frame: sys.exit(128 + number))
    arguments = sys.argv[1:]
    if not all(_is_unicode(one) for one in arguments):
        typer.echo("An argument is not UTF-8. Check the locale of the terminal, or use a file.", err=True)
        sys.exit(running.WRONG_USE)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if "--json" in arguments[:end]:
        state.is_json = True
        sys.argv[1:] = [one for one in arguments[:end] if one != "--json"] + arguments[end:]
    sys.exit(running.run(app))


def _is_unicode(text: str) -> bool:
    """Return whether the text has no bytes that the locale could not decode."""
    return not any("\ud800" <= one <= "\udfff" for one in text)
