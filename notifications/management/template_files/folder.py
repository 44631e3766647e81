"""A folder with one file for each template. Source: docs/reference/template-files.md §3."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import UUID

from notifications.attachments.validation import MAX_FILE_BYTES
from notifications.template_definitions import fixed_files
from notifications.template_definitions.definition import Definition, FixedFile
from notifications.template_definitions.files import MOST_BYTES, FileInvalid, read, write

_SUFFIX = ".md"
_MAX_NAME_CHARACTERS = 80
_README = "readme.md"


class FilesInvalid(ValueError):
    """Files are not templates. lines: one for each of them"""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def load(folder: Path, *, needs_files: bool = True) -> dict[Path, Definition]:
    """Return the template of each file in a folder, by name. Raises FilesInvalid.

    needs_files: whether a missing fixed file is an error, instead of an empty file
    """
    found, errors = {}, []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix.lower() != _SUFFIX or path.name.lower() == _README:
            continue
        try:
            found[path] = read(_bytes(path, MOST_BYTES), partial(_content, path, is_needed=needs_files))
        except FileInvalid as error:
            errors.append(f"{path}: {error}")
        except OSError as error:
            errors.append(f"{error.filename or path}: {error.strerror}")
    ids: dict[UUID, Path] = {}
    for path, definition in found.items():
        if definition.id is not None and ids.setdefault(definition.id, path) != path:
            errors.append(f"{path}: {ids[definition.id]} has the same id.")
    if errors:
        raise FilesInvalid(errors)
    return found


def store(folder: Path, definitions: Iterable[Definition]) -> tuple[list[Path], list[Path]]:
    """Write each template to the file that has its id, else to a new one. Return the changed and the other files.

    Fixed files go to a folder of the file's name. Those that the file no longer names are deleted.
    Archived templates get no new file. Raises FilesInvalid, and writes nothing then.
    """
    known = {definition.id: (path, definition) for path, definition in load(folder, needs_files=False).items()}
    folder.mkdir(parents=True, exist_ok=True)
    taken = {path.name.lower() for path in folder.iterdir()}
    changed: list[Path] = []
    same: list[Path] = []
    for definition in definitions:
        path, before = known.get(definition.id, (None, None))
        if path is None:
            if definition.archived:
                continue
            path = folder / _free_name(definition, taken)
            taken.add(path.name.lower())
        (changed if _write(path, definition, before) else same).append(path)
    return changed, same


def _write(path: Path, definition: Definition, before: Definition | None) -> bool:
    """Write a template and its fixed files. Return whether anything differed. before: as the file has it"""
    files_before = before.files if before else {}
    named = {name: replace(file, path=_path_of(files_before.get(name))) for name, file in definition.files.items()}
    place = path.with_suffix("")
    wanted = {place / name: data for name, data in fixed_files.contents(named).items()}
    wanted[path] = write(replace(definition, files=named))
    stale = {place / name for name in fixed_files.contents(files_before)} - wanted.keys()
    differing = [one for one, data in wanted.items() if not one.exists() or one.read_bytes() != data]
    for one in differing:
        one.parent.mkdir(exist_ok=True)
        one.write_bytes(wanted[one])
    for one in stale:
        one.unlink(missing_ok=True)
    if stale and place.is_dir() and not any(place.iterdir()):
        place.rmdir()
    return bool(differing or stale)


def _content(path: Path, name: str, *, is_needed: bool) -> bytes:
    place = path.with_suffix("") / name
    return _bytes(place, MAX_FILE_BYTES) if is_needed or place.exists() else b""


def _bytes(path: Path, most: int) -> bytes:
    """Return a file. Of a longer one, a byte more than `most` is enough to refuse it."""
    with path.open("rb") as file:
        return file.read(most + 1)


def _path_of(file: FixedFile | None) -> str:
    return file.path if file else ""


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
