"""The command line `signalbox`."""

import json
import sys
from typing import Annotated

import typer

from signalbox import __version__
from signalbox._calls import get
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON. It may stand after the command, too.")] = False,
) -> None:
    """Use Signalbox from the command line: send messages, and write and read data sets.

    Secrets come from the keyring or from SIGNALBOX_KEY, SIGNALBOX_DATA_TOKEN and SANDBOX_TOKEN, never from arguments.
    """
    state.profile, state.url = profile, url
    state.is_json = state.is_json or as_json


@app.command()
def login(
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the API key from standard input.")] = False,
) -> None:
    """Store the URL of a service, and an API key in the keyring. Example: signalbox --profile test login"""
    url = state.url or typer.prompt("URL of the service", default=profiles.find(None, None).url)
    profile = profiles.Profile(name=state.profile or profiles.USUAL, url=url)
    secrets = {"key": sys.stdin.readline().strip()} if stdin else _asked_for()
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
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


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
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if "--json" in arguments[:end]:
        state.is_json = True
        sys.argv[1:] = [one for one in arguments[:end] if one != "--json"] + arguments[end:]
    sys.exit(running.run(app))
