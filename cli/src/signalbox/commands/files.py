"""Read files and standard input, and write files that are complete or not there."""

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from signalbox._records import reason_of
from signalbox.errors import SignalboxError

STANDARD_INPUT = Path("-")


def read_text(file: Path) -> str:
    """Return the text of a file, or of standard input for `-`. Raises SignalboxError if it is not UTF-8."""
    try:
        return sys.stdin.read() if file == STANDARD_INPUT else file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SignalboxError(f"{_name(file)} cannot be read: {reason_of(error)}", fix="Write it in UTF-8.") from error


def parse_json(text: str, file: Path = STANDARD_INPUT, *, fix: str = "Write one JSON object.") -> Any:
    """Return the value of a text. Raises SignalboxError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SignalboxError(f"{_name(file)} is not JSON: {reason_of(error)}", fix=fix) from error


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file, or of standard input for `-`. Raises SignalboxError."""
    found = parse_json(read_text(file), file)
    if not isinstance(found, dict):
        raise SignalboxError(f"{_name(file)} is no JSON object", fix="Write one JSON object.")
    return found


def read_first_column(file: Path) -> list[str]:
    """Return the texts in the first column of a CSV file. Raises SignalboxError."""
    try:
        rows = list(csv.reader(io.StringIO(read_text(file), newline="")))
    except csv.Error as error:
        raise SignalboxError(f"{_name(file)} is not CSV: {error}", fix="Write one recipient in each line.") from error
    return [row[0].strip() for row in rows if row and row[0].strip()]


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces `path` at the end. After an error the earlier file is unchanged."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.touch(mode)
        with part.open("wb") as new:
            yield new
            new.flush()
            os.fsync(new.fileno())
        part.replace(path)
    except OSError as error:
        if error.filename == str(part):
            error.filename = str(path)  # the name that people know
        raise
    finally:
        part.unlink(missing_ok=True)


def _name(file: Path) -> str:
    return "Standard input" if file == STANDARD_INPUT else str(file)
