r"""Read and write template files: front matter, and below it the text, byte for byte.

A file begins with a line `---`. Then each line has the name of a field, a colon, a space and a JSON value, up to the
next line `---`. This is also YAML. All bytes after that line, without the last line break, are the text. A JSON value
has no line break, so no value can look like the end of the front matter. Fixed files are in a folder beside the file.
Source: docs/reference/template-files.md §1.

>>> found = read(b'---\nname: "Code"\ntype: "sms"\n---\nYour code is ((code)).\n')
>>> found.name, found.type, found.content
('Code', 'sms', 'Your code is ((code)).')
"""

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from notifications.template_definitions import fixed_files
from notifications.template_definitions.definition import (
    BY_NAME,
    EMAIL,
    SMS,
    Definition,
    FixedFile,
    default_of,
    fits,
    named,
)

MOST_BYTES = 50_000_000  # the longest text in twelve languages, with all its characters escaped

_EDGE = "---"
_MARK = "\ufeff"
_LINE = re.compile(r"(?P<name>[a-z_]+): (?P<value>.*)")
# These are escaped in values: editors and YAML programs treat them as line breaks or do not show them.
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WORDS = {
    str: "text in double quotes",
    bool: "true or false",
    list: 'a list such as ["text"]',
    dict: 'pairs such as {"name": "text"}',
}
_FILES_WORDS = 'pairs such as {"terms": {"file": "terms.pdf", "filename": "terms.pdf"}}'


class FileInvalid(ValueError):
    """A file is not a template. The message states the error, with its line if it has one."""


def write(definition: Definition) -> bytes:
    """Return the file of a template. Fixed files are named as by `fixed_files.contents`."""
    values = {field.name: value for field, value in named(definition) if value is not None and value not in ([], {})}
    if definition.files:
        values["files"] = fixed_files.listed(definition.files)
    lines = [f"{name}: {_json(value)}" for name, value in values.items()]
    return "\n".join([_EDGE, *lines, _EDGE, definition.content, ""]).encode()


def _absent(path: str) -> bytes:
    raise FileInvalid(f"There is no file {path}.")


def read(data: bytes, content_of: Callable[[str], bytes] = _absent) -> Definition:
    """Return the template of a file. Raises FileInvalid.

    content_of: returns a file of the folder by its name
    """
    if len(data) > MOST_BYTES:
        raise FileInvalid(f"The file has more than {MOST_BYTES // 1_000_000} MB.")
    try:
        text = data.decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        raise FileInvalid("The file is not in UTF-8.") from error
    if "\0" in text:
        raise FileInvalid("The file contains U+0000.")
    opening, _, rest = text.partition("\n")
    if opening.endswith("\r"):
        raise FileInvalid("The lines end with CRLF. Save the file with LF, and turn off the conversion of line ends.")
    if opening != _EDGE:
        raise FileInvalid(f"The first line must be {_EDGE}.")
    lines, content = _split(rest)
    return _definition(_values(lines), content.removesuffix("\n"), content_of)


def _fixed_file(name: str, listed: dict[str, Any], content_of: Callable[[str], bytes]) -> FixedFile:
    path = listed.pop("file")
    if not path or path.startswith(".") or set(path) & set("/\\:"):
        raise FileInvalid(f"files: the file of {name} must be a name in the folder beside the template.")
    return FixedFile(data=content_of(path), path=path, **listed)


def _split(rest: str) -> tuple[list[str], str]:
    """Return the lines of the front matter, and all that is below it."""
    lines: list[str] = []
    start = 0
    while start < len(rest):
        end = rest.find("\n", start)
        end = len(rest) if end < 0 else end
        line = rest[start:end]
        if line == _EDGE:
            return lines, rest[end + 1 :]
        lines.append(line)
        if len(lines) > len(BY_NAME):  # a line is wrong, or a field is there twice, which `_values` reports
            return lines, ""
        start = end + 1
    raise FileInvalid(f"A line {_EDGE} must end the front matter.")


def _values(lines: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for number, line in enumerate(lines, 2):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FileInvalid(f'Line {number} must be a name, a colon, a space and a value, such as `name: "Welcome"`.')
        name = match["name"]
        if name not in BY_NAME:
            raise FileInvalid(f"Line {number}: there is no field {name}. The fields are {', '.join(BY_NAME)}.")
        if name in values:
            raise FileInvalid(f"Line {number}: {name} is there twice.")
        values[name] = _value(number, name, match["value"])
    return values


def _value(number: int, name: str, text: str) -> Any:
    words = _FILES_WORDS if name == "files" else _WORDS[BY_NAME[name].type]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:  # RecursionError: a thousand lists in each other
        raise FileInvalid(f"Line {number}: {name} must be {words}.") from error
    if not fits(name, value):
        raise FileInvalid(f"Line {number}: {name} must be {words}.")
    if name != "id":
        return value
    try:
        return UUID(str(value))
    except ValueError as error:
        raise FileInvalid(f"Line {number}: id must be a UUID. Leave the line out for a new template.") from error


def _definition(values: dict[str, Any], content: str, content_of: Callable[[str], bytes]) -> Definition:
    for name in ("name", "type"):
        if name not in values:
            raise FileInvalid(f"The front matter has no {name}.")
    if values["type"] not in (EMAIL, SMS):
        raise FileInvalid(f"type must be {EMAIL} or {SMS}.")
    if values["type"] == EMAIL and "subject" not in values:
        raise FileInvalid("The front matter has no subject.")
    if values["type"] == SMS:
        for name, value in values.items():
            if BY_NAME[name].emails_only and value != default_of(name):
                raise FileInvalid(f"{name} is for emails only.")
    if "files" in values:
        values["files"] = {name: _fixed_file(name, one, content_of) for name, one in values["files"].items()}
    return Definition(**values, content=content)


def _json(value: object) -> str:
    shown = str(value) if isinstance(value, UUID) else value
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(shown, ensure_ascii=False, sort_keys=True))
