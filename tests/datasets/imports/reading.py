"""Read a file as the child process does, without the database."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.imports.reading import settings as import_settings
from datasets.imports.reading.converting import convert
from datasets.imports.reading.inspecting import inspect

MAX_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What an import makes of a file. records: without `_id`, with `_timestamp` first; rejected: row and reason"""

    settings: dict[str, Any]
    questions: list[dict[str, Any]]
    records: list[dict[str, Any]]
    rejected: list[tuple[int, str]]
    counts: dict[str, Any]
    ids: list[str]

    @property
    def codes(self) -> list[str]:
        return sorted({question["code"] for question in self.questions})

    def column(self, name: str) -> list[Any]:
        return [record.get(name) for record in self.records]


def read(
    data: bytes | str,
    given: dict[str, Any] | None = None,
    *,
    set_ids: tuple[str, ...] = (),
    max_bytes: int = MAX_BYTES,
) -> ReadFile:
    """Return the records, or the questions if there are any. Raises UnreadableFile."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        found = inspect(str(path), folder, given or {}, set_ids, max_bytes)
        if found.questions:
            return ReadFile(found.settings, found.questions, [], [], {}, [])
        counts = convert(str(path), folder, found.settings, found.names, set_ids, max_bytes, False)
        stored = (Path(folder) / "lines").read_text().split("\n")[:-1]
        records = [_record(line) for line in stored]
        lines = (Path(folder) / "rejected").read_text().splitlines()
        rejected = [(row["row"], row["reason"]) for row in map(json.loads, lines)]
        return ReadFile(found.settings, [], records, rejected, counts, [line.split("\t")[1] for line in stored])


def answered(data: bytes | str, given: dict[str, Any] | None = None) -> ReadFile:
    """Answer each question with its first choice until none is left."""
    settings = given or {}
    for _ in range(10):
        found = read(data, settings)
        if not found.questions:
            return found
        for question in found.questions:
            settings = import_settings.merged(settings, question["choices"][0]["settings"])
    raise AssertionError(f"questions remain: {found.codes}")


def _record(line: str) -> dict[str, Any]:
    _, _, timestamp, start_at, end_at, body = line.split("\t", 5)
    moments = {"_timestamp": timestamp, "_start_at": start_at, "_end_at": end_at}
    return {**{name: value for name, value in moments.items() if value}, **json.loads(body)}
