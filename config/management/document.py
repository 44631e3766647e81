"""Load the JSON document of a command. `config.management.declarations` validates its content."""

import sys
from pathlib import Path

from django.core.management import CommandError

from config.rest import strict_json


def load(file: str) -> dict[str, object]:
    """Return the JSON object in a file, or on standard input if the name is `-`. Raises CommandError."""
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    try:
        document = strict_json.loads(text, skip_mark=True, storable=True)
    except strict_json.UnreadableJSON as error:
        raise CommandError(f"The document cannot be read: {error.reason} {error.place}".rstrip()) from error
    if not isinstance(document, dict):
        raise CommandError("The document must be a JSON object.")
    return document
