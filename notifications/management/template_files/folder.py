"""A folder with one file for each template. Source: docs/reference/template-files.md §3."""

import re
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from notifications.template_definitions.definition import Definition
from notifications.template_definitions.files import FileInvalid, read, write

_SUFFIX = ".md"
_MAX_NAME_CHARACTERS = 80
_README = "readme.md"


class FilesInvalid(ValueError):
    """Files are not templates. lines: one for each of them"""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def load(folder: Path) -> dict[Path, Definition]:
    """Return the template of each file in a folder, by name. Raises FilesInvalid."""
    found, errors = {}, []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix.lower() != _SUFFIX or path.name.lower() == _README:
            continue
        try:
            found[path] = read(path.read_bytes())
        except FileInvalid as error:
            errors.append(f"{path}: {error}")
        except OSError as error:
            errors.append(f"{path}: {error.strerror}")
    ids: dict[UUID, Path] = {}
    for path, definition in found.items():
        if definition.id is not None and ids.setdefault(definition.id, path) != path:
            errors.append(f"{path}: {ids[definition.id]} has the same id.")
    if errors:
        raise FilesInvalid(errors)
    return found


def store(folder: Path, definitions: Sequence[Definition]) -> tuple[list[Path], list[Path]]:
    """Write each template to the file that has its id, else to a new one. Return the changed and the other files.

    Archived templates get no new file. Raises FilesInvalid, and writes nothing then.
    """
    known = {definition.id: path for path, definition in load(folder).items()}
    folder.mkdir(parents=True, exist_ok=True)
    taken = {path.name.lower() for path in folder.iterdir()}
    changed, same = [], []
    for definition in definitions:
        path = known.get(definition.id)
        if path is None:
            if definition.archived:
                continue
            path = folder / _free_name(definition, taken)
            taken.add(path.name.lower())
        data = write(definition)
        if path.exists() and path.read_bytes() == data:
            same.append(path)
            continue
        path.write_bytes(data)
        changed.append(path)
    return changed, same


def _free_name(definition: Definition, taken: set[str]) -> str:
    """Return a file name that no other file has, in any case.

    >>> _free_name(Definition(id=UUID(int=7), name="Gate code (new)", type="sms", content=""), set())
    'gate-code-new.md'
    >>> _free_name(Definition(id=UUID(int=7), name="Gate code", type="sms", content=""), {"gate-code.md"})
    'gate-code-00000000-0000-0000-0000-000000000007.md'
    """
    words = re.sub(r"[^a-z0-9]+", "-", definition.name.lower()).strip("-")[:_MAX_NAME_CHARACTERS].strip("-")
    name = f"{words or definition.type}{_SUFFIX}"
    is_free = name not in taken and name != _README
    return name if is_free else f"{words or definition.type}-{definition.id}{_SUFFIX}"
