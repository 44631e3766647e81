"""The content of an import's file in its working folder: unpacked once, and used by each call of the child process."""

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from datasets.imports.reading import opening


class FileContent(NamedTuple):
    path: str
    sha256: str
    format: str


def content_of(path: str, folder: str, *, max_bytes: int) -> FileContent:
    """Return the content of a file and its format. Raises UnreadableFile."""
    noted, content = Path(folder) / "content.json", Path(folder) / "content"
    with suppress(FileNotFoundError, ValueError, TypeError):
        known = FileContent(**json.loads(noted.read_text()))
        if Path(known.path).exists():
            return known
    unpacked = opening.unpack(path, str(content), max_bytes=max_bytes)
    found = FileContent(unpacked.path, unpacked.sha256, opening.format_of(unpacked.path))
    noted.write_text(json.dumps(found._asdict()))
    return found
