"""Print the page of the documentation about the command line, from the help of all commands."""

from collections.abc import Iterator
from typing import Any

import typer
import typer.main

from signalbox.commands import app

INTRODUCTION = """\
# The command line

`signalbox` sends messages and writes and reads data sets from a terminal or a script: `pipx install ./cli`. It
needs nothing of the service. This page is written from the help of its commands.

- **Profiles.** `signalbox login` stores the URL of a service, and asks for an API key, which it keeps in the
  keyring of the system. `--profile NAME` before the command chooses one of several. Without a profile it uses
  http://127.0.0.1:8000.
- **Secrets** come from the keyring, or from `SIGNALBOX_KEY`, `SIGNALBOX_DATA_TOKEN` and `SANDBOX_TOKEN`, which
  come first; the names `NOTIFY_API_KEY` and `DATA_TOKEN` of `.demo.env` work, too. They are never arguments,
  because other users can see those.
- **Scripts.** `--json` prints JSON, also errors. Exit codes: 0 done, 1 refused, 2 wrong use, 3 no connection,
  130 interrupted.
- **Repeats.** Commands repeat a call only if that is safe, as [the library](library.md) does.
- **Slow services.** A command waits 30 seconds for a part of an answer, or `--timeout` before the command, and twice
  as long for all of it. A download may take longer while at least 1,000 bytes arrive in this time.
- **Completion.** `signalbox --install-completion` installs it for bash, zsh and fish.
"""


def commands() -> Iterator[tuple[str, str]]:
    """Yield the name and the help of each command, in the order of the help."""
    yield from ((name, str(one.help)) for name, one in _all(typer.main.get_command(app), "signalbox"))


def _all(group: Any, above: str) -> Iterator[tuple[str, Any]]:  # Any: typer has its own copy of click
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _all(command, f"{above} {name}")
        else:
            yield f"{above} {name}", command


def page() -> str:
    """Return the page as Markdown."""
    parts = [INTRODUCTION]
    for name, command in _all(typer.main.get_command(app), "signalbox"):
        words, _, example = " ".join(str(command.help).split()).partition("Example: ")
        lines = [f"## {name}\n", f"{words.strip()}\n"]
        example, _, rest = str(command.help).partition("Example: ")[2].partition("\n")
        lines += [f"```bash\n{example.strip()}\n```\n"]
        if rest.strip():
            lines[1] = f"{' '.join(str(command.help).partition('Example: ')[0].split())} {' '.join(rest.split())}\n"
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            lines += ["| Argument | Meaning |\n|---|---|\n" + "\n".join(rows) + "\n"]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _row(parameter: Any) -> str:
    names = (
        parameter.opts[0] if parameter.param_type_name == "option" else (parameter.metavar or parameter.name.upper())
    )
    needed = " (required)" if parameter.required and parameter.param_type_name == "option" else ""
    return f"| `{names}`{needed} | {getattr(parameter, 'help', None) or ''} |"


if __name__ == "__main__":
    typer.echo(page(), nl=False)
