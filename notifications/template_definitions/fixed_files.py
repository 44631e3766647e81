"""Name the fixed files of a template in the folder beside its file. Source: docs/reference/template-files.md §1."""

import re
from collections.abc import Mapping
from itertools import chain, count

from notifications.template_definitions.definition import FixedFile

_MAX_CHARACTERS = 80


def contents(files: Mapping[str, FixedFile]) -> dict[str, bytes]:
    """Return the contents of the fixed files by their names in the folder."""
    return {path: files[name].data for name, path in paths(files).items()}


def listed(files: Mapping[str, FixedFile]) -> dict[str, dict[str, object]]:
    """Return the fixed files as the front matter lists them."""
    named = paths(files)
    return {
        name: {
            "file": named[name],
            "filename": file.filename,
            "confirm_email_before_download": file.confirm_email_before_download,
            "retention_period": file.retention_period,
        }
        for name, file in files.items()
    }


def paths(files: Mapping[str, FixedFile]) -> dict[str, str]:
    """Return a name in the folder for each file: the one it has, else one of its placeholder.

    >>> paths({"Terms 1": FixedFile(data=b"1", filename="a.PDF"), "terms-1": FixedFile(data=b"2", filename="b.pdf")})
    {'Terms 1': 'terms-1.pdf', 'terms-1': 'terms-1-2.pdf'}
    """
    known: dict[str, tuple[str, bytes]] = {}
    found = {}
    for name, file in sorted(files.items(), key=lambda item: (not item[1].path, item[0])):
        words, ending = _plain(name) or "file", _plain(file.filename.rpartition(".")[2]) or "bin"
        numbers = chain([""], (f"-{number}" for number in count(2)))
        candidates = chain([file.path] if file.path else [], (f"{words}{number}.{ending}" for number in numbers))
        found[name] = next(path for path in candidates if _is_free(path, file, known))
        known[found[name].lower()] = found[name], file.data
    return found


def _is_free(path: str, file: FixedFile, known: Mapping[str, tuple[str, bytes]]) -> bool:
    """Return whether a name is new, or the file states it and has the same content as the other file of the name."""
    return path.lower() not in known or known[path.lower()] == (file.path, file.data)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_MAX_CHARACTERS]
