"""Differences of templates as lines for a terminal."""

from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff

from notifications.management.template_files.plan import TemplateChange
from notifications.submission.templates.definitions import words_of
from notifications.template_definitions.definition import Definition
from notifications.template_definitions.files import write


def lines(step: TemplateChange) -> Iterator[str]:
    """Return the difference of one template, without characters that control a terminal."""
    label = printable(step.wanted.label)
    if step.before is None:
        yield f"{label}: new template {printable(step.after.name)}"
    else:
        yield f"{label}: changes {printable(step.before.name)}"
    for line in unified_diff(_lines(step.before), _lines(step.after), "stored", "new", n=2, lineterm=""):
        yield f"  {printable(line)}"
    for name, file in step.files.items():
        new = "removed" if file is None else f"{file.name}, {len(file.data)} bytes"
        yield f"  file (({printable(name)})): {printable(new)}"
    if step.broken:
        words = words_of(step.broken)
        yield (
            f"  BREAKS CALLS: {words['keys']} do not send {words['names']}; "
            f"yesterday {words['failing']} of {words['calls']} calls would have failed"
        )


def printable(text: str) -> str:
    r"""Return a text with escapes for characters that a terminal does not show.

    >>> printable("a\x1b[31m\r")
    'a\\x1b[31m\\r'
    """
    return "".join(one if one.isprintable() or one == "\t" else repr(one)[1:-1] for one in text)


def _lines(definition: Definition | None) -> list[str]:
    if definition is None:
        return []
    named_alike = {name: replace(file, path="") for name, file in definition.files.items()}
    return write(replace(definition, files=named_alike)).decode().split("\n")[:-1]
