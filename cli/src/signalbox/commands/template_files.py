"""Templates as files: front matter whose values are JSON, and below it the text, byte for byte.

The form is that of `manage.py templates`: docs/reference/template-files.md §1. Fixed files are not included.
"""

import json
import re
from pathlib import Path
from typing import Any

from signalbox._records import reason_of
from signalbox.errors import SignalboxError

EDGE = "---"
FIELDS = (
    *("id", "name", "type", "subject", "unsubscribe_link", "respect_quiet_hours", "redact_personalisation"),
    *("archived", "tags", "defaults", "language", "translations"),
)
_LEFT_OUT: tuple[Any, ...] = (None, [], {})
_LINE = re.compile(r"([a-z_]+): (.*)")


def write(template: dict[str, Any], kept: str | None = None) -> str:
    """Return the file of a template. kept: the line of fixed files of the earlier file, which stays"""
    names = [name for name in FIELDS if template.get(name) not in _LEFT_OUT]
    lines = [f"{name}: {json.dumps(template[name], ensure_ascii=False, sort_keys=True)}" for name in names]
    return "\n".join([EDGE, *lines, *([kept] if kept else []), EDGE, template["body"], ""])


def read(path: Path) -> dict[str, Any]:
    """Return the fields of a file, with `body`. Raises SignalboxError."""
    text = _text_of(path)
    head, edge, body = text.removeprefix(f"{EDGE}\n").partition(f"\n{EDGE}\n")
    if not text.startswith(f"{EDGE}\n") or not edge:
        raise SignalboxError(f"{path} is no template", fix="Its first line and the line above the text must be ---.")
    found: dict[str, Any] = {"body": body.removesuffix("\n")}
    for number, line in enumerate(head.split("\n"), 2):
        match = _LINE.fullmatch(line)
        try:
            name, value = (match[1], json.loads(match[2])) if match else ("", None)
        except (ValueError, RecursionError):
            name, value = "", None
        if name not in FIELDS and name != "files":
            raise SignalboxError(
                f"{path}, line {number}: {line[:60]!r} is no field", fix='Write lines such as name: "Visit".'
            )
        if name != "files":
            found[name] = value
    return found


def _text_of(path: Path) -> str:
    """Return the text byte for byte, with the line ends that it has."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SignalboxError(f"{path} cannot be read: {reason_of(error)}", fix="Write it in UTF-8.") from error


def line_of_files(path: Path) -> str | None:
    """Return the line of fixed files, which only `manage.py templates` changes."""
    lines = _text_of(path).split(f"\n{EDGE}\n")[0].splitlines() if path.exists() else []
    return next((line for line in lines if line.startswith("files: ")), None)


def all_in(folder: Path) -> dict[Path, dict[str, Any]]:
    """Return the templates of a folder by file."""
    if not folder.is_dir():
        raise SignalboxError(f"There is no folder {folder}", fix=f"Create it: signalbox templates pull {folder}.")
    return {path: read(path) for path in sorted(folder.glob("*.md")) if path.name.lower() != "readme.md"}


def file_name(name: str) -> str:
    """Return the name of a new file.

    >>> file_name("Visit: reminder (2)")
    'visit-reminder-2.md'
    """
    return f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or 'template'}.md"
